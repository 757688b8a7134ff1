"""Network files: written and read again, and refused in one sentence when they are not right."""

from __future__ import annotations

import json
import os
import struct
import time
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.bot.evaluation.network_file import (
    FORMAT,
    MAGIC,
    MAX_BIAS,
    Architecture,
    NetworkFile,
    NetworkFileError,
    parse_network,
    read_network,
    tensors,
)
from trivalent.bot.evaluation.network_quantisation import random_network

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = Architecture(
    game="y", planes=("own", "opponent"), channels=16, blocks=(False, True), head=16, hidden=3
)
NETWORK = random_network(SHAPE)
CONTENT = NETWORK.to_bytes()
HEADER = struct.unpack_from("<I", CONTENT, 12)[0]


def sealed(body: bytes) -> bytes:
    """A file with a checksum that is right."""
    return body + blake2b(body, digest_size=16).digest()


def with_header(header: object) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 64)
    prefix = MAGIC + struct.pack("<II", FORMAT, len(text))
    return sealed(prefix + text + CONTENT[16 + HEADER : -16])


def header() -> dict[str, object]:
    found: dict[str, object] = json.loads(CONTENT[16 : 16 + HEADER])
    return found


def test_round_trip(tmp_path: Path) -> None:
    file = replace(NETWORK, version="third", training={"positions": 12, "of": ["a", "ü"]})
    file.write(tmp_path / "net")
    found = read_network(tmp_path / "net")
    assert found == file
    assert found.digest == file.digest != NETWORK.digest
    assert (found.version, found.training) == ("third", {"positions": 12, "of": ["a", "ü"]})
    assert found.architecture == SHAPE
    assert found.to_bytes() == file.to_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["net"]
    assert str(SHAPE) == "16 channels, 2 blocks (1 pooled)"


def test_names_that_are_no_text() -> None:
    file = replace(NETWORK, version="\ud800")
    assert parse_network(file.to_bytes()) == file


def test_layout() -> None:
    """As documented: magic, sizes, header, tensors on 64 bytes, digest."""
    assert CONTENT[:8] == b"\x93TRINET\n"
    assert (16 + HEADER) % 64 == 0
    assert len(CONTENT) % 64 == 16
    start = 16 + HEADER
    for tensor in tensors(SHAPE):
        assert CONTENT[start : start + tensor.size] == NETWORK.tensors[tensor.name]
        start += -(-tensor.size // 64) * 64
    assert start + 16 == len(CONTENT)
    names = [tensor.name for tensor in tensors(SHAPE)]
    assert names[:4] == ["input/weights", "input/bias", "input/scale", "blocks/0/activation"]
    assert names[-3:] == ["value/weights", "value/scale", "value/bias"]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a network of Trivalent"),
        (b"GIF89a" + CONTENT, "not a network of Trivalent"),
        (CONTENT.replace(b"\n", b"\r\n", 1), "not a network of Trivalent"),
        (MAGIC + struct.pack("<II", FORMAT + 1, 0), "has format 2, and .* up to 1"),
        (CONTENT[:-1], "checksum"),
        (CONTENT + b"\0", "checksum"),
        (CONTENT[:16], "checksum"),
        (sealed(MAGIC + struct.pack("<II", FORMAT, 1 << 31)), "header is longer than the file"),
        (sealed(CONTENT[:-80]), "bytes where its network has"),
        (sealed(CONTENT[:-16] + bytes(64)), "bytes where its network has"),
        (with_header(b"{"), "not JSON"),
        (with_header(b"\xff"), "not JSON"),
        (with_header(b"[" * 100_000), "not JSON"),
        (with_header(header() | {"training": {"loss": float("nan")}}), "not JSON"),
        (with_header([]), "not a JSON object"),
        (with_header({}), "no 'architecture' of type dict"),
        (with_header(header() | {"version": 3}), "no 'version' of type str"),
        (with_header(header() | {"training": None}), "no 'training' of type dict"),
        (with_header(header() | {"game": "go"}), "the game 'go' is not known"),
    ],
)
def test_refused(content: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match=why) as caught:
        parse_network(content)
    assert "\n" not in str(caught.value)
    path = tmp_path / "net"
    path.write_bytes(content)
    with pytest.raises(NetworkFileError, match=why) as caught:
        read_network(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"planes": ["own", "sun"]}, "input plane 'sun' is not known"),
        ({"planes": ["own", 1]}, "not all names"),
        ({"planes": ["own", "own"]}, "must be different"),
        ({"planes": []}, "at least one"),
        ({"channels": 24}, "multiple of 16 up to 128, not 24"),
        ({"channels": 144}, "multiple of 16 up to 128, not 144"),
        ({"channels": True}, "no 'channels' of type int"),
        ({"head": 0}, "channels of the head must be .* not 0"),
        ({"hidden": 257}, "must be 1 to 256, not 257"),
        ({"blocks": [False] * 65}, "65 blocks are more than 64"),
        ({"blocks": [1]}, "not all true or false"),
        ({"blocks": [False]}, "bytes where its network has"),
        ({"ownership": None}, "no 'ownership' of type bool"),
    ],
)
def test_architectures_refused(entry: dict[str, object], why: str) -> None:
    described = header()
    shape = described["architecture"]
    assert isinstance(shape, dict)
    described["architecture"] = shape | entry
    with pytest.raises(NetworkFileError, match=why):
        parse_network(with_header(described))


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("input/bias", MAX_BIAS + 1, "<i4"),
        ("blocks/1/pool/weights", -1024, "<i2"),
        ("head/scale", -1.0, "<f4"),
        ("head/scale", float("nan"), "<f4"),
        ("head/activation", float("inf"), "<f4"),
    ],
)
def test_numbers_out_of_range(name: str, value: float, kind: str) -> None:
    numbers = np.frombuffer(NETWORK.tensors[name], kind).copy()
    numbers[-1] = value
    with pytest.raises(NetworkFileError, match=f"{name} has numbers that are out of range"):
        replace(NETWORK, tensors={**NETWORK.tensors, name: numbers.tobytes()})


