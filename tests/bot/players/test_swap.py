"""The swap: who swaps what, against exhaustive search, and which openings are made."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import DATA

from trivalent.bot.player import SWAP, Limits, Stop
from trivalent.bot.players import solved_openings as openings
from trivalent.bot.players import swap
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK, WHITE, Board, Colour, hex_board
from trivalent.core.games import GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.workshop import derive_openings

if TYPE_CHECKING:
    from trivalent.bot.player import Answer, Player

LIMITS = Limits(nodes=20_000)


def wins(board: Board) -> dict[int, bool]:
    """Return for each opening by Black whether Black wins after it, by exhaustive search."""
    position = Position(board)

    @cache
    def mover_wins(stones: bytes, to_play: Colour) -> bool:
        found = False
        for cell, content in enumerate(stones):
            if content:
                continue
            position.play(to_play, cell)
            found = position.winner is to_play or not mover_wins(position.stones, to_play.opponent)
            position.undo()
            if found:
                break
        return found

    results = {}
    for cell in range(len(board)):
        position.play(BLACK, cell)
        results[cell] = position.winner is BLACK or not mover_wins(position.stones, WHITE)
        position.undo()
    return results


def answer_to(board: Board, colour: Colour, cell: int, player: Player | None = None) -> Answer:
    player = player or make_player("mcts", {"memory": "64"})
    position = swap.after(board, colour, cell)
    player.set_position(position)
    assert swap.matters(position, colour.opponent)
    return swap.decide(player, position, colour.opponent, LIMITS, Stop())


@pytest.mark.parametrize(
    ("game", "width", "height"),
    [("hex", 1, 1), ("hex", 2, 2), ("hex", 3, 3), ("hex", 3, 4), ("y", 1, 1), ("y", 2, 2),
     ("y", 3, 3), ("y", 4, 4)],
)  # fmt: skip
def test_swaps_what_wins(game: str, width: int, height: int) -> None:
    board = make_board(game, width, height)
    player = make_player("mcts", {"memory": "64"})
    for cell, won in wins(board).items():
        assert (answer_to(board, BLACK, cell, player) is SWAP) == won, board.names[cell]


def recorded(game: str, size: int) -> set[str]:
    """Return the openings that win, in our names, as others have found out.

    Of Y the record has the cells of a Hex board on one side of a diagonal.
    """
    lines = (DATA / f"solved_openings_{game}.tsv").read_text("utf-8").splitlines()
    (names,) = (line.split("\t")[1].split() for line in lines if line.startswith(f"{size}\t"))
    if game == "hex":
        return set(names)
    columns = {(ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in names}
    return {f"{chr(ord('a') + column + row - size + 1)}{row + 1}" for column, row in columns}


@pytest.mark.parametrize(
    ("game", "size"), [*(("hex", size) for size in range(2, 9)), *(("y", n) for n in range(2, 7))]
)
def test_solved_openings(game: str, size: int) -> None:
    board = make_board(game, size)
    won = {name for cell, name in enumerate(board.names) if openings.wins(board, cell)}
    assert won == recorded(game, size)
    player = make_player("random")
    for cell in range(len(board)):
        for colour in (BLACK, WHITE):
            image = min(  # of Hex boards those that swap the colours swap the sides
                symmetry.cells[cell]
                for symmetry in board.symmetries
                if symmetry.swaps_colours == (colour is WHITE and game == "hex")
            )
            answer = answer_to(board, colour, cell, player)
            assert (answer is SWAP) == (board.names[image] in won)


@pytest.mark.parametrize(("game", "size"), [("hex", 4), ("hex", 5), ("y", 4), ("y", 5)])
def test_the_openings_are_derived(game: str, size: int) -> None:
    assert " ".join(derive_openings.winning(game, size)) == openings.WINNING[game, size]


def test_openings_of_other_boards_are_unknown() -> None:
    for board in (hex_board(3, 4), hex_board(11), make_board("y", 11)):
        assert openings.wins(board, 0) is None


@pytest.mark.parametrize("opening", ["b4", "a2"])  # which no symmetry leaves where they are
@pytest.mark.parametrize(("game", "size"), [("hex", 9), ("y", 8)])
def test_symmetric_answers(game: str, size: int, opening: str) -> None:
    board = make_board(game, size)
    cell = board.cell(opening)
    assert len({symmetry.cells[cell] for symmetry in board.symmetries}) == len(board.symmetries)
    player = make_player("mcts", {"memory": "64"})
    answers = set()
    for symmetry in board.symmetries:
        colour = WHITE if symmetry.swaps_colours else BLACK
        position = swap.after(board, colour, symmetry.cells[cell])
        answer = swap.decide(player, position, colour.opponent, Limits(nodes=50), Stop())
        answers.add(symmetry.cells.index(answer) if isinstance(answer, int) else answer)
    assert len(answers) == 1


def test_a_player_stays_at_the_game() -> None:
    player = make_player("uct")
    board = hex_board(5)
    position = swap.after(board, BLACK, board.cell("a1"))
    player.set_position(position)
    assert swap.decide(player, position, WHITE, Limits(nodes=2000), Stop()) is not SWAP
    player.play(WHITE, board.cell("c3"))
    player.undo()
    player.undo()


@pytest.mark.parametrize(
    ("game", "size"), [("hex", 3), ("hex", 11), ("y", 4), ("y", 11), ("hex", 63)]
)
def test_openings(game: str, size: int) -> None:
    board = make_board(game, size)
    player = make_player("mcts", {"memory": "64"})
    position = Position(board)
    for colour in (BLACK, WHITE):
        assert swap.matters(position, colour)
        cell = swap.decide(player, position, colour, Limits(nodes=5000), Stop())
        assert cell == swap.decide(player, position, colour, Limits(nodes=5000), Stop())
        assert isinstance(cell, int)
        if size == 11:  # neither a corner nor the middle
            after = swap.after(board, colour, cell)
            assert 0.2 < swap.value(player, after, Limits(nodes=2000), Stop()) < 0.8


def test_where_it_matters() -> None:
    board = hex_board(4)
    position = Position(board)
    position.play(BLACK, 0)
    assert not swap.matters(position, BLACK)  # nobody swaps a stone of their own
    position.play(WHITE, 1)
    assert not swap.matters(position, BLACK)
    position = Position(board)
    position.setup(0, BLACK)
    assert not swap.matters(position, WHITE)  # set up, not played
    position.setup(0, None)
    assert not swap.matters(position, WHITE)


def test_distinct_openings() -> None:
    assert len(swap.distinct_openings(hex_board(11))) == 61
    assert len(swap.distinct_openings(hex_board(3, 5))) == 8
    assert len(swap.distinct_openings(make_board("y", 5))) == 4


def test_the_module_is_what_is_derived(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["derive_openings", "4", "4"])
    derive_openings.main()
    kept = Path(openings.__file__).read_text("utf-8").splitlines()
    derived = capsys.readouterr().out.splitlines()
    assert len(derived) > 20
    assert all(line in kept for line in derived)
    # Of the larger boards the results are known, and only how they are written is derived.
    largest = [max(size for game, size in openings.WINNING if game == one) for one in GAMES]
    monkeypatch.setattr(sys, "argv", ["derive_openings", *map(str, largest)])
    monkeypatch.setattr(
        derive_openings, "winning", lambda game, size: openings.WINNING[game, size].split()
    )
    derive_openings.main()
    assert capsys.readouterr().out.splitlines() == kept
