"""The swap: which openings are swapped, compared with exhaustive search, and which are played."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import DATA
from slowness import repeats

from trivalent.bot.player import SWAP, Limits, Stop
from trivalent.bot.players import solved_openings as openings
from trivalent.bot.players.registry import make_player
from trivalent.bot.players.swap import (
    SwappingPlayer,
    after_opening,
    analyse_opening,
    distinct_openings,
)
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import REDUCED_GAMES, hex_board, make_board
from trivalent.core.position import Position
from trivalent.tools.workshop import derive_openings

if TYPE_CHECKING:
    from trivalent.bot.player import Answer, Player

LIMITS = Limits(nodes=20_000)


def wins(board: Board) -> dict[int, bool]:
    """Return for each opening whether it wins for Black, by exhaustive search."""
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


def swapping(player: Player, position: Position) -> SwappingPlayer:
    player.set_position(position)
    return SwappingPlayer(player, position)


def answer_to(board: Board, colour: Colour, cell: int, player: Player | None = None) -> Answer:
    player = player or make_player("mcts", {"memory": "64"})
    position = after_opening(board, colour, cell)
    return swapping(player, position).genmove(colour.opponent, LIMITS, Stop())


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
    """Return the published winning openings, by our names of cells.

    For Y they are cells on one side of a diagonal of a Hex board.
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
            image = min(  # a symmetry of Hex that swaps the colours also swaps the sides
                symmetry.cells[cell]
                for symmetry in board.symmetries
                if symmetry.swaps_colours == (colour is WHITE and game == "hex")
            )
            answer = answer_to(board, colour, cell, player)
            assert (answer is SWAP) == (board.names[image] in won)


@pytest.mark.parametrize(("game", "size"), [("hex", 4), ("hex", 5), ("y", 4), ("y", 5), ("y", 8)])
def test_the_openings_are_derived(game: str, size: int) -> None:
    assert " ".join(derive_openings.winning(game, size)) == openings.WINNING[game, size]


def test_openings_of_other_boards_are_unknown() -> None:
    for board in (hex_board(3, 4), hex_board(11), make_board("y", 11)):
        assert openings.wins(board, 0) is None


@pytest.mark.parametrize("opening", ["b4", "a2"])  # which no symmetry maps to themselves
@pytest.mark.parametrize(("game", "size"), [("hex", 9), ("y", 8)])
def test_symmetric_answers(game: str, size: int, opening: str) -> None:
    board = make_board(game, size)
    cell = board.cell(opening)
    assert len({symmetry.cells[cell] for symmetry in board.symmetries}) == len(board.symmetries)
    player = make_player("mcts", {"memory": "64"})
    answers = set()
    for symmetry in board.symmetries:
        colour = WHITE if symmetry.swaps_colours else BLACK
        position = after_opening(board, colour, symmetry.cells[cell])
        answer = swapping(player, position).genmove(colour.opponent, Limits(nodes=50), Stop())
        answers.add(symmetry.cells.index(answer) if isinstance(answer, int) else answer)
    assert len(answers) == 1


def test_the_wrapped_player_stays_at_the_game() -> None:
    board = hex_board(5)
    player = make_player("uct")
    wrapper = swapping(player, after_opening(board, BLACK, board.cell("a1")))
    assert wrapper.genmove(WHITE, Limits(nodes=2000), Stop()) is not SWAP
    wrapper.play(WHITE, board.cell("c3"))
    answer = wrapper.genmove(BLACK, Limits(nodes=2000), Stop())
    assert answer == player.genmove(BLACK, Limits(nodes=2000), Stop())
    assert wrapper.analysis() is player.analysis()
    wrapper.undo()
    wrapper.undo()


@pytest.mark.parametrize(
    ("game", "size"), [("hex", 3), ("hex", 11), ("y", 4), ("y", 11), ("hex", 63)]
)
def test_openings_are_close_to_even(game: str, size: int) -> None:
    board = make_board(game, size)
    player = make_player("mcts", {"memory": "64"})
    position = Position(board)
    limits = Limits(nodes=repeats(5000, 500) if size < 32 else 200)
    for colour in (BLACK, WHITE):
        wrapper = swapping(player, position)
        cell = wrapper.genmove(colour, limits, Stop())
        assert cell == wrapper.genmove(colour, limits, Stop())
        assert wrapper.analysis().moves == ()
        assert isinstance(cell, int)
        if size == 11:  # neither a corner nor the middle
            after = after_opening(board, colour, cell)
            analysis = analyse_opening(player, after, Limits(nodes=2000), Stop())
            assert 0.2 < analysis.value < 0.8


def test_other_moves_are_the_wrapped_players() -> None:
    """When the last stone is one's own, after two moves, and on boards that have been set up."""
    board = hex_board(4)
    position = Position(board)
    position.play(BLACK, 0)
    moved_twice = position.copy()
    moved_twice.play(WHITE, 1)
    set_up = Position(board)
    set_up.setup(0, BLACK)
    cleared = set_up.copy()
    cleared.setup(0, None)
    player = make_player("mcts", {"memory": "64", "threads": "1"})
    for place, colour in (
        (position, BLACK), (moved_twice, BLACK), (set_up, WHITE), (cleared, WHITE)
    ):  # fmt: skip
        answer = swapping(player, place).genmove(colour, LIMITS, Stop())
        assert isinstance(answer, int)
        assert player.analysis().moves[0].cell == answer


def test_distinct_openings() -> None:
    assert len(distinct_openings(hex_board(11))) == 61
    assert len(distinct_openings(hex_board(3, 5))) == 8
    assert len(distinct_openings(make_board("y", 5))) == 4


def test_the_module_can_be_derived_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["derive_openings", "4", "4"])
    derive_openings.main()
    kept = Path(openings.__file__).read_text("utf-8").splitlines()
    derived = capsys.readouterr().out.splitlines()
    assert len(derived) > 20
    assert all(line in kept for line in derived)
    # For larger boards, which take long to solve, this only tests how the results are written.
    largest = [max(size for game, size in openings.WINNING if game == one) for one in REDUCED_GAMES]
    monkeypatch.setattr(sys, "argv", ["derive_openings", *map(str, largest)])
    monkeypatch.setattr(
        derive_openings, "winning", lambda game, size: openings.WINNING[game, size].split()
    )
    derive_openings.main()
    assert capsys.readouterr().out.splitlines() == kept
