"""Shards: files of positions from self-play, the training data.

A shard consists of the magic bytes, the format version and the length of the header (two unsigned
32-bit integers), the header (JSON in UTF-8), a body compressed by zlib, and a BLAKE2b digest of 16
bytes over everything before it.  All numbers are little-endian.  The header says ``game``,
``origin`` (free text: the network that played and the like) and ``groups``, a list of objects with
``size`` (the board's) and ``positions`` (their number).  The body has the arrays of each group, one
after the other, in the order of `ARRAYS`; n is the number of cells:

===========  ======  ============  ==============================================================
array        type    per position  contents
===========  ======  ============  ==============================================================
stones       uint8   (n + 3) // 4  two bits per cell, first cell lowest: 0 empty, 1 black, 2 white
flags        uint8   1             1 White is to move, 2 searched in full (the visits are a policy
                                   target), 4 won and 8 lost (proven for the side to move), 16 the
                                   outcome is meaningful (no random move followed), 32 the
                                   ownership isn't (proven without any playout)
game         uint32  1             random number of the game, the same for all of its positions
last         int16   2             the cells of the last move and of the one before it, or -1
value        uint16  1             the search's value for the side to move, in 65535ths
outcome      uint8   1             1 if the side to move won the game, 0 if it lost
visits       uint16  n             share of the visits of each move, in 65535ths
considered   uint8   (n + 7) // 8  one bit per cell, first cell lowest: moves worth trying
black        uint8   n             share of the playouts in which Black owned the cell, in 255ths
===========  ======  ============  ==============================================================

A position of 11x11 takes 430 bytes, and about a fifth of that compressed.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trivalent.core.files import write_file
from trivalent.core.games import GAMES, make_board

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trivalent.core.board import Board

Array = NDArray[Any]

MAGIC = b"\x93TRIPOS\n"
FORMAT = 1
WHITE_TO_MOVE, FULL, WON, LOST, OUTCOME, UNOWNED = 1, 2, 4, 8, 16, 32
"""The flags of a position."""
SHARE = 65535
"""The integer that stands for 1 in values and visits."""
OWNED = 255
"""The integer that stands for 1 in ownership."""
_PREFIX = struct.Struct("<8sII")
_DIGEST = 16
_MAX_BYTES = 1 << 30
"""The maximum size of a body."""


class ShardError(ValueError):
    """A file that isn't a shard, or one that this version can't use."""


@dataclass(slots=True, eq=False)
class Positions:
    """Positions on one board.  The arrays are those of the file, but unpacked."""

    board: Board
    stones: Array
    """[positions][cells]: 0 empty, 1 black, 2 white."""
    flags: Array
    game: Array
    last: Array
    """[positions][2]"""
    value: Array
    outcome: Array
    visits: Array
    considered: Array
    """[positions][cells]: 0 or 1."""
    black: Array

    def __len__(self) -> int:
        return len(self.flags)

    def __getitem__(self, chosen: Array | slice) -> Positions:
        """Return the positions with these numbers."""
        return Positions(self.board, *(getattr(self, name)[chosen] for name in ARRAYS))

    @property
    def to_play(self) -> Array:
        """The side to move: 1 black, 2 white."""
        return np.asarray(1 + (self.flags & WHITE_TO_MOVE), np.uint8)


ARRAYS = tuple(field.name for field in fields(Positions))[1:]
_TYPES = dict(zip(ARRAYS, ["u1", "u1", "<u4", "<i2", "<u2", "u1", "<u2", "u1", "u1"], strict=True))


def join(groups: Sequence[Positions]) -> Positions:
    """Return the positions of several groups on the same board as one."""
    parts = ([getattr(group, name) for group in groups] for name in ARRAYS)
    return Positions(groups[0].board, *(np.concatenate(part) for part in parts))


def write_shard(path: Path, groups: Sequence[Positions], origin: str) -> None:
    """Write groups of positions of one game, as a whole or not at all.  Raise OSError."""
    content = to_bytes(groups, origin)
    write_file(path, lambda temporary: temporary.write_bytes(content))


def to_bytes(groups: Sequence[Positions], origin: str) -> bytes:
    """Return the content of a shard."""
    described = {
        "game": groups[0].board.game,
        "origin": origin,
        "groups": [{"size": group.board.width, "positions": len(group)} for group in groups],
    }
    header = json.dumps(described).encode()
    body = zlib.compress(b"".join(_pack(group) for group in groups), 6)
    content = _PREFIX.pack(MAGIC, FORMAT, len(header)) + header + body
    return content + blake2b(content, digest_size=_DIGEST).digest()


def _pack(group: Positions) -> bytes:
    parts = []
    for name in ARRAYS:
        array = getattr(group, name)
        if name == "stones":
            padded = np.pad(array, [(0, 0), (0, -array.shape[1] % 4)])
            quads = padded.reshape(len(array), -1, 4).astype(np.uint8)
            array = (quads << np.array([0, 2, 4, 6], np.uint8)).sum(-1)
        elif name == "considered":
            array = np.packbits(array.astype(bool), axis=1, bitorder="little")
        parts.append(array.astype(_TYPES[name]).tobytes())
    return b"".join(parts)


def read_shard(path: Path, game: str) -> list[Positions]:
    """Read the positions of a shard, a group for each board.

    Raise OSError, or ShardError with a message that names the path.
    """
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES)
    try:
        return parse_shard(content, game)
    except ShardError as error:
        raise ShardError(f"{path}: {error}") from None


def parse_shard(content: bytes, game: str) -> list[Positions]:
    """Return the positions of a shard.  Raise ShardError if it is damaged or of another game."""
    header, start = _checked_header(content)
    try:
        found, groups = header["game"], [(g["size"], g["positions"]) for g in header["groups"]]
        boards = [make_board(found, size) for size, _ in groups]
    except (KeyError, TypeError, ValueError):
        raise ShardError("the header doesn't describe positions") from None
    if found != game:
        raise ShardError(f"the positions are of {GAMES[found].title}, not {GAMES[game].title}")
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(content[start:-_DIGEST], _MAX_BYTES)
    except zlib.error:
        raise ShardError("the body can't be decompressed") from None
    result = []
    offset = 0
    for board, (_, count) in zip(boards, groups, strict=True):
        positions, offset = _unpack(board, count, body, offset)
        result.append(positions)
    if offset != len(body):
        raise ShardError(f"the body has {len(body)} bytes where its positions have {offset}")
    return result


def _checked_header(content: bytes) -> tuple[dict[str, Any], int]:
    """Return the header, and where the body begins."""
    if len(content) < _PREFIX.size + _DIGEST or content[: len(MAGIC)] != MAGIC:
        raise ShardError("this is not a shard of positions")
    _, version, length = _PREFIX.unpack_from(content)
    if version > FORMAT:
        raise ShardError(
            f"the file has format {version}, and this Trivalent reads formats up to {FORMAT}"
        )
    if blake2b(content[:-_DIGEST], digest_size=_DIGEST).digest() != content[-_DIGEST:]:
        raise ShardError("the file is damaged or not complete: its checksum is wrong")
    start = _PREFIX.size + length
    try:
        header = json.loads(content[_PREFIX.size : start])
    except ValueError:
        raise ShardError("the header is not JSON") from None
    if not isinstance(header, dict):
        raise ShardError("the header is not a JSON object")
    return header, start


def _unpack(board: Board, count: int, body: bytes, offset: int) -> tuple[Positions, int]:
    cells = len(board)
    widths = {"stones": -(-cells // 4), "considered": -(-cells // 8), "last": 2}
    widths |= dict.fromkeys(("visits", "black"), cells)
    arrays = []
    for name in ARRAYS:
        kind = np.dtype(_TYPES[name])
        size = count * widths.get(name, 1)
        if offset + size * kind.itemsize > len(body):
            raise ShardError("the body is too short for its positions")
        array = np.frombuffer(body, kind, size, offset)
        offset += size * kind.itemsize
        if name in widths:
            array = array.reshape(count, widths[name])
        if name == "stones":
            pairs = array[..., None] >> np.array([0, 2, 4, 6], np.uint8) & 3
            array = pairs.reshape(count, -1)[:, :cells]
        elif name == "considered":
            array = np.unpackbits(array, axis=1, count=cells, bitorder="little")
        arrays.append(array)
    return Positions(board, *arrays), offset
