"""Building a book: hands out positions to evaluate and stores what comes back."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from trivalent.bot.book.book_file import BookFile
from trivalent.bot.book.book_parameters import BookError
from trivalent.bot.book.book_positions import canonical, stones_of
from trivalent.bot.solver.result_database import FallibleStore
from trivalent.tools.book.book_graph import BookGraph
from trivalent.tools.book.evaluation import (
    Estimate,
    EvaluationError,
    Evaluator,
    Question,
    evaluate,
    solved_answer,
)
from trivalent.tools.tournament.run.store import Lock, StoreError
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future
    from pathlib import Path

    from trivalent.bot.book.book_file import BookSettings
    from trivalent.bot.book.book_positions import Stones
    from trivalent.bot.solver.solved_store import SolvedStore
    from trivalent.tools.book.book_graph import Node

NO_STORE: FallibleStore[SolvedStore] = FallibleStore(None)
"""Knows no solved positions."""
_TICK = 0.1
"""Seconds between two looks whether to stop."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker has been asked."""

    expanded: Node | None
    """The position whose next drop-out move is sought."""
    added: Stones | None
    """The position to be added, as its name has it."""

    def questions(self, graph: BookGraph) -> tuple[Question, ...]:
        """Return the questions for the worker: on the new position, then on the expanded one."""
        asked = [] if self.added is None else [Question(self.added)]
        if self.expanded is not None:
            avoid = graph.moves_in_book(self.expanded)
            if self.added is not None:
                avoid |= _images(graph, self.expanded)
            asked.append(Question(self.expanded.stones, avoid))
        return tuple(asked)


def _images(graph: BookGraph, node: Node) -> frozenset[int]:
    """Return the cells of a position's drop-out move and its images."""
    return frozenset(
        cell
        for cell in node.stones.empty(graph.board)
        if canonical(graph.board, node.stones.after(cell))[0] == node.after_drop_out
    )


class BookBuilder:
    """An open book that grows.  One process at a time may have it."""

    def __init__(self, file: BookFile, lock: Lock) -> None:
        """Take over a book and its lock.  Raise BookError if its content can't be."""
        self.file = file
        self._lock = lock
        try:
            self.evaluator = Evaluator.of(file.settings)
            self.graph = BookGraph(file.settings, file.entries())
        except BookError:
            raise
        except ValueError as error:
            raise BookError(f"{file.path} is damaged: {error}") from None

    @classmethod
    def open(cls, path: Path, settings: BookSettings | None = None) -> Self:
        """Open a book for building; make a new one with these settings if there is none.

        Raise BookError if the book can't be used, or if another process is building it.
        """
        if settings is None and not path.exists():
            raise BookError(f"there is no book {path}; `trivalent book build` makes one")
        if path.exists():  # no lock is left beside the file of another program
            BookFile.read(path).close()
        try:
            lock = Lock(path)
        except StoreError as error:
            raise BookError(str(error)) from None
        try:
            if settings is not None and not path.exists():
                BookFile.create(path, settings).close()
            file = BookFile.open(path)
            try:
                return cls(file, lock)
            except BaseException:
                file.close()
                raise
        except BaseException:
            lock.close()
            raise

    def close(self) -> None:
        """Close the book and give up the lock."""
        self.file.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def build(
        self,
        executor: Executor,
        at_once: int,
        *,
        stops: Callable[[int], bool],
        report: Callable[[int], None],
        start: Stones | None = None,
        additions: Sequence[Stones] = (),
        expands: bool = True,
        store: FallibleStore[SolvedStore] = NO_STORE,
    ) -> bool:
        """Add the missing openings and other positions, then expand the book.

        ``stops(expansions)`` says whether to stop after so many expansions, and ``report`` is told
        of each.  ``start`` is the position from which on to expand.  What ``store`` has solved
        isn't evaluated.  Return False if there was nothing left to expand.  Raise BookError if the
        book can't be written, WorkersError if a worker fails.
        """
        jobs = self._jobs(start, additions, expands=expands)
        running: dict[Future[list[Estimate]], tuple[_Job, list[Estimate | None]]] = {}
        done = 0
        try:
            while True:
                stopping = stops(done)
                while not stopping and len(running) < at_once:
                    job = next(jobs)
                    if job is None:
                        break
                    questions = job.questions(self.graph)
                    known = [solved_answer(self.evaluator, q, store) for q in questions]
                    open_ones = tuple(q for q, a in zip(questions, known, strict=True) if not a)
                    future = executor.submit(evaluate, self.evaluator, open_ones)
                    running[future] = job, known
                if stopping or not running:
                    return stopping
                finished, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in finished:
                    job, known = running.pop(future)
                    found = iter(_result(future))
                    self._store(job, [answer or next(found) for answer in known])
                    done += job.expanded is not None
                    report(done)
        finally:
            for future, (job, _) in running.items():
                future.cancel()
                if job.expanded is not None:
                    job.expanded.pending = False

    def _jobs(
        self, start: Stones | None, additions: Sequence[Stones], *, expands: bool
    ) -> Iterator[_Job | None]:
        """Yield what to ask next; None while there is nothing until a running job has ended."""
        for stones in (*self.graph.missing_openings(), *additions):
            if self.graph.find(stones) is None:
                yield _Job(None, self.graph.image(stones))
        first = None if start is None else self.graph.find(start)
        while True:
            node = self.graph.next(first) if expands else None
            if node is None:
                yield None
                continue
            node.pending = True
            self.graph.update([node])
            stale = node.is_stale
            yield _Job(node, None if stale else stones_of(self.graph.board, node.after_drop_out))

    def _store(self, job: _Job, estimates: list[Estimate]) -> None:
        """Take in the answers to a job, and store what they change in one transaction."""
        graph = self.graph
        touched: list[Node] = []
        answers = iter(estimates)
        if job.added is not None:
            answer = next(answers)
            known = graph.find(job.added)
            node = graph.add(job.added)
            if known is None:  # else another worker has added it meanwhile
                graph.set_drop_out(node, answer.move, answer.value, proof=answer.proof)
            touched += [node, *node.parents.values()]
        if job.expanded is not None:
            answer = next(answers)
            job.expanded.pending = False
            graph.set_drop_out(job.expanded, answer.move, answer.value, proof=answer.proof)
            touched.append(job.expanded)
        changed = graph.update(touched)
        self.file.put({node.name: graph.entry(node) for node in (*touched, *changed)}.values())


def _result(future: Future[list[Estimate]]) -> list[Estimate]:
    """Return the answers of a worker.  Raise WorkersError if it has died or failed."""
    try:
        return future.result()
    except EvaluationError:
        raise
    except Exception as error:  # whatever went wrong in another process
        raise WorkersError(f"a worker failed ({error!r}); the same command goes on") from error
