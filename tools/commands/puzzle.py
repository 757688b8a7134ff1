"""``trivalent puzzle``: find positions with exactly one winning move, or check existing puzzles."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.player import Stop
from trivalent.bot.players.levels import LEVELS
from trivalent.bot.solver.solved_store import SolvedStore, StoreError, canonical
from trivalent.core.games import DEFAULT_GAME, GAMES, make_board
from trivalent.core.records.formats import write
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common.endings import handling
from trivalent.tools.common.option_values import limit_float, positive_int
from trivalent.tools.common.output_files import (
    STANDARD,
    OutputError,
    database_files,
    file_name,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.puzzles.puzzle_files import (
    PuzzleError,
    read_file,
    read_games,
    read_puzzles,
    shown,
)
from trivalent.tools.puzzles.puzzle_search import PuzzleSolver, backwards, find, self_play
from trivalent.tools.review.review_data import ReviewFileError, proven_turning_points

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from trivalent.core.position import Position
    from trivalent.tools.puzzles.puzzle_files import Claim
    from trivalent.tools.puzzles.puzzle_search import Puzzle

    _Source = tuple[str, Iterable[Position]]
    """The name of a game and its positions, the easiest first."""


_SIZE, _SMALL_SIZE = 6, 3
"""Sizes of boards for self-play."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent puzzle``."""
    _add_review(parser)
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="games to search for puzzles; - reads standard input (default: self-play games)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="check puzzles instead of finding them: each FILE is a game record whose first move "
        "is the solution, or a solver regression test (.tst)",
    )
    parser.add_argument(
        "--count",
        type=positive_int,
        default=10,
        metavar="N",
        help="maximum number of puzzles to find (default: 10)",
    )
    parser.add_argument(
        "--hardest",
        type=positive_int,
        metavar="GRADE",
        default=99,
        help=f"skip puzzles harder than GRADE (1 to {len(LEVELS)}: the lowest level of the player "
        "that finds the move)",
    )
    parser.add_argument(
        "--easiest",
        type=positive_int,
        metavar="GRADE",
        default=1,
        help="skip puzzles easier than GRADE",
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="N",
        help=f"board size of self-play games (default: {_SIZE}, or {_SMALL_SIZE} on boards that "
        "can't be reduced: there the solver knows less)",
    )
    parser.add_argument(
        "--game",
        choices=GAMES,
        default=DEFAULT_GAME,
        help=f"which game self-play uses (default: {DEFAULT_GAME})",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="random seed of self-play games (default: 0)",
    )
    parser.add_argument(
        "--time",
        type=limit_float,
        default=10.0,
        metavar="S",
        help="time limit per position in seconds; 0: none (default: 10)",
    )
    parser.add_argument(
        "--memory",
        type=positive_int,
        default=256,
        metavar="MIB",
        help="size of the solver's transposition table in MiB (default: 256)",
    )
    _add_files(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="use the database of solved positions in FILE, and add to it",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the puzzles to FILE as SGF; - writes them to standard output, and nothing else",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")


