"""``trivalent train``: train a network by self-play."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.bot.evaluation.network_file import NetworkFileError
from trivalent.core.games import DEFAULT_GAME, REDUCED_GAMES
from trivalent.core.processors import usable_cores
from trivalent.tools.commands import tournament
from trivalent.tools.common.option_values import integer, positive_float, positive_int
from trivalent.tools.common.output_files import file_path
from trivalent.tools.common.progress_display import ProgressDisplay
from trivalent.tools.training.gate import GateError
from trivalent.tools.training.processes import HelperError
from trivalent.tools.training.training_folder import (
    MAX_SIZE,
    MIN_SIZE,
    FolderError,
    Settings,
    TrainingFolder,
)
from trivalent.tools.training.training_loop import TrainingLoop

if TYPE_CHECKING:
    from collections.abc import Iterable

CATCHES_INTERRUPTS = True

_SETTINGS = {
    "sizes": "board sizes, such as 7, or 5-13, or 9,11,13",
    "channels": "channels of the network: a multiple of 16 up to 128",
    "blocks": "residual blocks of the network, two convolutions each",
    "planes": "inputs of the network, separated by commas",
    "nodes": "nodes of a full search in self-play",
    "positions": "number of self-play positions per generation",
    "passes": "how often training sees each new position on average",
    "batch": "positions in a minibatch",
    "rate": "peak learning rate",
    "pairs": "game pairs in which a new network meets the best one; 0 only compares bare policies",
    "gate_nodes": "nodes per move in these games",
    "save": "seconds between writes of positions and checkpoints: the most work lost if the run "
    "is killed",
    "seed": "random seed of the initial weights and of training",
}
"""The settings of a folder that have an option, with their help texts."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent train``."""
    parser.add_argument(
        "--game",
        choices=REDUCED_GAMES,
        default=DEFAULT_GAME,
        help=f"the game (default: {DEFAULT_GAME})",
    )
    parser.add_argument(
        "--folder",
        type=file_path,
        required=True,
        metavar="F",
        help="the folder of the run, created if it doesn't exist; an interrupted run is continued",
    )
    parser.add_argument(
        "--hours", type=positive_float, metavar="H", help="stop after this time (default: never)"
    )
    parser.add_argument(
        "--generations",
        type=positive_int,
        metavar="N",
        help="stop when the run has this many generations (default: never)",
    )
    parser.add_argument(
        "--threads",
        type=integer(1, 256),
        default=usable_cores(),
        metavar="N",
        help="number of self-play processes and of training threads (default: one per core)",
    )
    parser.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="NET",
        help="network to start from, which may have fewer channels and blocks than --channels and "
        "--blocks, and may lack some of --planes: it grows without playing differently",
    )
    group = parser.add_argument_group(
        "settings", "These are stored in the folder and stay fixed for the whole run."
    )
    defaults = Settings(game=DEFAULT_GAME)
    parsers: dict[str, Any] = {
        "sizes": _sizes,
        "pairs": integer(0, 100_000),
        "planes": lambda text: tuple(text.split(",")),
    }
    for name, meaning in _SETTINGS.items():
        default = getattr(defaults, name)
        kind = positive_float if isinstance(default, float) else positive_int
        shown = f"{MIN_SIZE + 2}-{max(default)}" if name == "sizes" else default
        if name == "planes":
            shown = ",".join(default)
        group.add_argument(
            f"--{name.replace('_', '-')}",
            type=parsers.get(name, kind),
            metavar="N",
            help=f"{meaning} (default: {shown})",
        )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent train`` and return the exit code."""
    if importlib.util.find_spec("torch") is None:
        sys.stderr.write("trivalent train: PyTorch is missing: pip install 'trivalent[train]'\n")
        return 1
    end = None if arguments.hours is None else time.monotonic() + 3600 * arguments.hours
    given = {name: getattr(arguments, name) for name in _SETTINGS}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        folder = TrainingFolder.create_or_open(
            arguments.folder, arguments.game, given, arguments.start
        )
    except (FolderError, NetworkFileError) as error:
        arguments.fail(str(error))
    display = ProgressDisplay()
    loop = TrainingLoop(folder, display, tournament.play, arguments.threads, end)
    try:
        if not loop.run(arguments.generations):
            display.say("the time is over; the same command goes on")
    except KeyboardInterrupt:
        display.say("interrupted; the same command goes on")
        return 130
    except GateError as error:
        code: int = error.args[0]
        return code
    except (FolderError, HelperError) as error:
        sys.stderr.write(f"trivalent train: {error}\n")
        return 1
    finally:
        folder.close()
    return 0


def _sizes(text: str) -> tuple[int, ...]:
    """Parse sizes such as ``5-9,11``."""
    found: set[int] = set()
    try:
        for part in text.split(","):
            low, _, high = part.partition("-")
            found |= set(_range(int(low), int(high or low)))
    except ValueError:
        found = set()
    if not found or min(found) < MIN_SIZE or max(found) > MAX_SIZE:
        raise argparse.ArgumentTypeError(
            f"must be sizes from {MIN_SIZE} to {MAX_SIZE}, such as 7 or 5-13 or 9,11, not {text!r}"
        )
    return tuple(sorted(found))


def _range(low: int, high: int) -> Iterable[int]:
    return range(low, min(high, MAX_SIZE + 1) + 1)
