"""Games between well-behaved and hostile engines: every ending and who is blamed for it."""

import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeAlias

import pytest
from hostile import command
from leaks import alive, descriptors, nothing_stays, wait_for
from sockets import Served

from pipes import HANGS
from trivalent.gtp.client.client import EngineError, RefusedError
from trivalent.tools.tournament.model import Ending, Engine, Game, Opening, Record, TimeControl
from trivalent.tools.tournament.plan.plan_model import Deadlines, Faults, Plan
from trivalent.tools.tournament.play import referee
from trivalent.tools.tournament.play.contestant import Contestant

GO_ON = threading.Event()
"""A stop that is never set."""

Settings: TypeAlias = Any


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    with nothing_stays():
        yield


def make_plan(*engines: Engine, **settings: Settings) -> Plan:
    defaults: dict[str, Settings] = {
        "name": "test",
        "game": "hex",
        "width": 3,
        "height": 3,
        "openings": (Opening("none"),),
        "deadlines": Deadlines(start=HANGS, command=HANGS, move=HANGS, quit=0.2),
    }
    return Plan(engines=engines, **defaults | settings)


def hostile(name: str, *words: str, **settings: Settings) -> Engine:
    return Engine(name, command=command(*words), **settings)


def make_game(*opening: str) -> Game:
    return Game("id", "pair", 1, "a", "b", Opening("opening", opening), (11, 12))