def test_tensors_missing() -> None:
    with pytest.raises(NetworkFileError, match="head/bias must have 64 bytes"):
        replace(NETWORK, tensors={**NETWORK.tensors, "head/bias": b""})
    with pytest.raises(NetworkFileError, match="input/weights must have"):
        NetworkFile(architecture=SHAPE, version="", tensors={})


def assert_refused_or_sound(content: bytes) -> None:
    """Padding and the layout of the header may be different, and then the file is, too."""
    try:
        found = parse_network(content)
    except NetworkFileError:
        return
    assert parse_network(found.to_bytes()) == found


def damaged(rng: np.random.Generator) -> bytes:
    """A file with some bytes changed, lost or repeated."""
    content = bytearray(CONTENT)
    for _ in range(rng.integers(1, 4)):
        # Mostly in the header, where every byte means something.
        limit = len(content) if rng.random() < 0.3 else min(len(content), 16 + HEADER)
        start, length = int(rng.integers(limit)), int(rng.integers(1, 9))
        how = rng.integers(3)
        if how == 0:
            content[start : start + length] = rng.bytes(length)
        elif how == 1:
            del content[start : start + length]
        else:
            content[start:start] = content[start : start + length]
    return bytes(content)


def test_damaged_files_are_refused() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        content = damaged(rng)
        if content != CONTENT:
            with pytest.raises(NetworkFileError):
                parse_network(content)
        assert_refused_or_sound(sealed(content[:-16]))
    for length in range(0, len(CONTENT), 97):
        with pytest.raises(NetworkFileError):
            parse_network(CONTENT[:length])


@pytest.mark.fuzz
def test_fuzz() -> None:
    seed = int(os.environ.get("FUZZ_SEED", "1"))
    rng = np.random.default_rng(seed)
    end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "60"))
    while time.monotonic() < end:
        content = damaged(rng)
        assert_refused_or_sound(content)
        assert_refused_or_sound(sealed(content[:-16]))
