"""Tournaments end to end: run, stopped, killed, edited, extended and replayed."""

import json
import os
import pty
import resource
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from tournaments import (
    TRIVALENT,
    begin,
    ends,
    engines_of,
    eventually,
    read_until,
    table,
    tournament,
    trivial,
    trivial_plan,
)

OWN = """
size = 4
openings = ["b2", "a4", "a1"]
swap = "pieces"
concurrency = 2
[engines.random]
player = "random"
clock = { nodes = 1 }
[engines.mcts]
player = "mcts"
memory = 4
clock = { nodes = 3000 }
[engines.uct]
player = "uct"
clock = { nodes = 50 }
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plan of a finished run between built-in players."""
    plan = tmp_path_factory.mktemp("own") / "league.toml"
    plan.write_text(OWN)
    done = tournament("run", plan)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("league: 0/18 games played, 2 in parallel\n[1/18] ")
    lines, tables = done.stdout.split("\n\n", 1)
    assert lines.endswith("\nall games are played; 18/18 games played")
    assert tables == tournament("report", plan).stdout
    return plan


def test_stronger_player_comes_first(played: Path) -> None:
    done = tournament("status", played, "--json")
    assert done.returncode == 0, done.stderr
    status = json.loads(done.stdout)
    assert (status["played"], status["total"], status["process"]) == (18, 18, 0)
    wins = {row["engine"]: row["wins"] for row in status["standings"]}
    assert wins["mcts"] > wins["random"]
    lines = tournament("status", played).stdout.splitlines()
    assert lines[0] == "league: 18 of 18 games played; not running"
    assert lines[-1].startswith(f"{status['standings'][-1]['engine']} ")


def test_finished_run_plays_no_more_games(played: Path) -> None:
    before = table(played.with_suffix(".db"))
    done = tournament("run", played)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "league: 18/18 games played, 2 in parallel"
    assert table(played.with_suffix(".db")) == before
    # The database alone is enough.
    assert tournament("run", played.with_suffix(".db")).returncode == 0


def test_every_game_can_be_replayed(played: Path) -> None:
    for game, winner, *_, moves in table(played.with_suffix(".db"))[::4]:
        done = tournament("replay", played, game)
        assert done.returncode == 0, done.stdout + done.stderr
        result, line, verdict = done.stdout.splitlines()
        assert result.startswith(f"{winner} beat ")
        assert line == " ".join(moves)
        assert verdict == "identical, move by move"


