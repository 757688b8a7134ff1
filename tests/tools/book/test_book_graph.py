"""Values, priorities and the choice of what to expand, against plain definitions."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest
from books import settings

from trivalent.bot.book.book_file import Entry
from trivalent.bot.book.book_positions import Stones, canonical, stones_of
from trivalent.tools.book.book_graph import BookGraph

if TYPE_CHECKING:
    from trivalent.tools.book.book_graph import Node


def plain(graph: BookGraph) -> dict[str, tuple[float, bool | None, float]]:
    """Return value, proof and priority of all positions as the definitions have them."""
    board, width, swap = graph.board, graph.settings.width, graph.settings.swap
    found: dict[str, tuple[float, bool | None, float]] = {}
    for name, node in sorted(graph.nodes.items(), key=lambda item: -item[1].stones.number):
        stones = stones_of(board, name)
        after = {canonical(board, stones.after(cell))[0] for cell in stones.empty(board)}
        children = [found[one] for one in after & graph.nodes.keys()]
        is_root = not stones.number
        drops_out = node.move is not None and node.after_drop_out not in after & graph.nodes.keys()
        worths = [1 - value for value, _, _ in children]
        if is_root and swap:
            worths = [min(worth, 1 - worth) for worth in worths]
        won = (any(p is False for _, p, _ in children) and not (is_root and swap)) or (
            drops_out and node.proof is True
        )
        lost = (
            node.proof is False
            and all(p is True for _, p, _ in children)
            and not is_root
            and node.after_drop_out not in after & graph.nodes.keys()
        )
        options = [*worths, *([node.estimate] if not is_root and not _is_stale(node, after, graph)
                              else [])]  # fmt: skip
        value = 1.0 if won else 0.0 if lost else max(options, default=0.5)
        costs = [
            1 + (value - worth) / width + priority
            for worth, (_, _, priority) in zip(worths, children, strict=True)
        ]
        if node.move is not None and node.proof is None and not node.pending:
            costs.append(1 + max(0.0, value - node.estimate) / width)
        proven = True if won else False if lost else None
        found[name] = (
            value, proven, math.inf if proven is not None else min(costs, default=math.inf)
        )  # fmt: skip
    return found


def _is_stale(node: Node, after: set[str], graph: BookGraph) -> bool:
    return node.after_drop_out in after & graph.nodes.keys()


def grow(graph: BookGraph, chance: random.Random, steps: int) -> None:
    """Expand a book with random estimates, as a builder does."""

    def estimate(node: Node) -> None:
        cells = sorted(set(node.stones.empty(graph.board)) - graph.moves_in_book(node))
        proof = chance.choice([None, None, None, None, True, False])
        if not cells:
            graph.set_drop_out(node, None, 0.0, proof=False)
        else:
            value = {True: 1.0, False: 0.0}.get(proof, chance.random())  # type: ignore[arg-type]
            graph.set_drop_out(node, chance.choice(cells), value, proof=proof)

    for stones in [*graph.missing_openings()]:
        node = graph.add(stones)
        estimate(node)
        graph.update([node, *node.parents.values()])
    for _ in range(steps):
        chosen = graph.next()
        if chosen is None:
            return
        touched = [chosen]
        if not chosen.is_stale:
            child = graph.add(stones_of(graph.board, chosen.after_drop_out))
            estimate(child)
            touched += [child, *child.parents.values()]
        estimate(chosen)
        graph.update(touched)


@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize(("game", "size"), [("hex", 3), ("y", 3), ("hex", 4)])
def test_values_and_priorities(game: str, size: int, swap: bool) -> None:
    for seed in range(6):
        about = settings(game, size, swap=swap, width=random.Random(seed).choice([0.01, 0.1, 1]))
        graph = BookGraph(about)
        chance = random.Random(seed)
        for _ in range(4):
            grow(graph, chance, 15)
            expected = plain(graph)
            for name, node in graph.nodes.items():
                value, proven, priority = expected[name]
                assert node.proven is proven, name
                assert (node.value, node.priority) == pytest.approx((value, priority)), name


def test_a_graph_read_anew_is_the_same() -> None:
    graph = BookGraph(settings("hex", 4))
    grow(graph, random.Random(3), 80)
    entries = [graph.entry(node) for node in graph.nodes.values()]
    again = BookGraph(graph.settings, random.Random(4).sample(entries, len(entries)))
    assert {e.name: e for e in entries} == {n.name: again.entry(n) for n in again.nodes.values()}
    for name, node in graph.nodes.items():
        assert again.nodes[name].parents.keys() == node.parents.keys()
        assert again.nodes[name].children.keys() == node.children.keys()


def test_the_least_priority_is_expanded_next() -> None:
    """The chosen position is the end of a cheapest path from the root."""
    for seed in range(10):
        graph = BookGraph(settings("hex", 4, width=0.1))
        grow(graph, random.Random(seed), 40)
        chosen = graph.next()
        if chosen is None:
            continue
        costs = {graph.root.name: 0.0}
        for node in sorted(graph.nodes.values(), key=lambda node: node.stones.number):
            if node.name in costs and node.proven is None:
                for child in node.children.values():
                    loss = node.value - graph._worth(node, child)
                    cost = costs[node.name] + 1 + loss / 0.1
                    costs[child.name] = min(cost, costs.get(child.name, math.inf))
        ends = {
            name: cost + 1 + max(0.0, node.value - node.estimate) / 0.1
            for name, cost in costs.items()
            if (node := graph.nodes[name]).move is not None
            and node.proof is None and node.proven is None
        }  # fmt: skip
        assert ends[chosen.name] == pytest.approx(min(ends.values())) == graph.root.priority


def test_width_trades_breadth_for_depth() -> None:
    def deepest(width: float) -> int:
        graph = BookGraph(settings("hex", 5, width=width))
        chance = random.Random(7)

        def estimate(node: Node) -> None:
            cells = sorted(set(node.stones.empty(graph.board)) - graph.moves_in_book(node))
            graph.set_drop_out(node, chance.choice(cells), chance.uniform(0.3, 0.7), proof=None)

        for stones in [*graph.missing_openings()]:
            estimate(graph.add(stones))
        graph.update(graph.nodes.values())
        for _ in range(60):
            chosen = graph.next()
            assert chosen
            child = graph.add(stones_of(graph.board, chosen.after_drop_out))
            estimate(child)
            estimate(chosen)
            graph.update([child, chosen, *child.parents.values()])
        return max(node.stones.number for node in graph.nodes.values())

    assert deepest(0.01) > deepest(10.0)
    assert deepest(10.0) == 2


def test_pending_positions_are_not_chosen_again() -> None:
    graph = BookGraph(settings("hex", 5))
    grow(graph, random.Random(1), 10)
    seen = set()
    while node := graph.next():
        assert node.name not in seen
        seen.add(node.name)
        node.pending = True
        graph.update([node])
    assert len(seen) > 5


def test_impossible_entries_are_refused() -> None:
    for entry in (
        Entry("b /a1", "a1", 0.5, None, 0.5, None),
        Entry("b /zz", "", 0.5, None, 0.5, None),
        Entry("b /a1", "q9", 0.5, None, 0.5, None),
    ):
        with pytest.raises(ValueError, match=r".+"):
            BookGraph(settings("hex", 3), [entry])


def test_expansion_from_a_position() -> None:
    graph = BookGraph(settings("hex", 5))
    grow(graph, random.Random(2), 20)
    start = next(node for node in graph.root.children.values() if not math.isinf(node.priority))
    chosen = graph.next(start)
    assert chosen is not None
    above = {chosen.name}
    for node in sorted(graph.nodes.values(), key=lambda node: -node.stones.number):
        if node.name in above:
            above |= node.parents.keys()
    assert start.name in above
    assert graph.find(Stones()) is graph.root