class Match:
    """Two contestants of a plan, closed on exit."""

    def __init__(self, *engines: Engine, **settings: Settings) -> None:
        self.plan = make_plan(*engines, **settings)
        self.black, self.white = (Contestant(engine, self.plan) for engine in engines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.black.close()
        self.white.close()

    def play(self, *opening: str, stop: threading.Event = GO_ON) -> Record:
        return referee.play(make_game(*opening), self.plan, self.black, self.white, stop=stop)


def play(*words: str, opening: tuple[str, ...] = (), **settings: Settings) -> Record:
    """Play an engine with this behaviour, as Black, against a well-behaved one."""
    with Match(hostile("a", *words), hostile("b", "--seed", "1"), **settings) as match:
        return match.play(*opening)


def test_connection() -> None:
    with Match(hostile("a", "moves=b1,b2,b3"), hostile("b", "moves=c3,c2")) as match:
        record = match.play()
    assert record.game == "id"
    assert (record.ending, record.winner, record.blamed) == (Ending.CONNECTION, "a", "")
    assert (record.detail, record.logs, record.lag) == ("", {}, 0.0)
    assert record.moves == ("b1", "c3", "b2", "c2", "b3")
    assert len(record.seconds) == 5
    assert record.duration >= sum(record.seconds) - 0.001


def test_opening_moves_are_sent_to_both_engines() -> None:
    with Match(hostile("a", "echo", "moves=b3"), hostile("b", "echo", "moves=c2")) as match:
        record = match.play("b1", "c3", "b2")
        said = [contestant.log.text().split("\n") for contestant in (match.black, match.white)]
    assert record.moves == ("b1", "c3", "b2", "c2", "b3")
    assert record.seconds[:3] == (0, 0, 0)
    opening = ["clear_board", "play black b1", "play white c3", "play black b2"]
    assert said == [
        [*opening, "play white c2", "genmove black", ""],
        [*opening, "genmove white", ""],
    ]


def test_opening_that_wins_the_game() -> None:
    with Match(hostile("a"), hostile("b")) as match:
        assert match.play("b1", "c1", "b2", "c2", "b3").winner == "a"


@pytest.mark.parametrize(
    ("words", "ending", "detail"),
    [
        (["crash"], Ending.CRASH, "a exited with code 3 during 'genmove black'"),
        (["crash@2"], Ending.CRASH, "a exited with code 3 during 'genmove black'"),
        (["dies=play"], Ending.CRASH, "a exited with code 4 during 'play white "),
        (["segv"], Ending.CRASH, "a was killed by SIGSEGV during 'genmove black'"),
        (["closes"], Ending.CRASH, "a closed its output during 'genmove black'"),
        (["hangs"], Ending.NO_ANSWER, "a did not answer 'genmove black' in time"),
        (["stops"], Ending.NO_ANSWER, "a did not answer 'genmove black' in time"),
        (["wrong-id"], Ending.PROTOCOL, "a did not answer 'genmove black' in GTP, but wrote"),
        (["unended"], Ending.PROTOCOL, "a did not answer 'genmove black' in GTP, but wrote"),
        (["endless"], Ending.PROTOCOL, "a wrote more than 4 MiB without answering"),
        (["line=10000000"], Ending.PROTOCOL, "a wrote more than 4 MiB without answering"),
        (["refuse"], Ending.PROTOCOL, "a answered 'genmove black' with '? I will not move'"),
        (["answer=z99"], Ending.ILLEGAL_MOVE, "a answered 'z99': 'z99' is not a move"),
        (["answer=a4"], Ending.ILLEGAL_MOVE, "a answered 'a4': 'a4' is not a move"),
        (["answer="], Ending.ILLEGAL_MOVE, "a answered '': '' is not a move"),
        (["answer=a1_b2"], Ending.ILLEGAL_MOVE, "a answered 'a1_b2': 'a1_b2' is not a move"),
        (["answer=pass"], Ending.ILLEGAL_MOVE, "a answered 'pass': passing isn't allowed"),
        (["answer=swap"], Ending.ILLEGAL_MOVE, "a answered 'swap': 'swap' is not a move"),
        (["moves=a1,a1"], Ending.ILLEGAL_MOVE, "a answered 'a1': a1 is occupied"),
        (["objects@0"], Ending.OBJECTION, "a answered 'play white "),
    ],
)
def test_fault(words: list[str], ending: Ending, detail: str) -> None:
    deadlines = Deadlines(start=HANGS, command=HANGS, move=HANGS, quit=0.2)
    if words[0] in ("hangs", "stops", "wrong-id", "unended"):
        deadlines = replace(deadlines, move=1)
    record = play(*words, deadlines=deadlines)
    assert (record.ending, record.winner, record.blamed) == (ending, "b", "a")
    assert record.detail.startswith(detail)
    if ending is Ending.CRASH and "crash" in words[0]:
        assert record.logs == {"a": "about to crash\n"}


def test_fault_of_the_second_engine() -> None:
    with Match(hostile("a"), hostile("b", "crash")) as match:
        record = match.play()
    assert (record.ending, record.winner, record.blamed) == (Ending.CRASH, "a", "b")
    assert len(record.moves) == 1


@pytest.mark.parametrize(
    "manner", ["garbage@0", "nul@0", "crlf@0", "twice@0", "no-ids", "late@3", "stderr=3", "child"]
)
def test_harmless_oddities_are_tolerated(manner: str) -> None:
    record = play(manner)
    assert record.ending is Ending.CONNECTION
    assert record.moves == play().moves


@pytest.mark.parametrize("word", ["resign", "RESIGN"])
def test_resignation_as_first_move(word: str) -> None:
    record = play(f"answer={word}")
    assert (record.ending, record.winner, record.blamed) == (Ending.RESIGNATION, "b", "")
    assert record.moves == ("resign",)


def test_resignation_after_an_opening() -> None:
    with Match(hostile("a"), hostile("b", "answer=resign")) as match:
        record = match.play("b2")
    assert (record.winner, record.moves) == ("a", ("b2", "resign"))


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        (
            ["ends"],
            "a exited with code 1 during 'name'; last line on stderr: 'cannot open the model'",
        ),
        (["mute"], "a did not answer 'name' in time"),
        (["fails=boardsize"], "a answered 'boardsize 3' with '? not here'"),
        (["dies=clear_board"], "a exited with code 4 during 'clear_board'"),
    ],
)
def test_not_started(words: list[str], detail: str) -> None:
    start = 0.3 if words == ["mute"] else HANGS
    record = play(*words, deadlines=Deadlines(start=start, quit=0.2))
    assert (record.ending, record.winner, record.blamed) == (Ending.NOT_STARTED, "", "a")
    assert record.detail == detail
    assert record.moves == ()
    assert record.logs == ({"a": "cannot open the model\n"} if words == ["ends"] else {})


def test_missing_program() -> None:
    with Match(hostile("a"), Engine("b", command=("/not/there",))) as match:
        record = match.play()
    assert (record.ending, record.winner, record.blamed) == (Ending.NOT_STARTED, "", "b")
    assert "No such file" in record.detail


def test_dialect_without_the_board() -> None:
    with Match(hostile("a", dialect="mohex"), hostile("b"), game="y") as match:
        record = match.play()
    assert (record.ending, record.detail) == (Ending.NOT_STARTED, "a: it does not play Y")


