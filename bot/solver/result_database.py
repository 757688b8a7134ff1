"""SQLite databases of results that later runs use again.

A file that isn't a database of the expected kind is left untouched.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, NamedTuple, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


_Answer = TypeVar("_Answer")
_Store = TypeVar("_Store", bound="ResultDatabase")


class StoreError(RuntimeError):
    """A store that can't be used; the message is one sentence."""


_LOCK_SECONDS = 10.0


class Kind(NamedTuple):
    """A kind of database."""

    title: str
    """What it is, in messages."""
    application: bytes
    """SQLite's application id, four bytes, which tells it from other databases."""
    version: int
    """The version of its tables."""
    tables: str
    """The SQL that makes its tables."""


class ResultDatabase:
    """A database of results.  Close it after use.

    Several processes may share a file; they wait for each other up to `_LOCK_SECONDS`.  Within a
    process, threads take turns: it is up to them.
    """

    def __init__(self, path: Path, kind: Kind) -> None:
        """Open a file; create it if there is none.  Raise StoreError if that fails."""
        self.path = path
        self.damaged = 0
        """The number of damaged rows met so far."""
        with self.errors():
            self.connection = sqlite3.connect(
                path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
        # A damaged text shall compare unequal rather than raise an exception.
        self.connection.text_factory = lambda text: text.decode(errors="replace")
        try:
            with self.errors():
                self._begin(kind)
        except BaseException:
            self.connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, kind: Kind) -> None:
        """Create the tables in a new file.  Raise StoreError if the file is of another kind."""
        application = int.from_bytes(kind.application, "big")
        with self.transaction():  # another process may be creating the same file
            if not self._pragma("application_id") and not self._pragma("schema_version"):
                self.connection.execute(kind.tables)
                self.connection.execute(f"PRAGMA application_id = {application}")
                self.connection.execute(f"PRAGMA user_version = {kind.version}")
        found = self._pragma("application_id"), self._pragma("user_version")
        if found[0] != application:
            raise StoreError(f"{self.path} is not {kind.title}")
        if found[1] != kind.version:
            raise StoreError(
                f"{self.path} is {kind.title} in format {found[1]}, not {kind.version}: "
                "another version of this program wrote it"
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make changes together; other processes wait meanwhile."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _pragma(self, name: str) -> int:
        value: int = self.connection.execute(f"PRAGMA {name}").fetchone()[0]
        return value

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn SQLite's errors into a StoreError."""
        try:
            yield
        except (
            sqlite3.Error,
            UnicodeDecodeError,
        ) as error:  # UnicodeDecodeError comes from damaged table names
            raise StoreError(f"{self.path} cannot be used: {error}") from None


class FallibleStore(Generic[_Store]):
    """A store that isn't asked any more once it has failed, such as on a full disk."""

    def __init__(self, store: _Store | None) -> None:
        """Without a store, nothing is known and nothing is kept."""
        self.failure: StoreError | None = None
        self._store = store

    def ask(self, use: Callable[[_Store], _Answer]) -> _Answer | None:
        """Return what a use of the store returns; None if there is no store, or if it fails."""
        if self._store is None or self.failure:
            return None
        try:
            return use(self._store)
        except StoreError as error:
            self.failure = error
            return None
