"""``trivalent solve``: determine who wins a position with perfect play, and prove it."""

from __future__ import annotations

import json
import signal
import sys
import time
from contextlib import ExitStack
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.bot.player import Stop
from trivalent.bot.solver.prover import Unproven, prove
from trivalent.bot.solver.solved_store import Solved, SolvedStore, StoreError
from trivalent.bot.solver.solver import SolveLimits, Solver, SolveWatch
from trivalent.bot.solver.stored_solver import StoredSolver, make_solver
from trivalent.core.board import BLACK, WHITE
from trivalent.gtp.engine.diagram import draw_texts
from trivalent.tools.commands.verify import check
from trivalent.tools.common import record_source
from trivalent.tools.common.console import PipedConsole
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
from trivalent.tools.solving import ClusterError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from trivalent.bot.solver.proof import Proof
    from trivalent.bot.solver.solver import Progress, Solution
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position
    from trivalent.tools.solving.cluster_solver import ClusterSolver

_COLOURS = {str(colour): colour for colour in (BLACK, WHITE)}
_REPORT_INTERVAL = 0.2
"""Seconds between two progress reports, and between two checks for signals."""


class Exit(IntEnum):
    """Exit codes."""

    SOLVED = 0
    FAILED = 1
    UNSOLVED = 3
    """The time ran out, or the user interrupted, before everything asked for was known."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent solve``."""
    parser.epilog = (
        "exit codes: 0 everything asked for is solved; 1 failure; 2 error on the command line; 3 "
        "stopped with something still unsolved"
    )
    record_source.add_arguments(parser)
    parser.add_argument(
        "--to-play", choices=_COLOURS, help="side to move (default: as in the game)"
    )
    parser.add_argument(
        "--all-winning", action="store_true", help="determine for every move whether it wins"
    )
    parser.add_argument(
        "--proof",
        metavar="FILE",
        help="write a proof for `trivalent verify` to FILE; - writes it to standard output and the "
        "result to standard error",
    )
    parser.add_argument(
        "--time",
        type=limit_float,
        default=0.0,
        metavar="S",
        help="time limit in seconds; 0 (default): none",
    )
    parser.add_argument(
        "--memory",
        type=positive_int,
        default=256,
        metavar="MIB",
        help="size of the solver's transposition table in MiB (default: 256)",
    )
    parser.add_argument(
        "--threads",
        type=positive_int,
        default=1,
        metavar="N",
        help="number of threads (default: 1)",
    )
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="use the database of solved positions in FILE, and add to it",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="let the workers of a Dask cluster search; ADDRESS is that of its scheduler",
    )
    parser.add_argument("--json", action="store_true", help="print the result as a JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Solve a position, print what is known at the end, and return the exit code."""
    job = None
    if arguments.cluster and arguments.proof:
        arguments.fail("--proof needs the solver's table: not with --cluster")
    stores = database_files(arguments.store) if arguments.store else []
    try:
        require_inputs_kept({"--store": arguments.store}, [arguments.source])
        outputs = {"--json": STANDARD if arguments.json else None, "--proof": arguments.proof}
        require_inputs_kept(outputs, [arguments.source, *stores])
    except ValueError as error:
        arguments.fail(str(error))
    try:
        reading, _ = record_source.read_game(arguments)
        position = reading.record.position()
        if arguments.to_play:
            position.to_play = _COLOURS[arguments.to_play]
        with ExitStack() as stack:
            store = None
            if arguments.store:
                store = stack.enter_context(SolvedStore(Path(arguments.store)))
            solver: Solver | ClusterSolver
            if arguments.cluster:
                solver = stack.enter_context(_cluster_solver(arguments, position.board, store))
            else:
                solver = make_solver(
                    position.board, store, memory=arguments.memory, threads=arguments.threads
                )
            job = _Job(arguments, position, store, solver)
            # Partial results are printed, so signals stop the search only.
            stack.enter_context(handling(lambda *_: job.stop.set(), signal.SIGINT, signal.SIGTERM))
            job.run()
    except ClusterError as error:
        _report(str(error))
    except MemoryError as error:
        _report(f"out of memory: {error}".rstrip(": "))
    except (ValueError, StoreError) as error:
        _report(str(error))
    else:
        stream = sys.stderr if arguments.proof == STANDARD else sys.stdout
        stream.write(job.as_json() if arguments.json else job.as_text())
        return job.exit_code
    return Exit.FAILED


def _cluster_solver(
    arguments: argparse.Namespace, board: Board, store: SolvedStore | None
) -> ClusterSolver:
    """Connect to a cluster.  Raise ClusterError if that fails."""
    try:
        from trivalent.tools.solving.cluster_solver import ClusterSolver
    except ImportError as error:
        raise ClusterError(f"--cluster needs pip install 'trivalent[cluster]': {error}") from None
    return ClusterSolver(board, arguments.cluster, store, memory=arguments.memory)


def _report(sentence: str) -> None:
    sys.stderr.write(f"trivalent solve: {sentence}\n")


class _Job:
    """A position to solve, the requested results, and what is known so far."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        position: Position,
        store: SolvedStore | None,
        solver: Solver | ClusterSolver,
    ) -> None:
        if arguments.proof:
            record_source.require_reduced(position.board, "proofs")
        self.arguments = arguments
        self.position = position
        self.store = store
        self.stop = Stop()
        self.began = time.monotonic()
        self.work = 0
        self.winner: Colour | None = None
        self.variation: tuple[int, ...] = ()
        self.from_store = False
        self.moves: dict[int, bool | None] = {}
        self.proof: Proof | None = None
        self.exit_code = Exit.SOLVED
        self.solver = solver
        self.console = PipedConsole(stderr=True, highlight=False)
        self.status = self.console.status("")

    def run(self) -> None:
        with ExitStack() as stack:
            if self.console.is_terminal and not self.arguments.json:
                stack.enter_context(self.status)
            self.find_winner()
            if self.arguments.all_winning and self.position.winner is None:
                self.decide_moves()
            if self.arguments.proof and self.winner is not None:
                self.write_proof()
        if self.solver.store_failure:
            self.fail(str(self.solver.store_failure))  # the results are printed all the same
        if self.winner is None or None in self.moves.values():
            self.exit_code = max(self.exit_code, Exit.UNSOLVED)

    def limits(self) -> SolveLimits:
        if not self.arguments.time:
            return SolveLimits()
        return SolveLimits(seconds=max(0.0, self.began + self.arguments.time - time.monotonic()))

    def watch(self, what: str) -> SolveWatch:
        def report(progress: Progress) -> None:
            line = " ".join(self.position.board.names[cell] for cell in progress.variation[:12])
            self.status.update(
                f"{what}: {progress.work:,} positions in {progress.seconds:.0f} s, proof number "
                f"{progress.phi:,}, disproof number {progress.delta:,}, {line}"
            )

        return SolveWatch(_REPORT_INTERVAL, report)

    def ask(self, position: Position, what: str) -> Solution:
        solution = self.solver.solve(position, self.limits(), self.stop, self.watch(what))
        self.work += solution.work
        return solution

    def fail(self, sentence: str) -> None:
        self.exit_code = Exit.FAILED
        _report(sentence)

    def find_winner(self) -> None:
        solution = self.ask(self.position, "solving")
        self.winner = solution.winner
        if self.store and solution.winner and not solution.work:
            self.from_store = self.position.winner is None
            self.variation = () if solution.move is None else (solution.move,)
        elif solution.winner is not None:
            self.variation = self.solver.pv(self.position)

    def decide_moves(self) -> None:
        before = self.solver.examined
        self.moves = self.solver.winning_moves(
            self.position, self.limits(), self.stop, self.watch("deciding the moves")
        )
        self.work += self.solver.examined - before

    def write_proof(self) -> None:
        def oracle(position: Position) -> tuple[Colour | None, int | None]:
            assert isinstance(self.solver, Solver)
            solution = Solver.solve(  # no proof relies on the store
                self.solver, position, self.limits(), self.stop, self.watch("proving")
            )
            self.work += solution.work
            return solution.winner, solution.move

        try:
            proof = prove(self.position, oracle)
            text = proof.text()
            check(self.until_stopped(text.splitlines()))
            write_output(self.arguments.proof, text)
        except Unproven:
            self.exit_code = Exit.UNSOLVED
            _report("the proof is incomplete and was not written")
        except OutputError as error:
            self.fail(str(error))
        else:
            self.proof = proof
            if proof.winner is not self.winner:
                self.correct(proof.winner)

    def until_stopped(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines; raise Unproven once the user interrupts."""
        for line in lines:
            if self.stop.is_set:
                raise Unproven("interrupted")
            yield line

    def correct(self, winner: Colour) -> None:
        """Replace a wrong result from the store."""
        assert self.store
        assert isinstance(self.solver, StoredSolver)
        self.fail(f"{self.store.path} had a wrong result for this position; it has been corrected")
        self.winner, self.from_store = winner, False
        self.variation = self.solver.pv(self.position)
        solved = Solved(winner, next(iter(self.variation), None), self.work)
        self.solver.keep([(self.position, solved)])

    def names(self, cells: Iterable[int]) -> list[str]:
        return [self.position.board.names[cell] for cell in cells]

    def moves_that(self, *, win: bool | None) -> list[str]:
        return self.names(cell for cell, wins in self.moves.items() if wins is win)

    def as_text(self) -> str:
        """Return the results as text."""
        position, winner, mover = self.position, self.winner, self.position.to_play
        signs = [".BW"[stone] for stone in position.stones]
        for cell, wins in self.moves.items():
            signs[cell] = {True: "+", False: "-", None: "?"}[wins]
        lines = [draw_texts(position.board, signs)]
        if winner is None:
            lines.append(f"not solved: {'interrupted' if self.stop.is_set else 'out of time'}")
        elif position.winner is not None:
            lines.append(f"{winner} has won")
        else:
            line = "".join(f" {name}" for name in self.names(self.variation))
            lines.append(f"{winner} wins, {mover} to move{line and ':'}{line}")
        if self.moves:
            winning, undecided = self.moves_that(win=True), self.moves_that(win=None)
            lines.append(f"{len(winning)} of {len(self.moves)} moves win: {' '.join(winning)}")
            if undecided:
                lines.append(f"undecided: {' '.join(undecided)}")
        if self.proof:
            lines.append(
                f"proof: {len(self.proof.nodes)} nodes, carrier of {len(self.proof.carrier)} cells"
            )
        seconds = time.monotonic() - self.began
        known = f"known from {self.store.path}, " if self.from_store and self.store else ""
        lines.append(f"{known}{self.work:,} positions in {seconds:.2f} s")
        return "\n".join(lines) + "\n"

    def as_json(self) -> str:
        """Return the results as a JSON object."""
        position = self.position
        values: dict[str, Any] = {
            "game": position.board.game,
            "width": position.board.width,
            "height": position.board.height,
        }
        for colour in _COLOURS.values():
            stones = (cell for cell, stone in enumerate(position.stones) if stone == colour)
            values[str(colour)] = self.names(stones)
        values |= {
            "to_play": str(position.to_play),
            "winner": None if self.winner is None else str(self.winner),
            "variation": self.names(self.variation),
            "positions": self.work,
            "seconds": round(time.monotonic() - self.began, 3),
            "from_store": self.from_store,
        }
        if self.arguments.all_winning:
            for name, wins in (("winning", True), ("losing", False), ("undecided", None)):
                values[name] = self.moves_that(win=wins)
        if self.proof:
            values["proof_nodes"] = len(self.proof.nodes)
            values["carrier"] = self.names(sorted(self.proof.carrier))
        return json.dumps(values) + "\n"
