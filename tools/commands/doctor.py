"""``trivalent doctor``: check this installation and describe the machine, for bug reports."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from trivalent.bot.evaluation.network_opinion import NO_NETWORK, describe_network, load_network
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core import VERSION, _isa
from trivalent.core._random import Random
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.renkula import renkula_board
from trivalent.core.boards.star import star_board
from trivalent.core.connection.win_test import METHODS, winners
from trivalent.core.games import GAMES, REDUCED_GAMES, hex_board, y_board
from trivalent.core.processors import usable_cores
from trivalent.tools.common.machine import cpu_model, missing_facilities, missing_packages
from trivalent.tools.common.search_signature import EXPECTED, described, search_signature

if TYPE_CHECKING:
    import argparse

_BOARDS = 200
"""Number of random boards of each size that the kernels are tested on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent doctor``: none."""
    parser.epilog = (
        "exit codes: 0 the kernels give correct results and the search gives the expected ones "
        "(its signature is a checksum of a few searches); 1 they don't: please report the output"
    )


def main(arguments: argparse.Namespace) -> int:
    """Print the report; return 1 if a kernel or the search gives wrong results."""
    wrong = faulty_kernels()
    signature = search_signature()
    forced = os.environ.get("TRIVALENT_ISA")
    lines = {
        "trivalent": VERSION,
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "processor": f"{cpu_model()}, {usable_cores()} usable cores",
        "instruction set": f"{_isa.chosen()}{' (forced by TRIVALENT_ISA)' if forced else ''}",
        "available": ", ".join(_isa.available()),
        "packages": ", ".join(_package(name) for name in ("numpy", "rich")),
        "kernels": f"WRONG RESULTS from {', '.join(wrong)}" if wrong else "correct results",
        "search signature": described(signature),
    }
    for game in REDUCED_GAMES:
        lines[f"network ({GAMES[game].title})"] = _network(game)
    rows = list(lines.items())
    rows += [("not installed", package) for package in missing_packages()]
    rows += [("missing", facility) for facility in missing_facilities()]
    for what, value in rows:
        sys.stdout.write(f"{what + ':':18}{value}\n")
    return 1 if wrong or signature != EXPECTED else 0


def faulty_kernels() -> list[str]:
    """Return the connection tests that disagree with union-find on random boards."""
    random = Random(1)
    wrong = set()
    for board in (hex_board(11), hex_board(19), hex_board(25), y_board(11), y_board(40)):
        stones = bytes(1 + random.below(2) for _ in range(_BOARDS * len(board)))
        expected = winners(board, stones, "wqhuf")
        wrong |= {method for method in METHODS if winners(board, stones, method) != expected}
    for board in (bent_y_board(5), star_board(6), renkula_board(4)):
        stones = bytes(1 + random.below(2) for _ in range(_BOARDS * len(board)))
        if winners(board, stones, "flood-sliced") != winners(board, stones, "chains"):
            wrong.add("flood-sliced")
    return sorted(wrong)


def _network(game: str) -> str:
    """Return which network plays a game unless the user names another."""
    network = load_network(MctsParameters().net, game)
    return describe_network(network) if network else NO_NETWORK


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} (missing)"
