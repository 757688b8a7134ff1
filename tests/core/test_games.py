"""The registry of games: every declaration agrees with the boards that it makes."""

from __future__ import annotations

import pytest

from trivalent.core.games import DEFAULT_GAME, GAMES, Game, find_game, make_board
from trivalent.core.records.notation import NOTATIONS

games = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)


def test_names_and_numbers_are_unique() -> None:
    assert [game.name for game in GAMES.values()] == list(GAMES)
    assert len({game.number for game in GAMES.values()}) == len(GAMES)
    assert DEFAULT_GAME in GAMES


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^unknown game 'go' \(known: hex, y, bent-y, star, renkula\)$"
    ):
        find_game("go")


@games
def test_boards_are_those_of_the_game(game: Game) -> None:
    for size in {game.min_size, 2, 5, game.default_size, game.max_size}:
        board = make_board(game.name, size)
        assert (board.game, board.width, board.height) == (game.name, size, size)
        assert game.title in str(board)
        assert (board.framing is not None) == (board.lattice is not None) == game.reduced
        assert (board.layout is None) == game.reduced
    for size in (game.min_size - 1, game.max_size + 1):
        with pytest.raises(ValueError, match=f"must be {game.min_size} to {game.max_size}"):
            make_board(game.name, size)


@games
def test_only_oblong_games_have_oblong_boards(game: Game) -> None:
    if game.oblong:
        board = make_board(game.name, 4, 7)
        assert (board.width, board.height) == (4, 7)
    else:
        with pytest.raises(ValueError, match="one size, not 4 by 7"):
            make_board(game.name, 4, 7)


@games
def test_swap_pieces_moves_the_stone_or_not(game: Game) -> None:
    board = make_board(game.name, 5)
    assert board.swap_map is not None
    assert (board.swap_map != tuple(range(len(board)))) == game.swap_moves_stone


@games
def test_every_game_has_a_notation_of_its_own_name(game: Game) -> None:
    assert NOTATIONS[game.name].game == game.name
