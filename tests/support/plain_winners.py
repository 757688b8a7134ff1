"""Who has won on a full board of rings or a sphere, straight from the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE, Aim, Colour

if TYPE_CHECKING:
    from random import Random

    from trivalent.core.board import Board


def chains_of(board: Board, stones: bytes) -> list[set[int]]:
    """Return the chains of both colours."""
    left = set(range(len(board)))
    found = []
    while left:
        chain = [left.pop()]
        for cell in chain:
            for other in board.neighbours[cell]:
                if other in left and stones[other] == stones[cell]:
                    left.remove(other)
                    chain.append(other)
        found.append(set(chain))
    return found


def winners_by_rule(board: Board, stones: bytes, random: Random) -> set[Colour]:
    """Return every colour that has reached its aim on a full board."""
    if board.aim is Aim.SCORE:
        return {star_winner(board, stones, random)}
    won = set()
    for chain in chains_of(board, stones):
        colour = Colour(stones[min(chain)])
        if board.aim is Aim.LOOP:
            reaches = _holds_antipodes(board, chain)
        else:
            reaches = all(chain.intersection(board.sides[s].cells) for s in board.goal(colour))
        if reaches:
            won.add(colour)
    return won


def _holds_antipodes(board: Board, chain: set[int]) -> bool:
    """Whether a chain connects some polygon with its antipode: look at single polygons."""
    for start in chain:
        reached = [(start, False)]
        for cell, opposite in reached:
            for other in chain.intersection(board.neighbours[cell]):
                there = (other, opposite ^ ((cell, other) in board.twisted))
                if there not in reached:
                    reached.append(there)
        if (start, True) in reached:
            return True
    return False


def star_winner(board: Board, stones: bytes, random: Random) -> Colour:
    """Dissolve chains with fewer than two peries, in random order, and count.

    A dissolved chain and all chains that touch it become one chain.
    """
    peries = set(board.sides[0].cells)
    groups = [(Colour(stones[min(chain)]), chain) for chain in chains_of(board, stones)]
    while weak := [one for one in groups if len(one[1] & peries) < 2]:
        colour, cells = random.choice(weak)
        beside = {other for cell in cells for other in board.neighbours[cell]} - cells
        merged = [one for one in groups if one[1] & beside]
        assert all(other is colour.opponent for other, _ in merged)
        groups = [one for one in groups if one not in merged and one[1] != cells]
        groups.append((colour.opponent, cells.union(*(chain for _, chain in merged))))
    points = dict.fromkeys(Colour, 0)
    corners = dict.fromkeys(Colour, 0)
    for colour, cells in groups:
        points[colour] += len(cells & peries) - 4
        corners[colour] += len(cells.intersection(board.corners))
    if points[BLACK] != points[WHITE]:
        return max(Colour, key=points.__getitem__)
    return max(Colour, key=corners.__getitem__)
