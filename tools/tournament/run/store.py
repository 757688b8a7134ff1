"""The database of a run: one SQLite file, the only record of what was played.

It stores the plan, the games and their records.  Everything else (game records, tables, reports) is
derived from it and can be made again.  A committed transaction is durable, and a unique index
refuses a second result of a game.  The one writer holds a lock on a file beside the database; the
lock ends with its process, however that ends.  Readers need no lock.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sqlite3
import time
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Self

from trivalent.core.text import printable
from trivalent.tools.tournament.model import Ending, Game, Opening, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

_APPLICATION = int.from_bytes(b"Triv", "big")
"""SQLite application id that marks our databases."""
_VERSION = 1
_TABLES = """
CREATE TABLE plans (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL, digest TEXT NOT NULL, since REAL NOT NULL
) STRICT;
CREATE TABLE engines (name TEXT PRIMARY KEY, files TEXT NOT NULL) STRICT;
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    pair TEXT NOT NULL, round INTEGER NOT NULL, black TEXT NOT NULL, white TEXT NOT NULL,
    opening TEXT NOT NULL, opening_moves TEXT NOT NULL,
    black_seed INTEGER NOT NULL, white_seed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL REFERENCES games(id), attempt INTEGER NOT NULL,
    ending TEXT NOT NULL, winner TEXT NOT NULL, blamed TEXT NOT NULL, detail TEXT NOT NULL,
    started REAL NOT NULL, duration REAL NOT NULL, worker TEXT NOT NULL, lag REAL NOT NULL,
    moves TEXT NOT NULL, seconds TEXT NOT NULL, logs TEXT NOT NULL,
    UNIQUE (game, attempt)
) STRICT;
CREATE UNIQUE INDEX results ON records(game) WHERE winner <> '';
"""
_VERSIONS_TABLE = """
CREATE TABLE IF NOT EXISTS versions (
    engine TEXT NOT NULL, version TEXT NOT NULL, UNIQUE (engine, version)
) STRICT;
"""
"""Version 0.1 of this program neither made nor needs this table."""
_ENDINGS = {ending.value: ending for ending in Ending}
_READ_RESULTS = """
SELECT number, game, attempt, ending, winner, blamed, detail, started, duration, worker, lag
FROM records ORDER BY number
"""
_READ_RECORDS = "SELECT * FROM records ORDER BY number"
_READ_PLAYED = """
SELECT games.*, records.* FROM records LEFT JOIN games ON games.id = records.game
WHERE number <= ? ORDER BY number
"""
_READ_RECORD = "SELECT * FROM records WHERE game = ? ORDER BY winner = '', number DESC LIMIT 1"
_COUNT_VOID = "SELECT game, count(*) FROM records WHERE winner = '' GROUP BY game"
_HAS_VERSIONS = "SELECT 1 FROM sqlite_master WHERE name = 'versions'"
_READ_VERSIONS = "SELECT engine, version FROM versions ORDER BY rowid"
_GAME_COLUMNS = 9
"""Number of columns of a game."""

Fingerprints = Mapping[str, Mapping[str, str]]
"""By engine and file: SHA-256."""


class StoreError(RuntimeError):
    """The file of a run can't be used; the message is one sentence."""


def locate(run: str | Path) -> tuple[Path | None, Path]:
    """Return the plan file, if a plan was named, and the database of a run.

    The database of `league.toml` is `league.db` beside it.
    """
    path = Path(run)
    return (path, path.with_suffix(".db")) if path.suffix == ".toml" else (None, path)


class Lock:
    """The exclusive right to write to a run, held until it's closed or the process ends.

    The lock file is never removed: a process could then hold a lock on a deleted file.
    """

    def __init__(self, database: Path) -> None:
        """Take the lock.  Raise StoreError if it's taken or the file can't be written."""
        self._path = _beside(database, "-lock")
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error.strerror}") from None
        for _ in range(10):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                time.sleep(0.05)  # running() may hold it for an instant
        else:
            os.close(self._descriptor)
            raise StoreError(f"{database} is being written by {_holder(self._path)}")
        os.ftruncate(self._descriptor, 0)
        with suppress(OSError):  # full disk: the holder's name is only informative
            os.write(self._descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())

    def close(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)


