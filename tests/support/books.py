"""Books for tests: built in this process, by a quick player or by made-up estimates."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

from trivalent.bot.book.book_file import BookFile, BookSettings
from trivalent.tools.book.book_builder import NO_STORE, BookBuilder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trivalent.bot.solver.result_database import FallibleStore
    from trivalent.bot.solver.solved_store import SolvedStore


class Here(Executor):
    """Runs everything at once, in the caller's thread."""

    def submit(
        self,
        fn: Callable[..., Any],
        /,
        *args: Any,  # noqa: ANN401
        **kwargs: Any,  # noqa: ANN401
    ) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def settings(game: str = "hex", size: int = 4, **more: Any) -> BookSettings:  # noqa: ANN401
    return BookSettings(game, size, size, **{"nodes": 20, **more})


def build(
    path: Path,
    about: BookSettings,
    expansions: int = 10**6,
    store: FallibleStore[SolvedStore] = NO_STORE,
) -> bool:
    """Build a book, or go on with it; return False once nothing is left to expand."""
    with BookBuilder.open(path, about) as builder:
        return builder.build(
            Here(), 1, stops=lambda done: done >= expansions, report=lambda _: None, store=store
        )


def content(path: Path) -> list[tuple[Any, ...]]:
    """Return all that is in a book."""
    with BookFile.read(path) as book:
        return [tuple(entry) for entry in book.entries()]
