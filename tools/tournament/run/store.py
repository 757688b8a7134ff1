"""A run on disk: one SQLite database, the only record of what was played.

It holds the plan, the games that were played and what became of them.  Game records, tables and
reports are made from it and can be made again.  A transaction is durable once it has returned, and
the database itself refuses a second result of a game.  There is one writer, which holds a lock on a
file beside the database; the lock ends with its process, however that ends.  Readers need no lock.
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
"""Tells our databases from those of others."""
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
_OF_A_GAME = 9
"""Columns of a game."""

Fingerprints = Mapping[str, Mapping[str, str]]
"""Of each engine: the SHA-256 of its files."""


class StoreError(RuntimeError):
    """What is wrong with the file of a run, in one sentence."""


def locate(run: str | Path) -> tuple[Path | None, Path]:
    """Return the plan, if that is what was named, and the database of a run.

    The database of `league.toml` is `league.db` beside it.
    """
    path = Path(run)
    return (path, path.with_suffix(".db")) if path.suffix == ".toml" else (None, path)


class Lock:
    """The right to write to a run, held until it is closed or the process ends.

    The file stays where it is: a lock on a file that was removed would be none.
    """

    def __init__(self, database: Path) -> None:
        """Take the lock; raise StoreError if somebody has it or there can be none."""
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
                time.sleep(0.05)  # running() has it for an instant
        else:
            os.close(self._descriptor)
            raise StoreError(f"{database} is in use by {_holder(self._path)}")
        os.ftruncate(self._descriptor, 0)
        with suppress(OSError):  # a full disk: then nobody learns who has the lock
            os.write(self._descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())

    def close(self) -> None:
        """Give the right back."""
        os.close(self._descriptor)


def running(database: Path) -> int:
    """Return the process that writes to a run, 0 if there is none.

    Raise StoreError if it is one of another host.
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
            raise StoreError(f"{database} is in use by {_holder(path)}") from None
        return int(number)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from None
    return 0


def _holder(path: Path) -> str:
    number, _, host = path.read_text(errors="replace").strip().partition(" ")
    return f"process {number} on {host}" if host else "another process"


class Store:
    """The database of a run.  Made by create(), open() and read(), and to be closed."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        with self._sentence():
            self.plan_text, self.digest = self._connection.execute(
                "SELECT text, digest FROM plans ORDER BY number DESC LIMIT 1"
            ).fetchone()

    @classmethod
    def create(cls, path: Path, plan_text: str, digest: str) -> Store:
        """Begin a run, and be its writer; it is on disk with its plan, or not at all."""
        lock = Lock(path)
        try:
            with _sentence(path):
                _write_new(path, plan_text, digest)
            return cls(path, _connect(path, write=True), lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Store:
        """Go on with a run as its writer."""
        _require_file(path)
        lock = Lock(path)
        try:
            return cls(path, _connect(path, write=True), lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def read(cls, path: Path) -> Store:
        """Look at a run, which may be going on."""
        _require_file(path)
        return cls(path, _connect(path, write=False), None)

    def close(self) -> None:
        """Close the database and give back the right to write."""
        with suppress(sqlite3.Error):
            self._connection.close()
        if self._lock:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, played: Sequence[tuple[Game, Record]]) -> None:
        """Make what was played durable, all of it or, raising StoreError, nothing.

        A game that has a result keeps it, so adding again what may have been added is harmless.
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

    def extend(self, plan_text: str, digest: str) -> None:
        """Let a longer plan be that of the run; the plans before it are kept."""
        with self._transaction() as connection:
            _add_plan(connection, plan_text, digest)
        self.plan_text, self.digest = plan_text, digest

    def set_fingerprints(self, fingerprints: Fingerprints) -> None:
        """Remember what the programs are that play from now on."""
        rows = [(name, json.dumps(dict(files))) for name, files in fingerprints.items()]
        with self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO engines VALUES (?, ?)", rows)

    def fingerprints(self) -> Fingerprints:
        """Return what the programs are that have played."""
        with self._sentence():
            rows = self._connection.execute("SELECT name, files FROM engines")
            return {name: json.loads(files) for name, files in rows}

    def played(self, last: int | None = None) -> Iterator[tuple[Game, Record]]:
        """Yield all records, void ones too, in the order in which they came, with their games.

        Those after the last one, whose number `count` has told, are left out.
        """
        with self._sentence():
            until = self.count() if last is None else last
            for row in self._connection.execute(_READ_PLAYED, (until,)):
                yield _game(row[:_OF_A_GAME]), _record(row[_OF_A_GAME:])

    def count(self) -> int:
        """Return how many records there are, void ones too; they are numbered from 1."""
        with self._sentence():
            query = "SELECT coalesce(max(number), 0) FROM records"
            return int(self._connection.execute(query).fetchone()[0])

    def games(self) -> dict[str, Game]:
        """Return the games that have a record, by their ids."""
        with self._sentence():
            return {row[0]: _game(row) for row in self._connection.execute("SELECT * FROM games")}

    def records(self, *, whole: bool = True) -> Iterator[Record]:
        """Yield all records in the order in which they came, void ones too.

        Those that are not whole have no moves, no seconds and no logs, and are read much faster.
        """
        with self._sentence():
            for row in self._connection.execute(_READ_RECORDS if whole else _READ_RESULTS):
                yield _record(row)

    def void(self) -> dict[str, int]:
        """Return how often each game has come to nothing, of those that have."""
        with self._sentence():
            return dict(self._connection.execute(_COUNT_VOID))

    def record(self, game: str) -> Record | None:
        """Return the last record of a game, which is its result if it has one."""
        with self._sentence():
            row = self._connection.execute(_READ_RECORD, (game,)).fetchone()
            return _record(row) if row else None

    def _sentence(self) -> AbstractContextManager[None]:
        return _sentence(self.path)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._sentence():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # there may be nothing to roll back
                    self._connection.execute("ROLLBACK")
                raise


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"there is no run {path}; `trivalent tournament run PLAN` begins one")


@contextmanager
def _sentence(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system complain about into StoreError."""
    try:
        yield
    except sqlite3.Error as error:  # which may quote what it has read
        raise StoreError(f"{path}: {printable(str(error), quotes=False)}") from None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError) as error:  # of rows that we have not written
        raise StoreError(f"{path} is damaged: {printable(str(error), quotes=False)}") from None


def _write_new(path: Path, plan_text: str, digest: str) -> None:
    """Write a database under another name first, so that none is there by halves."""
    if path.exists():
        raise StoreError(f"{path} is there already")
    temporary = _beside(path, "-new")
    # The log of a database that somebody has removed would be taken for that of the new one.
    for old in (temporary, _beside(path, "-wal"), _beside(path, "-shm")):
        old.unlink(missing_ok=True)
    connection = sqlite3.connect(temporary, isolation_level=None)
    try:
        connection.executescript(_TABLES)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        _add_plan(connection, plan_text, digest)
    finally:
        connection.close()
    temporary.replace(path)


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    if not (write or (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK))):
        # Without the right to write there can be no index of the log of changes, and where there
        # is no log none is needed.
        alone = not _beside(path, "-wal").exists()
        uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * alone}"
    with _sentence(path):
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)
        try:
            _require_ours(path, connection)
            if write:
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
                connection.execute("PRAGMA synchronous = FULL")
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _require_ours(path: Path, connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION:
        raise StoreError(f"{path} is not the database of a tournament")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        raise StoreError(f"{path} was written by another version of this program ({version})")


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


_number = lru_cache(maxsize=1 << 16)(float)  # the same few times come again and again


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
