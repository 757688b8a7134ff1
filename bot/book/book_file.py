"""The file of an opening book: an SQLite database, from which nothing is taken on trust.

A row counts only if its checksum is right and its content makes sense.  A transaction holds new
positions together with the values that they change, so a book is whole whenever its writer is
killed.  Any number of processes may read while one writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from trivalent.core.games import make_board
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from trivalent.core.board import Board

_APPLICATION = int.from_bytes(b"TriB", "big")
"""SQLite's application id, which tells our books from other databases."""
_VERSION = 1
_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE positions (
    name TEXT PRIMARY KEY,
    move TEXT NOT NULL, estimate REAL NOT NULL, proof TEXT NOT NULL,
    value REAL NOT NULL, proven TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
_PROOFS = {"": None, "won": True, "lost": False}
_WORDS = {proof: word for word, proof in _PROOFS.items()}
_WRITE = "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?, ?)"


class BookError(ValueError):
    """A book that can't be used; the message is one sentence."""


@dataclass(frozen=True)
class BookSettings:
    """What a book is about, and how its positions are evaluated and chosen."""

    game: str
    columns: int
    rows: int
    player: str = "mcts"
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the player that differ from its defaults."""
    nodes: int = 0
    """Limit of an evaluation in positions; 0: none."""
    seconds: float = 0.0
    """Limit of an evaluation in seconds; 0: none."""
    swap: bool = True
    """Whether the second player may swap: then balanced openings are the best ones."""
    width: float = 0.05
    """The loss in winning probability that weighs as much as one more move of depth."""
    version: str = ""
    """The version of the program that began the book."""

    @property
    def board(self) -> Board:
        """The board.  Raise ValueError if there is no such board."""
        return make_board(self.game, self.columns, self.rows)


class Entry(NamedTuple):
    """A row: what is known about a position.  Probabilities are those of the side to move."""

    name: str
    """The position, see `book_positions`."""
    move: str
    """Its drop-out move: the best one that isn't in the book; empty if there is none left."""
    estimate: float
    """Estimated probability that this move wins, 0 to 1."""
    proof: bool | None
    """True if this move is proven to win; False if all moves that aren't in the book lose."""
    value: float
    """Probability that the side to move wins, propagated from all positions below."""
    proven: bool | None
    """True if the side to move is proven to win, False if it's proven to lose."""


class BookFile:
    """An open book, made by `create`, `open` or `read`.  Close it after use."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        with self._book_errors():
            rows = dict(connection.execute("SELECT name, value FROM settings"))
            self.settings = BookSettings(**{name: json.loads(text) for name, text in rows.items()})
            self.board = self.settings.board

    @classmethod
    def create(cls, path: Path, settings: BookSettings) -> BookFile:
        """Make a new, empty book.  It appears only once it's complete with its settings.

        Only one process may do so at a time.  Raise BookError if the file exists or can't be
        written.
        """
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with _book_errors(path):
                if path.exists():
                    raise BookError(f"{path} already exists")
                connection = sqlite3.connect(temporary, isolation_level=None)
                try:
                    connection.executescript(_TABLES)
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {_VERSION}")
                    connection.executemany(
                        "INSERT INTO settings VALUES (?, ?)",
                        [(name, json.dumps(value)) for name, value in asdict(settings).items()],
                    )
                finally:
                    connection.close()
                temporary.replace(path)
        finally:
            with suppress(OSError):
                temporary.unlink()
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> BookFile:
        """Open a book for writing.  Raise BookError if it's damaged or no book."""
        return cls._opened(path, write=True)

    @classmethod
    def read(cls, path: Path) -> BookFile:
        """Open a book for reading.  Raise BookError if it's damaged or no book."""
        return cls._opened(path, write=False)

    @classmethod
    def _opened(cls, path: Path, *, write: bool) -> BookFile:
        connection = _connect(path, write=write)
        try:
            return cls(path, connection)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def entry(self, name: str) -> Entry | None:
        """Return what is known about a position, or None.  Raise BookError if it's damaged."""
        with self._book_errors():
            query = "SELECT * FROM positions WHERE name = ?"
            row = self._connection.execute(query, (name,)).fetchone()
            return None if row is None else self._entry(row)

    def entries(self) -> Iterator[Entry]:
        """Yield all positions.  Raise BookError at the first that is damaged."""
        with self._book_errors():
            for row in self._connection.execute("SELECT * FROM positions ORDER BY name"):
                yield self._entry(row)

    def put(self, entries: Iterable[Entry]) -> None:
        """Store positions durably: all of them or, raising BookError, none."""
        rows = [_row(entry) for entry in entries]
        with self._book_errors():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(_WRITE, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # there may be no transaction
                    self._connection.execute("ROLLBACK")
                raise

    def faults(self) -> list[str]:
        """Return what SQLite finds wrong with the structure of the file, in its words."""
        with self._book_errors():
            found = [text for (text,) in self._connection.execute("PRAGMA integrity_check(10)")]
        return [] if found == ["ok"] else found

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        name, move, estimate, proof, value, proven, checksum = row
        if checksum != _checksum(row[:-1]):
            raise BookError(f"{self.path} is damaged: the checksum of {name[:60]!r} is wrong")
        entry = Entry(name, move, estimate, _PROOFS[proof], value, _PROOFS[proven])
        if not (0 <= estimate <= 1 and 0 <= value <= 1):
            raise BookError(f"{self.path} is damaged: {name[:60]!r} has an impossible value")
        return entry

    @contextmanager
    def _book_errors(self) -> Iterator[None]:
        with _book_errors(self.path):
            yield


def _row(entry: Entry) -> tuple[Any, ...]:
    numbers = float(entry.estimate), float(entry.value)  # as SQLite gives them back
    row = (*entry[:2], numbers[0], _WORDS[entry.proof], numbers[1], _WORDS[entry.proven])
    return (*row, _checksum(row))


def _checksum(row: tuple[Any, ...]) -> int:
    return zlib.crc32(repr(row).encode())


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Connect to an existing book.  Raise BookError if it isn't one."""
    if not path.is_file():
        raise BookError(f"there is no book {path}")
    uri = f"{path.absolute().as_uri()}?mode=rw"
    if not (write or (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK))):
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"  # needs no locks
    with _book_errors(path):
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, timeout=10, check_same_thread=False
        )
        try:
            _require_ours(path, connection)
            connection.execute("PRAGMA synchronous = FULL" if write else "PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _require_ours(path: Path, connection: sqlite3.Connection) -> None:
    names = ("application_id", "user_version")
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    if found != [_APPLICATION, _VERSION]:
        raise BookError(f"{path} is not an opening book, or of an unknown version")


@contextmanager
def _book_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the system, and of rows that we didn't write, into BookError."""
    try:
        yield
    except BookError:
        raise
    except sqlite3.Error as error:  # may quote file contents
        raise BookError(f"{path}: {printable(str(error), quotes=False)}") from None
    except OSError as error:
        raise BookError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BookError(f"{path} is damaged: {printable(str(error), quotes=False)}") from None
