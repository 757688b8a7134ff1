"""``trivalent swapmap``: a map of the openings that should be swapped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players import solved_openings
from trivalent.bot.players.registry import make_player
from trivalent.bot.players.swap import after_opening, analyse_opening, distinct_openings
from trivalent.core import VERSION
from trivalent.core.board import BLACK
from trivalent.core.games import DEFAULT_GAME, GAMES, make_board
from trivalent.gtp.engine.diagram import draw_texts
from trivalent.tools.common.option_values import positive_int

if TYPE_CHECKING:
    import argparse

    from trivalent.bot.player import Analysis
    from trivalent.core.board import Board

NODES = 20_000
"""Default number of positions evaluated per opening."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent swapmap``."""
    parser.add_argument("size", type=int, metavar="SIZE", help="board size")
    parser.add_argument(
        "--game", choices=GAMES, default=DEFAULT_GAME, help=f"the game (default: {DEFAULT_GAME})"
    )
    parser.add_argument(
        "--nodes",
        type=positive_int,
        default=NODES,
        metavar="N",
        help=f"number of positions evaluated per opening (default: {NODES})",
    )
    parser.add_argument("--seed", default="0", metavar="N", help="random seed (default: 0)")


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent swapmap`` and return the exit code."""
    try:
        board = make_board(arguments.game, arguments.size)
        player = make_player("mcts", {"seed": arguments.seed})
    except ValueError as error:
        arguments.fail(str(error))
    texts = {}
    distinct = distinct_openings(board)
    for number, cell in enumerate(distinct, 1):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{number}/{len(distinct)} ")
        known = solved_openings.wins(board, cell)
        if known is not None:
            texts[cell] = "W" if known else "L"
            continue
        position = after_opening(board, BLACK, cell)
        limits = Limits(nodes=arguments.nodes)
        texts[cell] = _evaluation(analyse_opening(player, position, limits, Stop()))
    if sys.stderr.isatty():
        sys.stderr.write("\r")
    sys.stdout.write(
        f"{board}, Trivalent {VERSION}, {arguments.nodes} positions per opening, seed "
        f"{arguments.seed}\n"
        "Black's chance to win in percent; W and L are proven wins and losses; swap above 50\n"
        f"{draw_texts(board, _on_all_cells(board, texts))}\n"
    )
    return 0


def _evaluation(answer: Analysis) -> str:
    """Return Black's chance to win as text, from the analysis of White's reply."""
    best = answer.moves[0]
    if best.proven is not None:
        return "L" if best.proven else "W"
    return f"{round(100 * (1 - best.value))}"


def _on_all_cells(board: Board, texts: dict[int, str]) -> list[str]:
    """Spread the texts of the distinct openings to all cells by symmetry."""
    everywhere = [""] * len(board)
    for symmetry in board.symmetries:
        if not symmetry.swaps_colours:
            for cell, text in texts.items():
                everywhere[symmetry.cells[cell]] = text
    return everywhere