def test_dialect_without_the_clock() -> None:
    control = TimeControl(main=1, byo_yomi=1)
    with Match(hostile("a", dialect="mohex", clock=control), hostile("b")) as match:
        record = match.play()
    assert (record.ending, record.detail) == (Ending.NOT_STARTED, "a: it does not support byo-yomi")


def test_move_limit() -> None:
    record = play(move_limit=2)
    assert (record.ending, record.winner, record.blamed) == (Ending.MOVE_LIMIT, "", "")
    assert len(record.moves) == 2


def test_plan_can_declare_faults_void() -> None:
    record = play("crash", faults=Faults(void=(Ending.CRASH,)))
    assert (record.ending, record.winner, record.blamed) == (Ending.CRASH, "", "a")


class Heart:
    """A pulse that reports this lag."""

    def __init__(self, lag: float) -> None:
        self._lag = lag

    def get(self) -> Self:
        return self

    def lag(self, since: float) -> float:
        return self._lag


def starve(
    monkeypatch: pytest.MonkeyPatch, engine: Iterable[float] = (), ours: Iterable[float] = ()
) -> None:
    """Let the first engine and the referee report these waiting times, reading by reading."""
    looks = iter([engine, (), ours])
    monkeypatch.setattr(referee, "Starvation", lambda number: Looks(next(looks, ())))


class Looks:
    def __init__(self, seconds: Iterable[float]) -> None:
        self._seconds = iter(seconds)

    def seconds(self) -> float:
        return next(self._seconds, 0.0)

    def close(self) -> None:
        pass


def late(
    monkeypatch: pytest.MonkeyPatch, *words: str, lag: float = 0.0, **clock: Settings
) -> Record:
    monkeypatch.setattr(referee, "pulse", Heart(lag))
    starve(monkeypatch)
    engine = hostile("a", *words, clock=TimeControl(**clock))
    with Match(engine, hostile("b"), margin=0.05) as match:
        return match.play()


@pytest.mark.parametrize("clock", [{"move": 0.1}, {"main": 0.1}, {"byo_yomi": 0.1, "stones": 3}])
def test_time(monkeypatch: pytest.MonkeyPatch, clock: dict[str, float]) -> None:
    record = late(monkeypatch, "slow=0.4", **clock)
    assert (record.ending, record.winner, record.blamed) == (Ending.TIME, "b", "a")
    assert record.detail.startswith("a used ")
    assert "s of 0.100 s; the host held up the referee for 0.000 s" in record.detail


def test_hang_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "GRACE_SECONDS", 0.1)
    record = late(monkeypatch, "hangs", move=0.1)
    assert (record.ending, record.winner, record.blamed) == (Ending.TIME, "b", "a")


def test_second_move_has_less_of_the_main_time(monkeypatch: pytest.MonkeyPatch) -> None:
    record = late(monkeypatch, "slow=0.7@0", "moves=a1,b2", main=1)
    assert (record.ending, record.winner) == (Ending.TIME, "b")
    assert record.moves[0] == "a1"
    assert len(record.moves) == 2


def test_delays_by_the_host_are_void(monkeypatch: pytest.MonkeyPatch) -> None:
    record = late(monkeypatch, "slow=0.4", lag=HANGS, move=0.1)
    assert (record.ending, record.winner, record.blamed) == (Ending.OVERLOAD, "", "")
    assert record.lag == HANGS


def test_starved_engine_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "pulse", Heart(0.0))
    starve(monkeypatch, engine=[1, 1 + HANGS])
    engine = hostile("a", "slow=0.4", clock=TimeControl(move=0.1))
    with Match(engine, hostile("b"), margin=0.05) as match:
        assert match.play().ending is Ending.OVERLOAD


def test_starved_referee_does_not_blame_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "pulse", Heart(0.0))
    starve(monkeypatch, ours=[1, 1 + HANGS])
    engine = hostile("a", "slow=0.4", clock=TimeControl(move=0.1))
    with Match(engine, hostile("b"), margin=0.05) as match:
        record = match.play()
    assert (record.ending, record.lag) == (Ending.OVERLOAD, HANGS)


