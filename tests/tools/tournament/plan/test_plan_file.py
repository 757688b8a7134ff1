"""Plan files: what they mean, and which plans have the same digest."""

import json
import pickle
import re
import string
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_texts import HEAD, HERE, THREE, TWO, read

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.games import hex_board
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Ending, Engine, Opening, TimeControl
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import (
    Adaptive,
    Deadlines,
    Faults,
    Gauntlet,
    Knockout,
    Ladder,
    Matches,
    Plan,
    Swiss,
    dumps,
    loads,
)
from trivalent.tools.tournament.plan.strict_toml import PlanError


def test_minimal_plan() -> None:
    plan = read("size = 11\nclock = { move = 1.5 }\n")
    assert plan.board == hex_board(11)
    assert plan.swap == "off"
    assert plan.format == "round-robin"
    assert plan.options is None
    assert plan.openings == (Opening("empty"),)
    assert plan.rounds == 1
    assert plan.clock == plan.clock_of("a") == TimeControl(move=1.5)
    # Games run in parallel: an engine gets one core.
    assert plan.engine("a") == Engine("a", player="mcts", parameters={"threads": "1"})
    assert plan.engine("b") == Engine("b", player="uct")
    with pytest.raises(KeyError):
        plan.engine("c")


EVERYTHING = """
name = "everything"
game = "y"
size = 6
swap = "sides"
format = "gauntlet"
rounds = 3
seed = 99
margin = 0.25
move_limit = 40
concurrency = 2
restart = true
openings = ["b2", "b2 c3"]
clock = { main = 60, byo_yomi = 5, stones = 10 }
gauntlet = { heroes = ["mine"] }
deadlines = { start = 1, command = 2, move = 3.5, quit = 4 }
faults = { void = ["time", "crash"], in_a_row = 5, share = 0.5 }

[engines.mine]
player = "mcts"
rave_weight = [0.1, 0.2]
reuse = false
threads = 2
clock = { nodes = [10, 20] }
restart = false

[engines.theirs]
command = ["./engine", "--quiet", "{seed}"]
dialect = "morat-y"
cwd = "folder"
environment = { LANG = "C" }
startup = ["param_x 1"]
clock = { main = 10, increment = 0.5 }

[engines.far]
address = "[::1]:20000"
"""


def test_plan_with_every_key() -> None:
    plan = parse(EVERYTHING, HERE)
    mine = {
        f"mine+rave_weight={rave}+nodes={nodes}": Engine(
            f"mine+rave_weight={rave}+nodes={nodes}",
            player="mcts",
            parameters={"threads": "2", "reuse": "0", "rave_weight": rave},
            clock=TimeControl(nodes=nodes),
        )
        for rave in ("0.1", "0.2")
        for nodes in (10, 20)
    }
    assert plan == Plan(
        name="everything",
        game="y",
        width=6,
        height=6,
        swap="sides",
        format="gauntlet",
        options=Gauntlet(tuple(mine)),
        rounds=3,
        seed=99,
        margin=0.25,
        move_limit=40,
        concurrency=2,
        openings=(Opening("b2", ("b2",)), Opening("b2-c3", ("b2", "c3"))),
        clock=TimeControl(main=60, byo_yomi=5, stones=10),
        deadlines=Deadlines(1, 2, 3.5, 4),
        faults=Faults((Ending.CRASH, Ending.TIME), 5, 0.5),
        directory=str(HERE),
        engines=(
            *mine.values(),
            Engine(
                "theirs",
                command=("./engine", "--quiet", "{seed}"),
                dialect="morat-y",
                cwd=str(HERE / "folder"),
                environment={"LANG": "C"},
                startup=("param_x 1",),
                clock=TimeControl(main=10, increment=0.5),
                restart=True,
            ),
            Engine("far", address=("::1", 20000), restart=True),
        ),
    )
    assert plan.clock_of("far") == plan.clock
    assert loads(dumps(plan)) == plan
    assert loads(dumps(plan)).digest == plan.digest
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301  our own
    json.loads(dumps(plan))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('format = "round-robin"', None),
        (
            'format = "matches"\nmatches = [["a", "b"], ["c", "a"]]',
            Matches((("a", "b"), ("c", "a"))),
        ),
        ('format = "gauntlet"\ngauntlet.heroes = ["b", "c"]', Gauntlet(("b", "c"))),
        ('format = "knockout"', Knockout(10)),
        ('format = "knockout"\nknockout.tie_breaks = 3', Knockout(3)),
        ('format = "swiss"\nswiss.rounds = 2', Swiss(2)),
        ('format = "ladder"', Ladder(1)),
        ('format = "ladder"\nladder.passes = 2', Ladder(2)),
        ('format = "adaptive"\nadaptive.pairs = 60', Adaptive(60, 3)),
        ('format = "adaptive"\nadaptive = { pairs = 60, batch = 4 }', Adaptive(60, 4)),
    ],
)
def test_formats(text: str, options: object) -> None:
    plan = read(f"{HEAD}{text}\n", THREE)
    assert plan.options == options
    assert loads(dumps(plan)) == plan


def test_sprt() -> None:
    plan = read(f'{HEAD}format = "sprt"\n[sprt]\nelo1 = 20\nbeta = 0.1\n')
    assert plan.options == Sprt(0, 20, 0.05, 0.1)
    assert loads(dumps(plan)) == plan
    plan = read(f'{HEAD}format = "sprt"\n[sprt]\nelo0 = -5\nmodel = "normalized"\n')
    assert plan.options == Sprt(-5, 30, 0.05, 0.05, "normalized")


