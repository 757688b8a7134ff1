"""The index of proof nodes finds what going through all of them finds."""

from __future__ import annotations

import random

import pytest

from trivalent.bot.solver._node_index import NodeIndex
from trivalent.bot.solver.proof import Node


def some(points: int, share: float, rng: random.Random) -> int:
    return sum(1 << point for point in range(points) if rng.random() < share)


def random_nodes(count: int, points: int, rng: random.Random) -> list[Node]:
    """Return nodes that come in runs of similar ones, as a prover adds them."""
    nodes = []
    needs = carrier = 0
    for number in range(count):
        if number % 11 == 0:
            needs, carrier = some(points, 0.1, rng), some(points, 0.2, rng)
        nodes.append(
            Node(
                goal=some(points, 0.02, rng),
                given=(),
                stones=0,
                replies=(),
                needs=needs ^ some(points, 0.02, rng),
                carrier=carrier ^ some(points, 0.02, rng),
            )
        )
    return nodes


@pytest.mark.parametrize("points", [5, 52, 64, 68, 128, 200, 260])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 65, 500])
def test_finds_what_holds(points: int, count: int) -> None:
    rng = random.Random(points * 1000 + count)
    nodes = random_nodes(count, points, rng)
    index = NodeIndex(points)
    for number, node in enumerate(nodes):
        index.add(10 * number, node)
        index.add(10 * number, node)  # it is there already
    seen = [0, 0, 0]
    for _ in range(100):
        node = rng.choice(nodes) if nodes else Node(0, (), 0, (), 0, 0)
        mine = node.needs | some(points, 0.1, rng)
        gone = 1 << rng.randrange(points)
        lost = mine & ~gone
        free = (node.carrier | mine | some(points, 0.3, rng)) & ~gone
        have = node.goal | some(points, 0.2, rng)
        expected = (
            [i for i, n in enumerate(nodes) if not n.needs & ~mine and not n.carrier & ~free],
            [
                i
                for i, n in enumerate(nodes)
                if (n.needs & ~lost).bit_count() <= 1
                and not n.needs & ~(lost | free)
                and not n.carrier & ~free
            ],
            [
                i
                for i, n in enumerate(nodes)
                if n.carrier & ~free == gone and not n.goal & ~have and not n.needs & ~mine
            ],
        )
        found = (
            index.holding(mine, free),
            index.one_short(lost, free),
            index.broken(have, mine, free, gone.bit_length() - 1),
        )
        assert found == tuple([10 * i for i in numbers] for numbers in expected)
        seen = [total + len(numbers) for total, numbers in zip(seen, found, strict=True)]
    assert count < 64 or all(seen), "some of each kind were found"


def test_refuses_more_points_than_it_has_room_for() -> None:
    with pytest.raises(ValueError, match="at most 320 points, not 321"):
        NodeIndex(321)