def test_suspension(monkeypatch: pytest.MonkeyPatch) -> None:
    since = iter([5.0, 9.0])
    monkeypatch.setattr("trivalent.tools.tournament.play.clocks.suspension", lambda: 9.0)
    monkeypatch.setattr(referee, "suspension", lambda: next(since))
    with Match(hostile("a", clock=TimeControl(move=HANGS)), hostile("b")) as match:
        record = match.play()
        assert (record.ending, record.winner, record.blamed) == (Ending.SUSPENDED, "", "")
        assert match.play().ending is Ending.CONNECTION


def test_margin_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "pulse", Heart(0.0))
    with Match(
        hostile("a", "echo", "slow=0.05", "moves=b1,b2,b3"),
        hostile("b", "moves=a1,a2"),
        clock=TimeControl(main=0.01, increment=2),
        margin=HANGS,
    ) as match:
        record = match.play()
        said = match.black.log.text().split("\n")
    assert record.ending is Ending.CONNECTION
    assert "time_settings 0.01 0 0" in said
    assert [line for line in said if line.startswith("time_left")][:2] == [
        "time_left black 0 0",
        "time_left black 2 0",
    ]


def test_stop_in_a_search_without_end() -> None:
    stop = threading.Event()
    with Match(hostile("a", "echo", "hangs"), hostile("b")) as match:

        def stop_in_the_search() -> None:
            wait_for(lambda: "genmove" in match.black.log.text())
            stop.set()

        thread = threading.Thread(target=stop_in_the_search)
        thread.start()
        record = match.play(stop=stop)
        thread.join()
        assert (record.ending, record.winner, record.blamed) == (Ending.INTERRUPTED, "", "")
        assert match.black.pid is None
        assert match.white.pid is not None


def test_stop_before_the_game() -> None:
    stop = threading.Event()
    stop.set()
    with Match(hostile("a"), hostile("b")) as match:
        assert match.play(stop=stop).ending is Ending.INTERRUPTED


def test_engines_continue_after_faults() -> None:
    with Match(hostile("a", "crash@3"), hostile("b")) as match:
        first = match.play()
        assert first.ending is Ending.CRASH
        pid = match.white.pid
        again = match.play()
        assert again.moves == first.moves
        assert match.white.pid == pid


def test_logs_cover_one_game_only() -> None:
    with Match(hostile("a", "echo"), hostile("b", "echo", "crash@2")) as match:
        match.play("a1", "b1", "a2", "b2", "a3")
        record = match.play()
    assert record.ending is Ending.CRASH
    for name in "ab":
        lines = record.logs[name].splitlines()
        assert lines.count("clear_board") == 1
        assert lines[0] == "clear_board"
    assert record.logs["b"].endswith("about to crash\n")


def test_process_failing_between_games_is_replaced() -> None:
    with Match(hostile("a"), hostile("b")) as match:
        first = match.play()
        assert match.black.pid is not None
        os.kill(match.black.pid, 9)
        assert match.play().moves == first.moves


def test_new_process_for_every_game() -> None:
    with Match(hostile("a", restart=True), hostile("b", "--seed", "{seed}")) as match:
        pids: set[int | None] = set()
        for _ in range(2):
            assert match.play().ending is Ending.CONNECTION
            pids |= {match.black.pid, match.white.pid}
    assert len(pids) == 4


def test_seeds() -> None:
    startup = ("boardsize 3", "seed {seed}")
    with Match(hostile("a", "echo", startup=startup), hostile("b", startup=startup)) as match:
        match.play()
        assert match.black.log.text().startswith("seed 11\nclear_board\n")


def test_built_in_players_repeat_a_game() -> None:
    own = Engine("a", player="mcts", parameters={"threads": "1"}, clock=TimeControl(nodes=600))
    engines = own, replace(own, name="b")
    games = []
    with Match(*engines, width=5, height=5) as match:
        for seeds in ((1, 2), (3, 4), (1, 2)):
            game = replace(make_game(), seeds=seeds)
            games.append(referee.play(game, match.plan, match.black, match.white, stop=GO_ON).moves)
    with Match(*engines, width=5, height=5) as match:
        game = replace(make_game(), seeds=(3, 4))
        games.append(referee.play(game, match.plan, match.black, match.white, stop=GO_ON).moves)
    assert games[0] == games[2]
    assert games[1] == games[3]


