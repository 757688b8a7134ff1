"""``trivalent puzzle``: find positions with exactly one winning move, or check existing puzzles."""

from __future__ import annotations

import json
import signal
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.player import Stop
from trivalent.bot.players.mcts_parameters import LEVELS
from trivalent.bot.solver.solved_store import canonical
from trivalent.core.files import write_file
from trivalent.core.games import DEFAULT_GAME, REDUCED_GAMES, make_board
from trivalent.core.records.formats import write
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common.option_values import positive_float, positive_int
from trivalent.tools.puzzles.puzzle_files import PuzzleError, read_games, read_puzzles
from trivalent.tools.puzzles.puzzle_search import PuzzleSolver, backwards, find, self_play

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from trivalent.tools.puzzles.puzzle_search import Puzzle


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent puzzle``."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="games to search for puzzles (default: self-play games)",
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
        default=6,
        metavar="N",
        help="board size of self-play games (default: 6)",
    )
    parser.add_argument(
        "--game",
        choices=REDUCED_GAMES,
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
        type=positive_float,
        default=10.0,
        metavar="S",
        help="time limit per position in seconds (default: 10)",
    )
    parser.add_argument(
        "--memory",
        type=positive_int,
        default=256,
        metavar="MIB",
        help="size of the solver's transposition table in MiB (default: 256)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the puzzles to FILE as SGF")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent puzzle``; return 1 if a checked puzzle is wrong, or if there are none."""
    stop = Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: stop.set())
    try:
        solver = PuzzleSolver(arguments.time, arguments.memory, stop)
        if arguments.check:
            return _check(arguments, solver)
        return _find(arguments, solver)
    except MemoryError as error:
        sys.stderr.write(f"trivalent puzzle: out of memory: {error}".rstrip(": ") + "\n")
    except (PuzzleError, ValueError, OSError) as error:
        sys.stderr.write(f"trivalent puzzle: {error}\n")
    return 1


def _check(arguments: argparse.Namespace, solver: PuzzleSolver) -> int:
    total = {True: 0, False: 0, None: 0}
    for file in arguments.files:
        for claim in read_puzzles(Path(file)):
            right, truth = claim.judge(solver.solve(claim.position))
            if solver.stop.is_set:
                return 1
            total[right] += 1
            word = {True: "right", False: "wrong", None: "unknown"}[right]
            if arguments.json:
                line = json.dumps({"puzzle": claim.name, "verdict": word, "truth": truth})
            else:
                line = f"{claim.name}: {word}: {truth}"
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    if not arguments.json:
        sys.stdout.write(
            f"{total[True]} right, {total[False]} wrong, {total[None]} not solved in time\n"
        )
    return 0 if total[True] == sum(total.values()) > 0 else 1


def _find(arguments: argparse.Namespace, solver: PuzzleSolver) -> int:
    found: list[Puzzle] = []
    seen = set()
    for puzzle in _puzzles(arguments, solver):
        name, _ = canonical(puzzle.position)
        if name in seen or not arguments.easiest <= puzzle.grade <= arguments.hardest:
            continue
        seen.add(name)
        found.append(puzzle)
        sys.stdout.write(_as_text(puzzle, as_json=arguments.json))
        sys.stdout.flush()
        if len(found) == arguments.count:
            break
    if arguments.output and found:
        text = "".join(write(puzzle.record(), "sgf") for puzzle in found)
        write_file(Path(arguments.output), lambda file: file.write_text(text, encoding="utf-8"))
    return 0 if found else 1


def _puzzles(arguments: argparse.Namespace, solver: PuzzleSolver) -> Iterator[Puzzle]:
    for file in arguments.files:
        for number, record in enumerate(read_games(Path(file)), 1):
            game = record.position(record.root.end())
            yield from find(backwards(game), f"{file}:{number}", solver)
    if arguments.files:
        return
    board = make_board(arguments.game, arguments.size)
    for seed in count(arguments.seed):
        if solver.stop.is_set:
            return
        yield from find(backwards(self_play(board, seed)), f"self-play game {seed}", solver)


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
