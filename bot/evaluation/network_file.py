"""Network files: the architecture of a network, its weights, and the format that stores both.

A file consists of the magic bytes, the format version and the length of the header (two unsigned
32-bit integers), the header (JSON in UTF-8, padded with spaces), the tensors, and a BLAKE2b digest
of 16 bytes over everything before it.  Header and tensors are padded to multiples of 64 bytes.  All
numbers are little-endian.  The header holds the game, the architecture, the network's version and
its training history; the architecture determines the tensors, see `tensors`.

The network
-----------
It sees the board as the side to move does, in rows of places with hexagonal neighbours.  In Hex the
side to move joins top and bottom: White's board is mirrored in the long diagonal.  A Y board is the
lower right half of a rhombus.  Two rings of places around the cells show the sides as stones (in
Y as stones of both colours).  `TAPS` are the places that a convolution sees.

* Input: a convolution of the planes (bytes; 127 is 1) gives the stream (32-bit floats), rectified,
  at the cells and at the ring of places next to them.  The ring keeps these values, so that every
  block sees the sides.
* Residual blocks: stream to bytes, convolution to bytes (zero off the board), convolution added to
  the stream, rectified.  A block that pools adds a linear function of the channels' means and
  maxima over the cells to the biases of its first convolution.
* Head: stream to bytes, then a convolution that sees only the place itself, again to bytes; its
  biases, too, get a linear function of the pooled stream.
* Policy and ownership: a logit for each cell, linear in the bytes of the head.
* Value: means and maxima of the bytes of the head, a hidden layer, and a logit.

The arithmetic
--------------
Products and sums are exact integers: inputs of 0 to 127 times 8-bit weights, added to a 32-bit
bias.  Everything else is one IEEE 754 operation in single precision at a time, rounded to nearest
(ties to even), never fused; no more than two floats are ever added up.

=======================  ===========================================================
convolution to bytes     round(min(max(float(sum) * scale, 0), 127))
convolution to stream    max(float(sum) * scale, 0)
convolution, added       max(stream + float(sum) * scale, 0)
stream to bytes          round(min(stream * activation, 127))
pooling over n cells     mean = (64 * sum + n // 2) // n, maximum = 64 * max
pooled values to biases  bias + round(clip(float(sum) * scale, -2^24, 2^24))
hidden layer             round(min(max(float(sum) * scale, 0), 8128))
logits                   float(sum) * scale
probabilities            `trivalent.bot.evaluation.network_reference.sigmoid`
=======================  ===========================================================

Hence every machine computes the same bytes.  The stream is in floats because they cost a kernel no
more than 16-bit integers would: the scales are floats anyway, and sums need no second rounding.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from trivalent.core.files import write_file
from trivalent.core.games import REDUCED_GAMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

T = TypeVar("T")

MAGIC = b"\x93TRINET\n"
FORMAT = 1
"""The version of the format.  Newer ones are rejected."""
GROUP = 16
"""Channels come in multiples of this."""
QUAD = 4
"""Planes are padded to a multiple of this."""
MAX_CHANNELS = 128
MAX_BLOCKS = 64
MAX_HIDDEN = 256
MAX_DENSE = 1023
"""The largest weight of a dense layer: sums don't overflow 32 bits."""
MAX_BIAS = 1 << 24
MAX_SCALE = float(1 << 20)
MAX_BYTES = 64 << 20
"""The maximum size of a file."""
TAPS = ((0, 0), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
"""The places that a convolution sees, (row, column) relative to its output."""
PLANES = {
    "own": "stones of the side to move, and its sides",
    "opponent": "stones of the opponent, and the opponent's sides",
    "last": "the last move",
    "last-but-one": "the move before it",
    "own-filled": "empty cells that fill-in gives to the side to move",
    "opponent-filled": "empty cells that fill-in gives to the opponent",
    "pruned": "cells that need not be tried",
    "board": "all cells",
    "rows": "rows of the board as the side to move sees it, times 4, on all cells",
    "columns": "columns of the board, times 4, on all cells",
    "playout-ownership": "share of the playouts in which the side to move owned the cell",
    "playout-gain": "64, plus twice the excess of the side to move's share of wins with the cell "
    "over its share of all wins",
    "playout-value": "share of the playouts that the side to move won, on all cells",
}
"""The planes that a network may have as inputs; shares are in 127ths."""
_RANGES = {"h": (-MAX_DENSE, MAX_DENSE), "i": (-MAX_BIAS, MAX_BIAS), "f": (0.0, MAX_SCALE)}
_ALIGNMENT = 64
_DIGEST = 16
_PREFIX = struct.Struct("<8sII")


class NetworkFileError(ValueError):
    """A file that isn't a network, or one that this version can't use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """The architecture of a network.  Raise NetworkFileError if a value is out of range."""

    game: str
    planes: tuple[str, ...]
    """Names of `PLANES`, in the order of the input's channels."""
    channels: int
    """Of the stream: 16 to 128, a multiple of 16."""
    blocks: tuple[bool, ...]
    """The residual blocks, two convolutions each; true: the block pools."""
    head: int = 32
    """Channels of the head: 16 to 128, a multiple of 16."""
    hidden: int = 32
    """Units of the value's hidden layer: 1 to 256."""
    ownership: bool = True
    """Whether the network estimates the ownership of cells."""

    def __post_init__(self) -> None:
        if self.game not in REDUCED_GAMES:
            raise NetworkFileError(f"the game {self.game!r} is not known")
        if unknown := [plane for plane in self.planes if plane not in PLANES]:
            raise NetworkFileError(f"the input plane {unknown[0]!r} is not known")
        if not self.planes or len(set(self.planes)) != len(self.planes):
            raise NetworkFileError("the input planes must be different, and at least one")
        for name, count in (("channels", self.channels), ("channels of the head", self.head)):
            if count % GROUP or not GROUP <= count <= MAX_CHANNELS:
                raise NetworkFileError(
                    f"the {name} must be a multiple of {GROUP} up to {MAX_CHANNELS}, not {count}"
                )
        if len(self.blocks) > MAX_BLOCKS:
            raise NetworkFileError(f"{len(self.blocks)} blocks are more than {MAX_BLOCKS}")
        if not 1 <= self.hidden <= MAX_HIDDEN:
            raise NetworkFileError(f"the hidden units must be 1 to {MAX_HIDDEN}, not {self.hidden}")

    @property
    def inputs(self) -> int:
        """The planes, padded to a multiple of 4."""
        return -(-len(self.planes) // QUAD) * QUAD

    @property
    def products(self) -> int:
        """Multiplications per cell, without those for the ring, pooling and value."""
        c = self.channels
        return len(TAPS) * c * (self.inputs + 2 * c * len(self.blocks)) + (c + 2) * self.head

    def __str__(self) -> str:
        pooled = sum(self.blocks)
        return f"{self.channels} channels, {len(self.blocks)} blocks ({pooled} pooled)"


class Tensor(NamedTuple):
    """A tensor of a file."""

    name: str
    kind: str
    """b: int8, h: int16, i: int32, f: single precision, as `struct` has them."""
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return struct.calcsize("<" + self.kind) * prod(self.shape)


def tensors(architecture: Architecture) -> list[Tensor]:
    """Return the tensors of a network, in the order of the file.

    A convolution has weights [outputs / 16][taps][inputs / 4][16][4], whose last two indices are
    output and input within their groups, a bias and a scale for each output.  A dense layer has
    weights [outputs][inputs], a scale for each output, and biases unless it adds to those of a
    convolution.
    """
    a = architecture
    result = _convolution("input", a.inputs, a.channels)
    for number, pools in enumerate(a.blocks):
        block = f"blocks/{number}"
        result.append(Tensor(f"{block}/activation", "f", (a.channels,)))
        result += _convolution(f"{block}/first", a.channels, a.channels)
        if pools:
            result += _dense(f"{block}/pool", 2 * a.channels, a.channels)
        result += _convolution(f"{block}/second", a.channels, a.channels)
    result.append(Tensor("head/activation", "f", (a.channels,)))
    result += _convolution("head", a.channels, a.head, taps=1)
    result += _dense("head/pool", 2 * a.channels, a.head)
    result += _convolution("outputs", a.head, GROUP, taps=1)
    for name, inputs, outputs in (("hidden", 2 * a.head, a.hidden), ("value", a.hidden, 1)):
        result += [*_dense(name, inputs, outputs), Tensor(f"{name}/bias", "i", (outputs,))]
    return result


def _convolution(name: str, inputs: int, outputs: int, taps: int = len(TAPS)) -> list[Tensor]:
    shape = (outputs // GROUP, taps, inputs // QUAD, GROUP, QUAD)
    return [
        Tensor(f"{name}/weights", "b", shape),
        Tensor(f"{name}/bias", "i", (outputs,)),
        Tensor(f"{name}/scale", "f", (outputs,)),
    ]


def _dense(name: str, inputs: int, outputs: int) -> list[Tensor]:
    return [
        Tensor(f"{name}/weights", "h", (outputs, inputs)),
        Tensor(f"{name}/scale", "f", (outputs,)),
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetworkFile:
    """A network as it is in a file.  Raise NetworkFileError if the tensors don't fit.

    Networks are equal if their files are.
    """

    architecture: Architecture
    version: str
    """A name or generation for people to tell networks apart."""
    tensors: Mapping[str, bytes] = field(repr=False)
    """The bytes of each of `tensors`."""
    training: Mapping[str, object] = field(default_factory=dict)
    """Its training history: positions, hours and the like, anything that JSON can express."""

    def __post_init__(self) -> None:
        for tensor in tensors(self.architecture):
            content = self.tensors.get(tensor.name)
            if content is None or len(content) != tensor.size:
                raise NetworkFileError(f"{tensor.name} must have {tensor.size} bytes")
            _check_range(tensor, content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetworkFile) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the network."""
        return self.to_bytes()[-_DIGEST:].hex()[:12]

    def to_bytes(self) -> bytes:
        """Return the content of a file."""
        described = {
            "game": self.architecture.game,
            "version": self.version,
            "architecture": asdict(self.architecture),
            "training": dict(self.training),
        }
        del described["architecture"]["game"]  # type: ignore[attr-defined]
        header = json.dumps(described, allow_nan=False).encode()
        header += b" " * (-(_PREFIX.size + len(header)) % _ALIGNMENT)
        parts = [_PREFIX.pack(MAGIC, FORMAT, len(header)), header]
        for tensor in tensors(self.architecture):
            parts += [self.tensors[tensor.name], bytes(-tensor.size % _ALIGNMENT)]
        body = b"".join(parts)
        return body + blake2b(body, digest_size=_DIGEST).digest()

    def write(self, path: Path) -> None:
        """Write the file, as a whole or not at all.  Raise OSError on failure."""
        content = self.to_bytes()
        write_file(path, lambda temporary: temporary.write_bytes(content))


def read_network(path: Path) -> NetworkFile:
    """Read a network.  Raise OSError, or NetworkFileError with a message that names the path."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        return parse_network(content)
    except NetworkFileError as error:
        raise NetworkFileError(f"{path}: {error}") from None


def parse_network(content: bytes) -> NetworkFile:
    """Return the network that a file holds.  Raise NetworkFileError if it holds none."""
    if len(content) < _PREFIX.size or content[: len(MAGIC)] != MAGIC:
        raise NetworkFileError("this is not a network of Trivalent")
    _, version, header_size = _PREFIX.unpack_from(content)
    if version > FORMAT:
        raise NetworkFileError(
            f"the file has format {version}, and this Trivalent reads formats up to {FORMAT}"
        )
    if len(content) > MAX_BYTES:
        raise NetworkFileError(f"the file is longer than {MAX_BYTES >> 20} MiB")
    body = memoryview(content)[:-_DIGEST]
    if blake2b(body, digest_size=_DIGEST).digest() != content[-_DIGEST:]:
        raise NetworkFileError("the file is damaged or not complete: its checksum is wrong")
    start = _PREFIX.size + header_size
    if start > len(body):
        raise NetworkFileError("the header is longer than the file")
    header = _parse_header(bytes(body[_PREFIX.size : start]))
    architecture = _parse_architecture(header)
    found = {}
    for tensor in tensors(architecture):
        found[tensor.name] = bytes(body[start : start + tensor.size])
        start += -(-tensor.size // _ALIGNMENT) * _ALIGNMENT
    if start != len(body):
        raise NetworkFileError(f"the file has {len(body)} bytes where its network has {start}")
    return NetworkFile(
        architecture=architecture,
        version=_entry(header, "version", str),
        tensors=found,
        training=_entry(header, "training", dict),
    )


def _parse_header(text: bytes) -> dict[str, object]:
    try:
        header = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        raise NetworkFileError("the header is not JSON") from None
    if not isinstance(header, dict):
        raise NetworkFileError("the header is not a JSON object")
    return header


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} isn't JSON")


def _parse_architecture(header: Mapping[str, object]) -> Architecture:
    shape = _entry(header, "architecture", dict)
    planes, blocks = _entry(shape, "planes", list), _entry(shape, "blocks", list)
    if not all(isinstance(plane, str) for plane in planes):
        raise NetworkFileError("the header's planes are not all names")
    if not all(isinstance(pools, bool) for pools in blocks):
        raise NetworkFileError("the header's blocks are not all true or false")
    return Architecture(
        game=_entry(header, "game", str),
        planes=tuple(planes),
        channels=_entry(shape, "channels", int),
        blocks=tuple(blocks),
        head=_entry(shape, "head", int),
        hidden=_entry(shape, "hidden", int),
        ownership=_entry(shape, "ownership", bool),
    )


def _entry(header: Mapping[str, object], name: str, kind: type[T]) -> T:
    value = header.get(name)
    if type(value) is not kind:
        raise NetworkFileError(f"the header has no {name!r} of type {kind.__name__}")
    return value


def _check_range(tensor: Tensor, content: bytes) -> None:
    """Reject numbers that could make sums overflow 32 bits or floats infinite."""
    if tensor.kind == "b":  # all are fine
        return
    numbers = struct.unpack(f"<{prod(tensor.shape)}{tensor.kind}", content)
    least, most = _RANGES[tensor.kind]
    if not all(least <= number <= most for number in numbers):  # nor is NaN
        raise NetworkFileError(f"{tensor.name} has numbers that are out of range")