def test_replay_shows_the_first_difference(played: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.db"
    forged.write_bytes(played.with_suffix(".db").read_bytes())
    game, *_, moves = table(forged)[0]
    connection = sqlite3.connect(forged)
    with connection:
        other = " ".join([*moves[:2], "z9", *moves[3:]])
        connection.execute("UPDATE records SET moves = ? WHERE game = ?", (other, game))
    connection.close()
    done = tournament("replay", forged, game)
    assert done.returncode == 5
    assert f"move 3 differs: z9 before, {moves[2]} now" in done.stdout


def test_only_node_limited_built_in_players_can_be_replayed(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=2)
    assert tournament("run", plan).returncode == 0
    game, *_ = table(plan.with_suffix(".db"))[0]
    done = tournament("replay", plan, game)
    assert done.returncode == 2
    assert "a can't be replayed: it isn't a built-in player" in done.stderr
    done = tournament("replay", plan, "another")
    assert done.returncode == 2
    assert "has no game 'another'" in done.stderr


def test_events_as_json(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=2)
    done = tournament("run", plan, "--json")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    names = [event["event"] for event in events]
    assert (names[0], names[-1]) == ("run started", "run ended")
    assert names.count("game begun") == names.count("game ended") == 8
    ended = next(event for event in events if event["event"] == "game ended")
    assert ended["record"]["winner"] in (ended["game"]["black"], ended["game"]["white"])
    assert ended["record"]["moves"][0] == ended["game"]["opening"]["moves"][0]


def test_live_display_at_a_terminal(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=3)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    with subprocess.Popen(
        [TRIVALENT, "tournament", "run", plan], stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        picture = b""
        try:
            while data := os.read(ours, 65536):
                picture += data
        except OSError:  # the other end has been closed
            pass
        assert process.wait() == 0
    os.close(ours)
    assert b"18/18 games" in picture
    assert b"all games are played" in picture
    assert b"Traceback" not in picture


def test_a_different_plan_is_refused_and_an_extension_accepted(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=2)
    assert tournament("run", plan).returncode == 0
    before = table(plan.with_suffix(".db"))
    longer = plan.read_text().replace("rounds = 1", "rounds = 3")
    plan.write_text(longer)
    done = tournament("run", plan)
    assert done.returncode == 2
    assert "belongs to a different plan than" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert table(plan.with_suffix(".db")) == before
    done = tournament("extend", plan)
    assert (done.returncode, done.stdout.split(": ")[1]) == (0, "8 games before, 24 now\n")
    assert tournament("status", plan).returncode == 3
    assert tournament("run", plan).returncode == 0
    after = table(plan.with_suffix(".db"))
    assert len(after) == 24
    assert set(before) < set(after)
    plan.write_text(longer.replace("size = 2", "size = 3"))
    done = tournament("extend", plan)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert table(plan.with_suffix(".db")) == after


def test_a_changed_program_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    shutil.copy(trivial(), program)
    plan = trivial_plan(tmp_path, size=2)
    plan.write_text(plan.read_text().replace(trivial(), str(program)))
    with begin(plan) as process:
        read_until(process, "game ended")
    program.write_bytes(program.read_bytes() + b"changed")
    done = tournament("run", plan)
    assert done.returncode == 1
    assert f"a has changed since it last played: {program}" in done.stderr
    assert tournament("run", plan, "--changed-programs").returncode == 0
    assert tournament("run", plan).returncode == 0


def test_a_second_runner_is_refused(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, seconds=0.05)
    with begin(plan) as process:
        read_until(process, "game begun")
        done = tournament("run", plan)
        assert done.returncode == 1
        assert f"league.db is being written by process {process.pid} on " in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert tournament("extend", plan).returncode == 1
        status = tournament("status", plan)
        assert (status.returncode, f"being played by process {process.pid}" in status.stdout) == (
            3,
            True,
        )
        process.send_signal(signal.SIGKILL)
    assert eventually(lambda: not engines_of(tmp_path))
    status = tournament("status", plan)
    assert "not running" in status.stdout


def test_stop_from_another_shell(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, seconds=0.05)
    assert tournament("stop", plan).stdout == f"{plan.with_suffix('.db')} isn't being played\n"
    with begin(plan) as process:
        read_until(process, "game begun", 2)
        done = tournament("stop", plan)
        assert (done.returncode, done.stdout) == (0, f"process {process.pid} has ended\n")
        output, _ = process.communicate()
        assert process.returncode == 3
    events = [json.loads(line) for line in output.splitlines()]
    begun = 2 + sum(event["event"] == "game begun" for event in events)
    assert len(table(plan.with_suffix(".db"))) == begun < 50  # running games were finished
    assert not engines_of(tmp_path)


def test_stop_now(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, seconds=1000)
    with begin(plan) as process:
        read_until(process, "game begun", 2)
        done = tournament("stop", plan, "--seconds", "0.2")
        assert done.returncode == 1
        assert f"process {process.pid} is still finishing its games" in done.stdout
        assert tournament("stop", plan, "--now").returncode == 0
        assert ends(process) == 3
    assert table(plan.with_suffix(".db")) == []
    assert not engines_of(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("waits", [False, True])
def test_a_signal_abandons_games(tmp_path: Path, number: signal.Signals, waits: bool) -> None:
    plan = trivial_plan(tmp_path, seconds=1000)
    with begin(plan) as process:
        read_until(process, "game begun", 2)
        if waits:
            process.send_signal(signal.SIGUSR1)
            read_until(process, "notice")
        process.send_signal(number)
        assert ends(process) == 3
    assert table(plan.with_suffix(".db")) == []
    assert not engines_of(tmp_path)


def test_runner_waits_while_the_disk_is_full(tmp_path: Path) -> None:
    """The system limits file sizes for a while, as a full disk would."""
    plan = trivial_plan(tmp_path, rounds=20)
    with begin(plan) as process:
        read_until(process, "game begun")
        hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100_000, hard))
        read_until(process, "notice")
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        read_until(process, "notice")
        assert ends(process) == 0
    played = table(plan.with_suffix(".db"))
    assert len({game for game, *_ in played}) == len(played) == 1000


def test_results_lost_to_a_full_disk_are_reported(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, rounds=20)
    with begin(plan) as process:
        read_until(process, "game begun")
        hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100_000, hard))
        read_until(process, "notice")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        assert process.returncode == 1
    assert "results are lost and will be replayed: " in output
    assert tournament("run", plan).returncode == 0
    played = table(plan.with_suffix(".db"))
    assert len({game for game, *_ in played}) == len(played) == 1000


def _broken(plan: Path, old: str, new: str) -> None:
    text = plan.read_text()
    assert old in text
    plan.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "code", "sentence"),
    [
        ('command = ["/', 'command = ["/no/such/', 2, "no such program: /no/such/"),
        ("size = 5", 'size = "five"', 2, "size"),
        ("rounds", "round", 2, "rounds"),
        ("[engines.b]", "[engines.A]", 2, "A"),
        ('"0.0", ', "", 4, " doesn't start: "),
    ],
)
def test_bad_plans_are_refused_with_one_sentence(
    tmp_path: Path, old: str, new: str, code: int, sentence: str
) -> None:
    plan = trivial_plan(tmp_path)
    _broken(plan, old, new)
    done = tournament("run", plan)
    assert done.returncode == code, done.stdout + done.stderr
    assert sentence in (done.stderr if code == 2 else done.stdout)
    assert "Traceback" not in done.stderr
    if code == 2:
        assert len(done.stderr.splitlines()) == 1
        assert not plan.with_suffix(".db").exists()


def test_pinning_to_too_many_cores_is_refused(tmp_path: Path) -> None:
    done = tournament("run", trivial_plan(tmp_path), "--pin", "1000")
    assert done.returncode == 1
    assert "2 games in parallel with 1000 cores each" in done.stderr
    assert tournament("run", trivial_plan(tmp_path, concurrency=1), "--pin", "1").returncode == 0


def test_missing_files(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.toml"
    assert tournament("run", nowhere).returncode == 2
    for command in ("status", "extend"):
        done = tournament(command, trivial_plan(tmp_path))
        assert done.returncode == 1
        assert "no such run" in done.stderr
    store = tmp_path / "no" / "folder.db"
    done = tournament("run", trivial_plan(tmp_path), "--store", store)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"trivalent tournament: cannot write {store}-lock: No such file or directory"
    ]
