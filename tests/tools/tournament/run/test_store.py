"""The database of a run: it keeps every record and refuses everything else."""

import errno
import resource
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from trivalent.tools.tournament.model import VOID, Ending, Game, Opening, Record
from trivalent.tools.tournament.run.store import Store, StoreError, locate, running

GAME = Game("A-B/a1/1", "A-B/a1", 1, "A", "B", Opening("a1", ("a1",)), (7, 2**31 - 1))
RECORD = Record(
    "A-B/a1/1",
    1,
    Ending.CONNECTION,
    "A",
    "",
    "",
    ("a1", "swap-pieces", "b2"),
    (0.0, 0.25, 1.5),
    1.75e9,
    2.5,
    "local 1",
    0.125,
    {"B": "two\nlines"},
)
VOIDED = replace(RECORD, ending=Ending.OVERLOAD, winner="", blamed="B", detail="it was slow")


def _create(path: Path) -> Store:
    return Store.create(path, "the plan", "digest")


def _numbered(number: int) -> tuple[Game, Record]:
    return replace(GAME, id=f"{number}"), replace(RECORD, game=f"{number}")


def test_versions_are_kept_by_engine(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store:
        for number, versions in enumerate(({"B": "b 2"}, {"A": "a 1", "B": "b 1"}, {"A": "a 1"})):
            game, record = _numbered(number)
            store.add([(game, replace(record, versions=versions))])
        assert store.versions() == {"B": ["b 2", "b 1"], "A": ["a 1"]}
    with Store.open(path) as store:
        store.add([(GAME, replace(RECORD, versions={"A": "a 2"}))])
    with Store.read(path) as store:
        assert store.versions() == {"B": ["b 2", "b 1"], "A": ["a 1", "a 2"]}


def test_records_survive_reopening(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store:
        store.add([(GAME, VOIDED)])
        store.add([(GAME, replace(RECORD, attempt=2))])
        store.set_fingerprints({"A": {"/bin/a": "1"}, "B": {}})
    for take in (Store.open, Store.read):
        with take(path) as store:
            assert (store.plan_text, store.digest) == ("the plan", "digest")
            assert store.games() == {GAME.id: GAME}
            assert list(store.records()) == [VOIDED, replace(RECORD, attempt=2)]
            assert list(store.played()) == [(GAME, record) for record in store.records()]
            assert store.record(GAME.id) == replace(RECORD, attempt=2)
            assert store.record("nobody's") is None
            assert store.fingerprints() == {"A": {"/bin/a": "1"}, "B": {}}
            assert store.versions() == {}
            brief = replace(RECORD, attempt=2, moves=(), seconds=(), logs={})
            assert list(store.records(whole=False))[1] == brief
    assert {file.name for file in tmp_path.iterdir()} == {"run.db", "run.db-lock"}


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_is_stored(tmp_path: Path, ending: Ending) -> None:
    record = replace(RECORD, ending=ending, winner="" if ending in VOID else "B")
    with _create(tmp_path / "run.db") as store:
        store.add([(GAME, record)])
        assert list(store.records()) == [record]


def test_first_result_of_a_game_wins(tmp_path: Path) -> None:
    with _create(tmp_path / "run.db") as store:
        store.add([(GAME, RECORD)])
        store.add([(GAME, RECORD)])
        store.add([(GAME, replace(RECORD, attempt=2, winner="B"))])
        assert list(store.records()) == [RECORD]


def test_a_reader_sees_what_the_writer_has_added(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store, Store.read(path) as reader:
        for number in range(3):
            assert len(list(reader.records())) == number
            store.add([_numbered(number)])
        with pytest.raises(StoreError, match="readonly"):
            reader.add([_numbered(3)])


def test_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    assert running(path) == 0
    with _create(path):
        assert running(path) > 0
        for take in (Store.open, _create):
            with pytest.raises(StoreError, match=r"run.db is being written by process \d+ on "):
                take(path)
    assert running(path) == 0
    with Store.open(path):
        pass


def test_the_lock_of_a_killed_writer_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    script = (
        "import os, pathlib\n"
        "from trivalent.tools.tournament.run.store import Store\n"
        f"store = Store.create(pathlib.Path({str(path)!r}), 'the plan', 'digest')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    assert running(path) == 0
    with Store.open(path) as store:
        store.add([(GAME, RECORD)])
        assert list(store.records()) == [RECORD]


def test_log_of_a_deleted_database_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store:
        store.add([_numbered(number) for number in range(100)])
        log = path.with_name("run.db-wal").read_bytes()
    assert log
    path.unlink()
    path.with_name("run.db-wal").write_bytes(log)  # as left behind by a killed runner
    with _create(path) as store:
        assert list(store.records()) == []
        store.add([(GAME, RECORD)])
        assert list(store.records()) == [RECORD]


def test_extending_keeps_the_records(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store:
        store.add([(GAME, RECORD)])
        store.extend("a longer plan", "another digest")
        assert store.plan_text == "a longer plan"
    with Store.read(path) as store:
        assert (store.plan_text, store.digest) == ("a longer plan", "another digest")
        assert list(store.records()) == [RECORD]


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE games (id)")
    connection.close()


def _newer(path: Path) -> None:
    _create(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def _torn(path: Path) -> None:
    with _create(path) as store:
        store.add([_numbered(number) for number in range(200)])
    data = path.read_bytes()
    path.write_bytes(data[:4096] + bytes(len(data) - 4096))


def _unknown_ending(path: Path) -> None:
    with _create(path) as store:
        store.add([(GAME, RECORD)])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET ending = 'boredom'")
    connection.close()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "no such run: .*run.db; `trivalent tournament run PLAN` starts"),
        (lambda path: path.mkdir(), "no such run"),
        (lambda path: path.write_bytes(b""), "isn't a tournament database"),
        (lambda path: path.write_bytes(b"GTP " * 5000), "file is not a database"),
        (_foreign, "isn't a tournament database"),
        (_newer, r"incompatible version of this program \(format 99\)"),
        (_torn, "malformed"),
        (_unknown_ending, "run.db is damaged: 'boredom'"),
    ],
)
def test_damaged_and_foreign_files_are_refused(tmp_path: Path, make: object, sentence: str) -> None:
    path = tmp_path / "run.db"
    assert callable(make)
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    for take in (Store.open, Store.read):
        with pytest.raises(StoreError, match=sentence), take(path) as store:
            list(store.records())
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert running(path) == 0


def test_creating_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_text("mine")
    with pytest.raises(StoreError, match="already exists"):
        _create(path)
    assert path.read_text() == "mine"


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot write .*run\.db-lock: No such file"):
        _create(tmp_path / "nowhere" / "run.db")


def test_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.open", refuse)  # permissions don't apply to root
    with pytest.raises(StoreError, match=r"cannot write .*run\.db-lock: Permission denied"):
        _create(tmp_path / "run.db")


def test_half_written_database_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "run.db-new").write_text("of a run that was killed while it began")
    with _create(tmp_path / "run.db") as store:
        assert list(store.records()) == []


def _add_until_refused(store: Store, kept: list[Record]) -> None:
    for number in range(2000):
        store.add([_numbered(number)])
        kept.append(_numbered(number)[1])


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A limit on file sizes causes the same SQLite errors as a full disk."""
    path = tmp_path / "run.db"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept: list[Record] = []
    with _create(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            with pytest.raises(StoreError, match=r"run\.db: (database or disk is full|disk I/O)"):
                _add_until_refused(store, kept)
            assert list(store.records()) == kept
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        store.add([_numbered(len(kept))])
        kept.append(_numbered(len(kept))[1])
    with Store.read(path) as store:
        assert list(store.records()) == kept


def test_reading_in_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.db"
    with _create(path) as store:
        store.add([(GAME, RECORD)])
    monkeypatch.setattr("os.access", lambda *_: False)  # permissions don't apply to root
    with Store.read(path) as store:
        assert list(store.records()) == [RECORD]
    assert {file.name for file in tmp_path.iterdir()} == {"run.db", "run.db-lock"}


def test_adding_is_all_or_nothing(tmp_path: Path) -> None:
    broken = replace(RECORD, game="2", detail=None)  # type: ignore[arg-type]
    with _create(tmp_path / "run.db") as store:
        with pytest.raises(StoreError, match="NOT NULL"):
            store.add([_numbered(1), (replace(GAME, id="2"), broken)])
        assert list(store.records()) == []
        assert store.games() == {}


def test_readers_during_writes(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    done = threading.Event()
    seen: list[int] = []

    def look() -> None:
        while not done.is_set():
            with Store.read(path) as reader:
                seen.append(len(list(reader.records())))

    with _create(path) as store:
        thread = threading.Thread(target=look)
        thread.start()
        try:
            for number in range(200):
                store.add([_numbered(number)])
        finally:
            done.set()
            thread.join()
    assert seen == sorted(seen)


@pytest.mark.parametrize(
    ("run", "plan", "database"),
    [("a/league.toml", "a/league.toml", "a/league.db"), ("league.db", None, "league.db")],
)
def test_names(run: str, plan: str | None, database: str) -> None:
    assert locate(run) == (Path(plan) if plan else None, Path(database))