def test_engine_that_listens(tmp_path: Path) -> None:
    with Served(tmp_path / "log", "--player", "random") as server:
        far = Engine("a", address=("127.0.0.1", server.port), dialect="trivalent")
        near = hostile("b", "no-ids", startup=("set_game y",))
        with Match(far, near, game="y", width=5, height=5) as match:
            for _ in range(2):
                record = match.play("a1")
                assert record.ending is Ending.CONNECTION
            assert match.black.pid is None
            server.finish()
            record = match.play()
            assert (record.ending, record.blamed) == (Ending.NOT_STARTED, "a")
            assert record.detail.startswith("cannot reach a (127.0.0.1, port ")


def test_unknown_built_in_player() -> None:
    with Match(Engine("a", player="nobody"), hostile("b")) as match:
        record = match.play()
    assert record.ending is Ending.NOT_STARTED
    assert "unknown player 'nobody'" in record.detail


SWAPS = [
    # The swap rule, the dialect of the engine that swaps, its answer, the reply.
    ("pieces", "plain", "swap-pieces", "b3"),
    ("pieces", "plain", "swap", "b3"),
    ("sides", "plain", "swap-sides", "b3"),
    ("sides", "trivalent", "swap-pieces", "b3"),
    ("pieces", "trivalent", "swap-sides", "b3"),
    ("pieces", "mohex", "swap-pieces", "b3"),
    ("sides", "mohex", "swap-pieces", "b3"),
]


@pytest.mark.parametrize(("swap", "dialect", "word", "move"), SWAPS)
def test_swap_belongs_to_the_engine(swap: str, dialect: str, word: str, move: str) -> None:
    white = hostile("b", f"moves={word}", dialect=dialect)
    with Match(hostile("a", f"moves={move},resign"), white, swap=swap) as match:
        record = match.play("c1")
    assert record.moves[:3] == ("c1", f"swap-{swap}", move)
    assert (record.ending, record.winner) == (Ending.RESIGNATION, "b")


def test_swap_sides_exchanges_the_goals() -> None:
    # a opens with Black b2; b swaps, so a is now White and connects left and right.
    with Match(
        hostile("a", "moves=a3,b3,c3"), hostile("b", "moves=swap-sides,b1,c1"), swap="sides"
    ) as match:
        record = match.play("b2")
    assert record.moves == ("b2", "swap-sides", "a3", "b1", "b3", "c1", "c3")
    assert (record.ending, record.winner) == (Ending.CONNECTION, "a")


TOO_LATE = "swap-pieces is possible as second move only"


@pytest.mark.parametrize(
    ("swap", "opening", "words", "detail"),
    [
        ("off", ["a1"], "swap-pieces", "'swap-pieces' is not a move"),
        ("pieces", ["a1"], "swap-sides", "'swap-sides' is not a move"),
        ("sides", ["a1"], "swap-pieces", "'swap-pieces' is not a move"),
        ("pieces", ["a1", "b1", "c1"], "swap-pieces", TOO_LATE),
        ("pieces", ["a1", "swap-pieces", "c1"], "swap", TOO_LATE),
    ],
)
def test_illegal_swaps(swap: str, opening: list[str], words: str, detail: str) -> None:
    with Match(hostile("a"), hostile("b", f"answer={words}"), swap=swap) as match:
        record = match.play(*opening)
    assert (record.ending, record.winner, record.blamed) == (Ending.ILLEGAL_MOVE, "a", "b")
    assert record.detail == f"b answered '{words}': {detail}"


def test_check() -> None:
    plan = make_plan(hostile("a"), hostile("b", "fails=play"), hostile("c", "answer=nothing"))
    a, b, c = (Contestant(engine, plan) for engine in plan.engines)
    assert a.check() == "Hostile 1"
    assert a.pid is None
    with pytest.raises(RefusedError, match=r"^b answered 'play black .*' with '\? not here'$"):
        b.check()
    with pytest.raises(EngineError, match=r"^c opens a game with 'nothing', "):
        c.check()


def test_a_thousand_games_leak_nothing() -> None:
    with Match(hostile("a"), hostile("b", "--seed", "1")) as match:
        match.play()
        pids, files = (match.black.pid, match.white.pid), descriptors()
        for _ in range(1000):
            assert match.play().ending is Ending.CONNECTION
        assert (match.black.pid, match.white.pid) == pids
        assert set(alive()) == set(pids)
        assert descriptors() == files
