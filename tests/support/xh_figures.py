"""Connections that XH-search finds and H-search doesn't, after the figures of the paper.

Henderson, Arneson and Hayward: Hex, Braids, the Crossing Rule, and XH-search.  The figures are
rebuilt from their captions and the text, and may differ from the originals in stones that don't
matter.  Black, X, owns the connection and the upper and lower sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.games import hex_board

if TYPE_CHECKING:
    from trivalent.core.board import Board


class Figure(NamedTuple):
    """A position of Hex and a connection in it."""

    name: str
    rule: str
    """``crossing`` or ``strong``: the weaker crossing rule that suffices."""
    ends: tuple[str, str]
    """A cell of each chain; ``south`` is the lower side."""
    picture: str
    """Stones are X and O.  Cells of the carrier are ``*``; ``k`` marks those that begin a semi,
    ``#`` the one that all semis found by H-search need for a full.
    """

    @property
    def rows(self) -> list[str]:
        return [row.replace(" ", "") for row in self.picture.strip().splitlines()]

    @property
    def board(self) -> Board:
        return hex_board(len(self.rows[0]), len(self.rows))

    @property
    def stones(self) -> bytes:
        return bytes({"X": 1, "O": 2}.get(mark, 0) for row in self.rows for mark in row)

    @property
    def full(self) -> bool:
        return "k" not in self.picture

    def cells(self, marks: str) -> int:
        """The cells with one of these marks, as bits."""
        every = "".join(self.rows)
        return sum(1 << cell for cell, mark in enumerate(every) if mark in marks)


FIGURES = [
    # The braid: x = c3 is bridged to a, by c2 and d2, and y = e3 to b, by d4 and e4.  After x, if
    # the opponent takes 1 = b4, then y, and then 2 = d3 or 3 = e2.  All semis of fewer cells are
    # found by H-search, if the cells are connected without a hole and each end touches them in one
    # place.
    Figure(
        "2: the braid",
        "crossing",
        ("d1", "b5"),
        """
        O O O X X O
         O O * * * O
          O O k * k O
           O * O * * O
            O X X X O O
        """,
    ),
    Figure(
        "5: under two stones on the fourth row",
        "crossing",
        ("c2", "south"),
        """
        O O O O
         O O X X
          O * * *
           O k * k
            * . * *
        """,
    ),
    Figure(
        "5: with a stone on the third row",
        "crossing",
        ("d2", "south"),
        """
        O O O O O O
         O O O X * O
          O O * * k *
           O k * X * *
            * * . O * *
        """,
    ),
    Figure(
        "7: the strong rule",
        "strong",
        ("c2", "south"),
        """
        O O O O O O
         O O X X * O
          O * . * * *
           O k * * * *
            * * * O * *
        """,
    ),
    # Known as template IV-2-a.
    Figure(
        "8: two stones on the fourth row",
        "crossing",
        ("c2", "south"),
        """
        O O O O
         O O X X
          O * * *
           O * * *
            * # * *
        """,
    ),
    Figure(
        "8: a stone on the fourth and one on the second row",
        "crossing",
        ("d2", "south"),
        """
        O O O O O O
         O O O X * O
          O O * * * *
           O * * X * *
            * * # O * *
        """,
    ),
    Figure(
        "8: two stones on the fourth row, by the strong rule",
        "strong",
        ("c2", "south"),
        """
        O O O O O O
         O O X X * O
          O * # * * *
           O * * * * *
            * * * O * *
        """,
    ),
    Figure(
        "8: a stone on the fourth and one on the third row",
        "strong",
        ("e2", "south"),
        """
        O O O O O O
         O O * * X O
          O X * # * O
           * * * * * O
            * * * * * O
        """,
    ),
    Figure(
        "8: a stone on the fourth and one on the second row, by the strong rule",
        "strong",
        ("e2", "south"),
        """
        O O O O O O
         O O O O X *
          O O * * * *
           O X # * * *
            * * * O * *
        """,
    ),
    Figure(
        "9: between stones",
        "strong",
        ("d2", "south"),
        """
        O O O O O O
         O O * X * O
          O X O # X O
           X * * * O O
            * * * * O O
        """,
    ),
    Figure(
        "9: between more stones",
        "strong",
        ("c2", "south"),
        """
        O O O O O O
         O O X * X O
          O * # O X *
           O * * * * X
            * * * O * O
        """,
    ),
    Figure(
        "9: the missing semi of the former",
        "strong",
        ("c2", "south"),
        """
        O O O O O O
         O O X * X O
          O * . O X *
           O k * * * X
            * * * O * O
        """,
    ),
    # From a game of two engines; there, H-search finds a full of more cells.
    Figure(
        "9: from a game",
        "crossing",
        ("d2", "south"),
        """
        O O O O O O
         O O * X O O
          O X * * X O
           O * * * O O
            * # * * O O
        """,
    ),
]
