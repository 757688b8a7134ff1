"""Ladders in a line of play: an attacker runs along a side, the defender runs below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.core.position import Position

MIN_STONES = 3
"""Stones of each player that make a ladder."""


def describe_ladder(position: Position, line: Sequence[int]) -> str:
    """Return a sentence about the longest ladder in a line of play, or an empty string.

    In a ladder each stone of the attacker is beside the one before it, on one row from a side, and
    so is each stone of the defender on a row nearer to it.
    """
    board = position.board
    longest: tuple[int, int, int, int] = (0, 0, 0, 0)
    for side in range(len(board.sides)):
        rows = _rows(board, side)
        for begin in range(len(line)):
            length = _length(board, rows, line[begin:])
            if length > longest[0]:
                longest = length, begin, side, rows[line[begin]]
    stones, begin, side, row = longest
    if stones < MIN_STONES:
        return ""
    attacker = position.to_play if begin % 2 == 0 else position.to_play.opponent
    first, last = board.names[line[begin]], board.names[line[begin + 2 * stones - 2]]
    name = {"top": "north", "bottom": "south", "left": "west", "right": "east"}
    return (
        f"{attacker} runs a ladder on row {row} along {name[board.sides[side].name]}, from {first} "
        f"to {last}"
    )


def _length(board: Board, rows: Sequence[int], line: Sequence[int]) -> int:
    """Return how many stones of each player a line begins with that form a ladder."""
    attack, defence = line[0::2], line[1::2]
    stones = 0
    for number, (above, below) in enumerate(zip(attack, defence, strict=False)):
        level = (rows[attack[0]], rows[defence[0]])
        if (rows[above], rows[below]) != level or level[1] != level[0] - 1:
            break
        if number and not (
            above in board.neighbours[attack[number - 1]]
            and below in board.neighbours[defence[number - 1]]
        ):
            break
        stones += 1
    return stones


def _rows(board: Board, side: int) -> list[int]:
    """Return the row of each cell counted from a side, 1 at the side."""
    rows = [0] * len(board)
    reached, row = set(board.sides[side].cells), 1
    while reached:
        for cell in reached:
            rows[cell] = row
        reached = {other for cell in reached for other in board.neighbours[cell] if not rows[other]}
        row += 1
    return rows