def test_names_in_a_grid() -> None:
    engines = TWO.replace('"mcts"\n', '"mcts"\nreuse = [true, false]\nexploration = [0.1]\n')
    plan = read(f'{HEAD}format = "gauntlet"\ngauntlet.heroes = ["b"]\n', engines)
    names = [engine.name for engine in plan.engines]
    assert names == ["a+reuse=1+exploration=0.1", "a+reuse=0+exploration=0.1", "b"]
    plan = read(
        f'{HEAD}format = "matches"\nmatches = [["a+reuse=0+exploration=0.1", "b"]]\n', engines
    )
    assert plan.options == Matches((("a+reuse=0+exploration=0.1", "b"),))


def test_names_have_blanks_and_any_letters() -> None:
    names = ("MoHex 2.0", "\u65e5\u672c", "1/2", "'\"-")
    engines = "".join(f'[engines.{json.dumps(name)}]\nplayer = "uct"\n' for name in names)
    plan = read(f'{HEAD}format = "matches"\nmatches = [["MoHex 2.0", "1/2"]]\n', engines)
    assert tuple(engine.name for engine in plan.engines) == names
    assert plan.options == Matches((("MoHex 2.0", "1/2"),))
    assert loads(dumps(plan)) == plan


def test_limits_have_a_reason() -> None:
    plan = read(f'{HEAD}format = "swiss"\nswiss.rounds = 5\n', f"{THREE}")
    assert plan.options == Swiss(5)
    plan = read(
        f'{HEAD}format = "sprt"\nsprt = {{ elo0 = 200, elo1 = 260, model = "normalized" }}\n'
    )
    assert plan.options == Sprt(200, 260, 0.05, 0.05, "normalized")
    third = '[engines.c]\nclock.move = 1\ncommand = ["c"]\n'
    engines = f'{TWO}{third}startup = ["loadsgf \u00fcbung.sgf"]\n'
    assert read(HEAD, engines).engine("c").startup == ("loadsgf \u00fcbung.sgf",)


def test_no_parameter_has_the_name_of_another_key() -> None:
    """Parameters share a table with the other keys of an engine."""
    for player, (kind, _) in PLAYERS.items():
        ours = {"player", "command", "address", "dialect", "cwd", "environment", "startup"}
        assert not ours & kind.__dataclass_fields__.keys(), player
        assert not {"clock", "restart", "threads "} & kind.__dataclass_fields__.keys(), player


# Digest


def test_digest_covers_what_affects_games() -> None:
    plan = parse(EVERYTHING, HERE)
    same = (
        replace(plan, name="other", concurrency=9),
        replace(plan, faults=replace(plan.faults, in_a_row=9, share=0.2)),
        parse(EVERYTHING.replace("gauntlet = {", "# a comment\ngauntlet = {"), HERE),
    )
    assert {one.digest for one in same} == {plan.digest}
    for old, new in (
        ("seed = 99", "seed = 98"),
        ("size = 6", "size = 7"),
        ('swap = "sides"', 'swap = "off"'),
        ("rounds = 3", "rounds = 4"),
        ('"b2 c3"', '"b2 b3"'),
        ("stones = 10", "stones = 11"),
        ("[0.1, 0.2]", "[0.1, 0.3]"),
        ('["time", "crash"]', '["time"]'),
        ('"--quiet"', '"--loud"'),
        ('"folder"', '"folders"'),
        ('"C"', '"de"'),
        ("margin = 0.25", "margin = 0.5"),
    ):
        assert old in EVERYTHING
        assert parse(EVERYTHING.replace(old, new), HERE).digest != plan.digest, new


def test_digest_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    assert parse(EVERYTHING, tmp_path / "a").digest == parse(EVERYTHING, tmp_path / "b").digest


# Arbitrary plans

_KEYS = st.sampled_from(
    [
        "name",
        "game",
        "size",
        "swap",
        "format",
        "rounds",
        "seed",
        "margin",
        "clock",
        "openings",
        "engines",
        "matches",
        "sprt",
        "swiss",
        "gauntlet",
        "deadlines",
        "faults",
        "move",
        "main",
        "nodes",
        "player",
        "command",
        "address",
        "a",
        "b",
        "heroes",
        "suite",
        "file",
        "plies",
        "count",
        "void",
        "startup",
        "environment",
        "rave_weight",
    ]
)
_VALUES = st.recursive(
    st.booleans()
    | st.integers(-5, 100)
    | st.floats()
    | st.text(string.printable, max_size=8)
    | st.sampled_from(["hex", "y", "all", "random", "mcts", "a", "sprt", "swiss", "knockout"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=12,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=8), st.booleans())
def test_any_plan_is_read_or_refused(values: dict[str, object], good: bool) -> None:
    text = _toml(tomllib.loads(EVERYTHING) | values if good else values)
    try:
        plan = parse(text, HERE)
    except PlanError as error:
        assert re.fullmatch(r"[ -~]+", str(error))  # noqa: PT017  it need not be raised
    else:
        assert loads(dumps(plan)) == plan


def _toml(values: dict[str, object]) -> str:
    return "\n".join(f"{key} = {_value(value)}" for key, value in values.items())


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            pairs = (f"{json.dumps(key)} = {_value(one)}" for key, one in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case str():
            return json.dumps(value).replace("\x7f", "\\u007f")
        case _:
            return str(value)