def _add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--review",
        action="store_true",
        help="each FILE is a review written by `trivalent review --json`: find puzzles among the "
        "positions before its proven turning points",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent puzzle``; return 1 if a checked puzzle is wrong, or if there are none."""
    if arguments.review and (arguments.check or not arguments.files):
        arguments.fail("--review needs files, and goes without --check")
    try:
        stores = database_files(arguments.store) if arguments.store else []
        require_inputs_kept({"--store": arguments.store}, arguments.files)
        outputs = {"--json": STANDARD if arguments.json else None, "--output": arguments.output}
        require_inputs_kept(outputs, [*arguments.files, *stores])
    except ValueError as error:
        arguments.fail(str(error))
    try:
        with ExitStack() as stack:
            store = None
            if arguments.store:
                store = stack.enter_context(SolvedStore(Path(arguments.store)))
            job = _Job(arguments, store)
            code = job.run()
            if failure := job.solver.store_failure:
                _report(failure)
                code = 1
            return code
    except MemoryError as error:
        _report(f"out of memory: {error}".rstrip(": "))
    except (ValueError, StoreError, OutputError) as error:
        _report(str(error))
    return 1


def _report(sentence: object) -> None:
    sys.stderr.write(f"trivalent puzzle: {sentence}\n")


class _Job:
    """The puzzles to find or to check."""

    def __init__(self, arguments: argparse.Namespace, store: SolvedStore | None) -> None:
        self._arguments = arguments
        self._files: list[str] = arguments.files
        self.solver = PuzzleSolver(arguments.time, arguments.memory, Stop(), store)
        self._is_complete = True

    def run(self) -> int:
        """Find or check puzzles and return the exit code."""
        if self._arguments.check:
            claims = [c for file in self._files for c in read_puzzles(file, self._skip)]
            work = partial(self._check, claims)
        else:
            # Files that can't be read are reported before the work begins.
            sources = [source for file in self._files for source in self._read(file)]
            if self._arguments.review and not sources:
                raise PuzzleError("there is no proven turning point to make a puzzle of")
            work = partial(self._find, sources)
        # Signals stop the work only, so that the puzzles found so far are written.
        stop = self.solver.stop
        with handling(lambda *_: stop.set(), signal.SIGINT, signal.SIGTERM):
            return 0 if work() and self._is_complete else 1

    def _read(self, file: str) -> Iterator[_Source]:
        """Yield names and positions of the games in a file, or of a review's turning points."""
        if self._arguments.review:
            try:
                for name, position in proven_turning_points(read_file(file).decode()):
                    yield name, [position]
            except ReviewFileError as error:
                raise PuzzleError(f"{shown(file)}: {error}") from None
            except UnicodeDecodeError:
                raise PuzzleError(f"{shown(file)}: not UTF-8") from None
            return
        for name, record in read_games(file, self._skip):
            yield name, backwards(record.position(record.root.end()))

    def _skip(self, error: PuzzleError) -> None:
        """Report a game that can't be read."""
        self._is_complete = False
        _report(error)

    def _check(self, claims: list[Claim]) -> bool:
        """Check claims; return whether there are any and all are right."""
        total = {True: 0, False: 0, None: 0}
        for claim in claims:
            right, truth = claim.judge(self.solver.solve(claim.position))
            if self.solver.stop.is_set:
                return False
            total[right] += 1
            word = {True: "right", False: "wrong", None: "unknown"}[right]
            if self._arguments.json:
                line = json.dumps({"puzzle": claim.name, "verdict": word, "truth": truth})
            else:
                line = f"{claim.name}: {word}: {truth}"
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        if not self._arguments.json:
            sys.stdout.write(
                f"{total[True]} right, {total[False]} wrong, {total[None]} not solved in time\n"
            )
        return total[True] == sum(total.values()) > 0

    def _find(self, sources: list[_Source]) -> bool:
        """Print and write puzzles; return whether there are any."""
        arguments = self._arguments
        found: list[Puzzle] = []
        seen = set()
        for puzzle in self._puzzles(sources):
            name, _ = canonical(puzzle.position)
            if name in seen or not arguments.easiest <= puzzle.grade <= arguments.hardest:
                continue
            seen.add(name)
            found.append(puzzle)
            if arguments.output != STANDARD:
                sys.stdout.write(_as_text(puzzle, as_json=arguments.json))
                sys.stdout.flush()
            if len(found) == arguments.count:
                break
        if arguments.output and found:
            write_output(
                arguments.output, "".join(write(puzzle.record(), "sgf") for puzzle in found)
            )
        if not found and not self.solver.stop.is_set:
            _report("no position has exactly one winning move and a grade asked for")
        return bool(found)

    def _puzzles(self, sources: list[_Source]) -> Iterator[Puzzle]:
        for name, positions in sources:
            yield from find(iter(positions), name, self.solver)
        if self._files:
            return
        game = self._arguments.game
        usual = _SIZE if GAMES[game].reduced else _SMALL_SIZE
        board = make_board(game, usual if self._arguments.size is None else self._arguments.size)
        for seed in count(self._arguments.seed):
            game = self_play(board, seed, self.solver.stop)
            if self.solver.stop.is_set:
                return
            yield from find(backwards(game), f"self-play game {seed}", self.solver)


def _as_text(puzzle: Puzzle, *, as_json: bool) -> str:
    position = puzzle.position
    solution = position.board.names[puzzle.solution]
    if as_json:
        record = write(puzzle.record(), "sgf").rstrip()
        values = {
            "source": puzzle.source,
            "grade": puzzle.grade,
            "solution": solution,
            "sgf": record,
        }
        return json.dumps(values) + "\n"
    return f"{draw(position)}\n{puzzle.task} ({puzzle.source})\nsolution: {solution}\n\n"
