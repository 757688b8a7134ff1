from pathlib import Path

import numpy as np
import pytest
from training import played

from trivalent.tools.training.position_shards import (
    ARRAYS,
    FORMAT,
    ShardError,
    join,
    parse_shard,
    read_shard,
    to_bytes,
    write_shard,
)


@pytest.mark.parametrize(("game", "size"), [("hex", 5), ("hex", 7), ("y", 6)])
def test_what_is_written_is_read(game: str, size: int, tmp_path: Path) -> None:
    groups = [join(played(game, size, 5)), join(played(game, 4, 3))]
    path = tmp_path / "positions.shard"
    write_shard(path, groups, "a test")
    found = read_shard(path, game)
    assert [group.board for group in found] == [group.board for group in groups]
    for one, other in zip(found, groups, strict=True):
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_any_damage_is_noticed() -> None:
    content = to_bytes(played("hex", 4, 3), "a test")
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 1
        with pytest.raises(ShardError):
            parse_shard(bytes(damaged), "hex")
    for length in range(0, len(content), 11):
        with pytest.raises(ShardError):
            parse_shard(content[:length], "hex")


def test_messages(tmp_path: Path) -> None:
    content = to_bytes(played("hex", 4, 3), "a test")
    with pytest.raises(ShardError, match=r"^the positions are of Hex, not Y$"):
        parse_shard(content, "y")
    newer = content[:8] + bytes([FORMAT + 1]) + content[9:]
    with pytest.raises(ShardError, match=rf"has format {FORMAT + 1}, and .* up to {FORMAT}$"):
        parse_shard(newer, "hex")
    path = tmp_path / "torn.shard"
    path.write_bytes(content[:-1])
    with pytest.raises(ShardError, match=r"torn\.shard: the file is damaged or not complete"):
        read_shard(path, "hex")


def test_a_million_positions_fit_the_disk() -> None:
    groups = played("hex", 9, 8)
    each = len(to_bytes(groups, "a test")) / sum(map(len, groups))
    assert each < 1000