def running(database: Path) -> int:
    """Return the id of the process that is writing to a run, or 0 if there is none.

    Raise StoreError if the process is on another host.
    """
    path = _beside(database, "-lock")
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return 0
    except BlockingIOError:
        number, _, host = path.read_text(errors="replace").strip().partition(" ")
        if host != socket.gethostname() or not number.isdecimal():
            raise StoreError(f"{database} is being written by {_holder(path)}") from None
        return int(number)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from None
    return 0


def _holder(path: Path) -> str:
    number, _, host = path.read_text(errors="replace").strip().partition(" ")
    return f"process {number} on {host}" if host else "another process"


class Store:
    """The open database of a run, made by `create`, `open` or `read`.  Must be closed."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._versions: set[tuple[str, str]] = set()
        """The rows of the table of this name that this writer has stored."""
        with self._store_errors():
            self.plan_text, self.digest = self._connection.execute(
                "SELECT text, digest FROM plans ORDER BY number DESC LIMIT 1"
            ).fetchone()

    @classmethod
    def create(cls, path: Path, plan_text: str, digest: str) -> Store:
        """Start a run and become its writer.

        The file appears only once it's complete with its plan.
        """
        lock = Lock(path)
        try:
            with _store_errors(path):
                _write_new(path, plan_text, digest)
            return cls(path, _connect(path, write=True), lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Store:
        """Continue a run as its writer."""
        _require_file(path)
        _connect(path, write=False).close()  # no lock is left beside the file of another program
        lock = Lock(path)
        try:
            return cls(path, _connect(path, write=True), lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def read(cls, path: Path) -> Store:
        """Open a run for reading, even while it's being played."""
        _require_file(path)
        return cls(path, _connect(path, write=False), None)

    def close(self) -> None:
        """Close the database and release the lock."""
        with suppress(sqlite3.Error):
            self._connection.close()
        if self._lock:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, played: Sequence[tuple[Game, Record]]) -> None:
        """Store games and their records durably: all of them or, raising StoreError, none.

        A game that has a result keeps it, so adding the same records again does no harm.
        """
        with self._transaction() as connection:
            connection.executemany(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [_game_row(game) for game, _ in played],
            )
            connection.executemany(
                "INSERT INTO records VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                [_record_row(record) for _, record in played],
            )
            versions = {row for _, record in played for row in record.versions.items()}
            connection.executemany(
                "INSERT INTO versions VALUES (?, ?) ON CONFLICT DO NOTHING",
                sorted(versions - self._versions),
            )
        self._versions |= versions

    def versions(self) -> dict[str, list[str]]:
        """Return the names and versions that each engine has reported, in order of appearance."""
        found: dict[str, list[str]] = {}
        with self._store_errors():
            if self._connection.execute(_HAS_VERSIONS).fetchone():
                for engine, version in self._connection.execute(_READ_VERSIONS):
                    found.setdefault(engine, []).append(version)
        return found

    def extend(self, plan_text: str, digest: str) -> None:
        """Make a longer plan the current one; earlier plans are kept."""
        with self._transaction() as connection:
            _add_plan(connection, plan_text, digest)
        self.plan_text, self.digest = plan_text, digest

    def set_fingerprints(self, fingerprints: Fingerprints) -> None:
        """Store the fingerprints of the programs that play from now on."""
        rows = [(name, json.dumps(dict(files))) for name, files in fingerprints.items()]
        with self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO engines VALUES (?, ?)", rows)

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of the programs that have played."""
        with self._store_errors():
            rows = self._connection.execute("SELECT name, files FROM engines")
            return {name: json.loads(files) for name, files in rows}

    def played(self, last: int | None = None) -> Iterator[tuple[Game, Record]]:
        """Yield all games with their records, including void ones, in the order they were stored.

        ``last`` leaves out the records after that number, as returned by `count`.
        """
        with self._store_errors():
            until = self.count() if last is None else last
            for row in self._connection.execute(_READ_PLAYED, (until,)):
                yield _game(row[:_GAME_COLUMNS]), _record(row[_GAME_COLUMNS:])

    def count(self) -> int:
        """Return the number of records, including void ones; they're numbered from 1."""
        with self._store_errors():
            query = "SELECT coalesce(max(number), 0) FROM records"
            return int(self._connection.execute(query).fetchone()[0])

    def games(self) -> dict[str, Game]:
        """Return the games that have a record, by id."""
        with self._store_errors():
            return {row[0]: _game(row) for row in self._connection.execute("SELECT * FROM games")}

    def records(self, *, whole: bool = True) -> Iterator[Record]:
        """Yield all records, including void ones, in the order they were stored.

        With ``whole=False`` they lack moves, times and logs, and are read much faster.
        """
        with self._store_errors():
            for row in self._connection.execute(_READ_RECORDS if whole else _READ_RESULTS):
                yield _record(row)

    def void(self) -> dict[str, int]:
        """Return the number of void attempts per game, for the games that have any."""
        with self._store_errors():
            return dict(self._connection.execute(_COUNT_VOID))

    def record(self, game: str) -> Record | None:
        """Return the result of a game, or its latest void record, or None."""
        with self._store_errors():
            row = self._connection.execute(_READ_RECORD, (game,)).fetchone()
            return _record(row) if row else None

    def _store_errors(self) -> AbstractContextManager[None]:
        return _store_errors(self.path)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._store_errors():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # there may be no transaction
                    self._connection.execute("ROLLBACK")
                raise


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"no such run: {path}; `trivalent tournament run PLAN` starts one")


@contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the system into StoreError."""
    try:
        yield
    except sqlite3.Error as error:  # may quote file contents
        raise StoreError(f"{path}: {printable(str(error), quotes=False)}") from None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError) as error:  # rows that this program didn't write
        raise StoreError(f"{path} is damaged: {printable(str(error), quotes=False)}") from None


def _write_new(path: Path, plan_text: str, digest: str) -> None:
    """Write the database under a temporary name, so that a half-written one is never seen."""
    if path.exists():
        raise StoreError(f"{path} already exists")
    temporary = _beside(path, "-new")
    # SQLite would take the log of a deleted database for the log of the new one.
    for old in (temporary, _beside(path, "-wal"), _beside(path, "-shm")):
        old.unlink(missing_ok=True)
    connection = sqlite3.connect(temporary, isolation_level=None)
    try:
        connection.executescript(_TABLES + _VERSIONS_TABLE)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        _add_plan(connection, plan_text, digest)
    finally:
        connection.close()
    temporary.replace(path)


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    if not (write or (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK))):
        # A reader without write permission can't create the index of the write-ahead log; if there
        # is no log, `immutable` does without.
        alone = not _beside(path, "-wal").exists()
        uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * alone}"
    with _store_errors(path):
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)
        try:
            _require_ours(path, connection)
            if write:
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(_VERSIONS_TABLE)
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _require_ours(path: Path, connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION:
        raise StoreError(f"{path} isn't a tournament database")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        raise StoreError(
            f"{path} was written by an incompatible version of this program (format {version})"
        )


def _add_plan(connection: sqlite3.Connection, text: str, digest: str) -> None:
    connection.execute(
        "INSERT INTO plans (text, digest, since) VALUES (?, ?, ?)",
        (text, digest, time.time()),
    )


def _game_row(game: Game) -> tuple[Any, ...]:
    return (
        game.id,
        game.pair,
        game.round,
        game.black,
        game.white,
        game.opening.name,
        " ".join(game.opening.moves),
        *game.seeds,
    )


def _game(row: tuple[Any, ...]) -> Game:
    key, pair, number, black, white, opening, moves, *seeds = row
    return Game(
        key,
        pair,
        number,
        intern(black),
        intern(white),
        _opening(opening, moves),
        tuple(seeds),
    )


@lru_cache(maxsize=4096)
def _opening(name: str, moves: str) -> Opening:
    return Opening(name, tuple(moves.split()))


def _record_row(record: Record) -> tuple[Any, ...]:
    return (
        record.game,
        record.attempt,
        record.ending.value,
        record.winner,
        record.blamed,
        record.detail,
        record.started,
        record.duration,
        record.worker,
        record.lag,
        " ".join(record.moves),
        json.dumps([round(seconds, 6) for seconds in record.seconds]),
        json.dumps(dict(record.logs)),
    )


_number = lru_cache(maxsize=1 << 16)(float)  # few different times, many repetitions


def _record(row: tuple[Any, ...]) -> Record:
    _, game, attempt, ending, winner, blamed, detail, started, duration, worker, lag, *rest = row
    moves, seconds, logs = rest or ("", "[]", "{}")
    return Record(
        game,
        attempt,
        _ENDINGS[ending],
        intern(winner),
        intern(blamed),
        detail,
        tuple(map(intern, moves.split())),
        tuple(map(_number, json.loads(seconds))) if rest else (),
        started,
        duration,
        worker,
        lag,
        json.loads(logs) if rest else {},
    )
