"""Plan files: what they mean, and that bad ones are refused in a sentence that names the place."""

import gzip
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

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.board import hex_board, y_board
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Ending, Engine, Opening, TimeControl
from trivalent.tools.tournament.plan.plan_file import load, parse
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

HERE = Path(__file__).parent
TWO = """
[engines.a]
player = "mcts"
[engines.b]
player = "uct"
"""
HEAD = "size = 5\nclock = { nodes = 10 }\n"
THREE = f'{TWO}[engines.c]\nplayer = "random"\n'


def read(head: str = HEAD, engines: str = TWO) -> Plan:
    return parse(head + engines, HERE)


def test_few_lines_are_enough() -> None:
    plan = read("size = 11\nclock = { move = 1.5 }\n")
    assert plan.board == hex_board(11)
    assert plan.swap == "off"
    assert plan.format == "round-robin"
    assert plan.options is None
    assert plan.openings == (Opening("empty"),)
    assert plan.rounds == 1
    assert plan.clock == plan.clock_of("a") == TimeControl(move=1.5)
    # Games run side by side: an engine takes one core.
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
rave = [0.1, 0.2]
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


def test_everything_that_a_plan_can_say() -> None:
    plan = parse(EVERYTHING, HERE)
    mine = {
        f"mine+rave={rave}+nodes={nodes}": Engine(
            f"mine+rave={rave}+nodes={nodes}",
            player="mcts",
            parameters={"threads": "2", "reuse": "0", "rave": rave},
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
    engines = TWO.replace('"mcts"\n', '"mcts"\nreuse = [true, false]\nexplore = [0.1]\n')
    plan = read(f'{HEAD}format = "gauntlet"\ngauntlet.heroes = ["b"]\n', engines)
    names = [engine.name for engine in plan.engines]
    assert names == ["a+reuse=1+explore=0.1", "a+reuse=0+explore=0.1", "b"]
    plan = read(f'{HEAD}format = "matches"\nmatches = [["a+reuse=0+explore=0.1", "b"]]\n', engines)
    assert plan.options == Matches((("a+reuse=0+explore=0.1", "b"),))


def test_no_parameter_has_the_name_of_another_key() -> None:
    """Parameters stand among the keys of an engine."""
    for player, (kind, _) in PLAYERS.items():
        ours = {"player", "command", "address", "dialect", "cwd", "environment", "startup"}
        assert not ours & kind.__dataclass_fields__.keys(), player
        assert not {"clock", "restart", "threads "} & kind.__dataclass_fields__.keys(), player


# What is refused


@pytest.mark.parametrize(
    ("head", "complaint"),
    [
        ("", "size is missing"),
        ("sise = 5\n", "size is missing (did you mean 'sise'?)"),
        (f"{HEAD}sede = 5\n", "unknown key 'sede' (did you mean 'seed'?)"),
        (f"{HEAD}xyzzy = 5\n", "unknown key 'xyzzy' (known: "),
        ("size = \n", "invalid TOML: "),
        ("size = 5\nsize = 6\n", "invalid TOML: Cannot overwrite a value (at line 2"),
        ("size = 0\n", "size must be between 1 and 63, not 0"),
        ("size = 64\n", "size must be between 1 and 63, not 64"),
        ("size = true\n", 'size must be an integer or a string such as "9x13", not true'),
        ("size = 5.0\n", 'size must be an integer or a string such as "9x13", not 5.0'),
        ('size = "9x"\n', "size must be an integer or a string such as \"9x13\", not '9x'"),
        ('size = "9x99"\n', "size must be between 1 and 63, not 9x99"),
        ('game = "y"\nsize = "5x6"\n', "size isn't possible: a Y board has one size, not 5 by 6"),
        (f'{HEAD}game = "go"\n', "game must be one of hex, y, not 'go'"),
        (f"{HEAD}game = 3\n", "game must be a string, not 3"),
        (f'{HEAD}swap = "on"\n', "swap must be one of off, pieces, sides, not 'on'"),
        ('swap = "pieces"\nsize = "5x6"\n', "swap must be off or sides: swap-pieces isn't possible"),
        (f"{HEAD}rounds = 0\n", "rounds must be between 1 and 1000000, not 0"),
        (f"{HEAD}rounds = 1.5\n", "rounds must be an integer, not 1.5"),
        (f"{HEAD}seed = -1\n", "seed must be between 0 and "),
        (f"{HEAD}margin = -0.1\n", "margin must be between 0 and 1e+06, not -0.1"),
        (f"{HEAD}margin = nan\n", "margin must be between 0 and 1e+06, not nan"),
        (f'{HEAD}restart = "yes"\n', "restart must be true or false, not 'yes'"),
        (f"{HEAD}deadlines = {{ start = 0 }}\n", "deadlines.start must be between 0.01 and 1e+06, not 0"),
        (f"{HEAD}deadlines = {{ begin = 1 }}\n", "deadlines: unknown key 'begin' (known: start, "),
        (f"{HEAD}deadlines = 5\n", "deadlines must be a table, not 5"),
        (f'{HEAD}faults = {{ void = ["rain"] }}\n', "faults.void must be one of time, crash, "),
        (
            f'{HEAD}faults = {{ void = "time" }}\n',
            "faults.void must be an array of strings, not 'time'",
        ),
        (f"{HEAD}faults = {{ share = 2 }}\n", "faults.share must be between 0 and 1, not 2"),
        ("size = 5\nclock = { move = -1 }\n", "clock.move must be between 0 and 1e+06, not -1"),
        ("size = 5\nclock = { move = inf }\n", "clock.move must be between 0 and 1e+06, not inf"),
        ("size = 5\nclock = { moves = 1 }\n", "clock: unknown key 'moves' (did you mean 'move'?)"),
        (
            "size = 5\nclock = { byo-yomi = 1 }\n",
            "clock: unknown key 'byo-yomi' (did you mean 'byo_yomi'?)",
        ),
        ("size = 5\nclock = {}\n", "clock sets no limit"),
        ("size = 5\nclock = { increment = 1 }\n", "clock has increment but no main"),
        (
            "size = 5\nclock = { main = 1, move = 1 }\n",
            "clock combines move (a fixed time per move) with",
        ),
        ("size = 5\nclock = { main = 1, stones = 2 }\n", "clock has stones but no byo_yomi"),
        (
            "size = 5\nclock = { main = 1, byo_yomi = 1, increment = 1 }\n",
            "clock has both increment and",
        ),
        (
            "size = 5\n",
            "engines.a has no clock, such as clock = { nodes = 1000 } or clock = { move = 1.0 }",
        ),
        (
            f'{HEAD}openings = "most"\n',
            "openings.suite must be one of none, all, distinct, random, not 'most'",
        ),
        (f"{HEAD}openings = 3\n", "openings.suite must be an array of strings, not 3"),
        (f"{HEAD}openings = []\n", "openings is an empty array"),
        (f'{HEAD}openings = ["a1", 3]\n', "openings.suite must be a string, not 3"),
        (
            f'{HEAD}openings = ["a1", "f1"]\n',
            "openings, number 2: no cell 'f1' on 5x5 Hex (last cell: e5)",
        ),
        (f'{HEAD}openings = ["a1 b2 a1"]\n', "openings, number 1: a1 is occupied"),
        (
            f'{HEAD}openings = ["a1 swap-pieces"]\n',
            "openings, number 1: swap-pieces can't be part of an",
        ),
        (
            f'{HEAD}openings = ["c3", "b1", "c3"]\n',
            "openings, number 3: c3 repeats openings, number 1",
        ),
        (
            f'{HEAD}openings = ["a1", "e5"]\n',
            "openings, number 2: e5 is symmetric to a1 (openings, number 1)",
        ),
        (
            f'{HEAD}openings = ["a1 b2 c3", "c3 b2 a1"]\n',
            "openings, number 2: c3 b2 a1 repeats",
        ),
        (
            f'{HEAD}openings = ["a1 a2 b1 b2 c1 c2 d1 d2 e1 e2"]\n',
            "openings, number 1: the game is over after a1 a2",
        ),
        (f'{HEAD}openings = {{ suite = "random", plies = 2 }}\n', "openings.count is missing"),
        (f'{HEAD}openings = {{ suite = "random", count = 2 }}\n', "openings.plies is missing"),
        (
            f'{HEAD}openings = {{ suite = "random", plies = 1, count = 14 }}\n',
            "openings has only 13 openings, but count = 14",
        ),
        (
            f'{HEAD}openings = {{ suite = "all", count = 26 }}\n',
            "openings has only 25 openings, but count = 26",
        ),
        (
            f'{HEAD}openings = {{ suite = "all", plies = 2 }}\n',
            "openings: unknown key 'plies' (known: ",
        ),
        (
            f'{HEAD}openings = {{ suite = "all", file = "x" }}\n',
            "openings must have either suite or file",
        ),
        (f"{HEAD}openings = {{}}\n", "openings must have either suite or file"),
        (f'{HEAD}openings = {{ file = "none.txt" }}\n', "none.txt: no such file"),
        (f'{HEAD}format = "cup"\n', "format must be one of round-robin, gauntlet, matches, sprt, "),
        (f'{HEAD}format = "gauntlet"\n', "gauntlet.heroes is missing"),
        (
            f'{HEAD}format = "gauntlet"\ngauntlet.heroes = ["aa"]\n',
            "gauntlet.heroes names an unknown engine, 'aa' (did you mean 'a'?)",
        ),
        (
            f'{HEAD}format = "gauntlet"\ngauntlet.heroes = ["a", "b"]\n',
            "gauntlet.heroes include every engine",
        ),
        (
            f'{HEAD}format = "gauntlet"\ngauntlet.heroes = ["a", "a"]\n',
            "gauntlet.heroes must name one or more different engines",
        ),
        (f'{HEAD}format = "matches"\n', "matches must be an array such as "),
        (
            f'{HEAD}format = "matches"\nmatches = [["a", "a"]]\n',
            "matches, number 1, must name two different engines, not ['a', 'a']",
        ),
        (
            f'{HEAD}format = "matches"\nmatches = [["a", "b"], ["b", "a"]]\n',
            "matches, number 2, repeats a match: b against a",
        ),
        (
            f'{HEAD}format = "matches"\nmatches = [["a", "x"]]\n',
            "matches, number 1, names an unknown engine, 'x' (known: a, b)",
        ),
        (
            f'{HEAD}format = "sprt"\nsprt = {{ elo0 = 5, elo1 = 5 }}\n',
            "sprt: elo1 (5) must be at least 0.01 above elo0 (5)",
        ),
        (
            f'{HEAD}format = "sprt"\nsprt = {{ alpha = 0.6 }}\n',
            "sprt.alpha must be between 0 and 0.5, not 0.6",
        ),
        (
            f'{HEAD}format = "sprt"\nsprt = {{ alpha = 0 }}\n',
            "sprt: alpha must be between 0 and 0.5, not 0.0",
        ),
        (
            f"{HEAD}sprt = {{ elo1 = 5 }}\n",
            'sprt belongs to format = "sprt", but the format is "round-robin"',
        ),
        (f'{HEAD}format = "swiss"\n', "swiss.rounds is missing"),
        (f'{HEAD}format = "swiss"\nswiss.rounds = 2\n', "swiss.rounds must be between 1 and 1, not 2"),
        (
            f'{HEAD}format = "adaptive"\nadaptive.pairs = 1\n',
            "adaptive.pairs must be between 2 and 1000000, not 1",
        ),
        (
            f'{HEAD}format = "adaptive"\nrounds = 1\nadaptive.pairs = 9\n',
            "rounds has no effect here",
        ),
        (f"{HEAD}name = 3\n", "name must be a string, not 3"),
        (f'{HEAD}name = "a\\u0007"\n', "name must not contain control characters: 'a\\x07'"),
    ],
)
def test_bad_plans(head: str, complaint: str) -> None:
    with pytest.raises(PlanError) as error:
        read(head)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("engines", "complaint"),
    [
        ("", "engines is missing: a plan needs at least two, such as [engines.mine]"),
        ("[engines]\n", "engines is missing"),
        ("engines = 3\n", "engines must be a table, not 3"),
        ('[[engines]]\nname = "a"\n', "engines must be a table, not [{'name': 'a'}]"),
        ('[engines.a]\nplayer = "mcts"\n', "engines has only a: a plan needs at least two"),
        (
            f"{TWO}[engines.c]\n",
            "engines.c must have exactly one of player, command and address, not 0",
        ),
        (f'{TWO}player = "uct"\n', "invalid TOML: Cannot overwrite a value"),
        (
            f'{TWO}command = ["x"]\n',
            "engines.b must have exactly one of player, command and address, not 2",
        ),
        (
            f'{TWO}[engines.a]\nplayer = "uct"\n',
            "invalid TOML: Cannot declare ('engines', 'a') twice",
        ),
        (
            f'{TWO}[engines.A]\nplayer = "uct"\n',
            "engines has the names a and A, which differ only in case",
        ),
        (
            f'{TWO}[engines."x/y"]\nplayer = "uct"\n',
            "engines has the invalid name 'x/y': names have 1 to 64 of",
        ),
        (
            f'{TWO}[engines."x y"]\nplayer = "uct"\n',
            "engines has the invalid name 'x y': names have 1 to 64 of",
        ),
        (
            f'{TWO}[engines.""]\nplayer = "uct"\n',
            "engines has the invalid name '': names have 1 to 64 of",
        ),
        (
            f'{TWO}[engines."\u00e9"]\nplayer = "uct"\n',
            "engines has the invalid name '\\xe9': names have 1 to",
        ),
        (f'{TWO}[engines.{"x" * 65}]\nplayer = "uct"\n', "names have 1 to 64 of"),
        (f'{TWO}[engines.{"x" * 60}]\nplayer = "uct"\nrave = [10, 20]\n', "longer than 64 characters"),
        (f"{TWO}rav = 3\n", "engines.b: unknown key 'rav' (did you mean 'rave'?)"),
        (f'{TWO}rave = "much"\n', "engines.b.rave must be a number, not 'much'"),
        (f"{TWO}rave = -3\n", "engines.b: rave must be at least 1.0, not -3.0"),
        (f"{TWO}expand = 1.5\n", "engines.b: expand must be a whole number, not '1.5'"),
        (f"{TWO}rave = inf\n", "engines.b.rave must be a number, not inf"),
        (f"{TWO}rave = []\n", "engines.b.rave is an empty array"),
        (f'{TWO}[engines.c]\nplayer = ["uct"]\n', "engines.c.player must be a string, not ['uct']"),
        (f"{TWO}rave = [100, 100]\n", "engines.b.rave repeats a value: [100, 100]"),
        (f"{TWO}rave = [100, [200]]\n", "engines.b.rave must be a number, not [200]"),
        (
            f"{TWO}seed = 3\n",
            "engines.b.seed can't be set: every game gets its own from the seed of the plan",
        ),
        (f'{TWO}cwd = "."\n', "engines.b: unknown key 'cwd' (known: "),
        (
            f'{TWO}[engines.c]\nplayer = "mcst"\n',
            "engines.c.player must be one of mcts, uct, random, not 'mcst'",
        ),
        (f'{TWO}[engines.c]\ncommand = "x -q"\n', "engines.c.command must be an array such as"),
        (f"{TWO}[engines.c]\ncommand = []\n", "engines.c.command names no program"),
        (f'{TWO}[engines.c]\ncommand = ["x", 3]\n', "engines.c.command must be a string, not 3"),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nrave = 1\n',
            "engines.c: unknown key 'rave' (known: ",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\ndialect = "mohx"\n',
            "engines.c.dialect must be one of plain, ",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nenvironment = {{ A = 1 }}\n',
            "engines.c.environment.A must be a string, not 1",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nenvironment = {{ "A=" = "1" }}\n',
            "engines.c.environment has the invalid name 'A='",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nstartup = ["# x"]\n',
            "engines.c.startup contains '# x', which isn't a GTP command",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nstartup = ["a\\nb"]\n',
            "engines.c.startup must not contain control characters",
        ),
        (
            f'{TWO}[engines.c]\naddress = "host"\n',
            "engines.c.address must be such as \"localhost:20000\", not 'host'",
        ),
        (f'{TWO}[engines.c]\naddress = "host:0"\n', "engines.c.address must be such as"),
        (f'{TWO}[engines.c]\naddress = "host:65536"\n', "engines.c.address must be such as"),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\ndialect = "morat-y"\n',
            "engines.c can't play this as morat-y: it plays no Hex",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\ndialect = "wolve"\n',
            "engines.c can't play this as wolve: it knows no limit of nodes",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nclock = {{ nodes = 0 }}\n',
            "engines.c.clock sets no limit",
        ),
        (f"{TWO}clock = {{ nodes = [10, -1] }}\n", "engines.b.clock.nodes must be between 0 and "),
    ],
)
def test_bad_engines(engines: str, complaint: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(HEAD + engines, HERE)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + TWO).replace("\n", "\r\n").encode())
    plan = load(path)
    assert plan.name == "league"
    assert plan.directory == str(tmp_path)
    for data, complaint in (
        (None, "No such file or directory"),
        (b"size = 5\nname = '\xff'\n", "league.toml:2: the text isn't UTF-8"),
        (b"size = 5\nname = 5", "league.toml: name must be a string, not 5"),
    ):
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(PlanError, match=complaint):
            load(path)
    with pytest.raises(PlanError, match="Is a directory"):
        load(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        f"size = 1{'0' * 5000}",
        f"size = 0x1{'0' * 5000}",
        f"size = {'[' * 5000}",
        f"{HEAD}{TWO}rave = 0x1{'0' * 500}",
        f"{HEAD}{TWO}rave = [0x1{'0' * 5000}]",
        f"{HEAD}{TWO}clock.nodes = [0x1{'0' * 5000}, 3]",
        f"{HEAD}{TWO}rave = [[0x1{'0' * 5000}]]",
        f"{HEAD}margin = 0x1{'0' * 5000}\n{TWO}",
        f"{HEAD}openings = [0x1{'0' * 5000}]\n{TWO}",
        f'{HEAD}{TWO}[engines.c]\ncommand = ["x"]\nenvironment."\u00e9" = 3',
        f'{HEAD}{TWO}"\u00e9" = 3',
        f'{HEAD}{TWO}rave = "{"x" * 5000}"',
        f"size = 1979-05-27T07:32:00Z\n{TWO}",
    ],
)
def test_monsters(text: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(text, HERE)
    assert re.fullmatch(r"[ -~]{5,500}", str(error.value))


@given(st.text(max_size=60) | st.text("[]{}=\"'.,#\n a1", max_size=40))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(text, HERE)
    assert re.fullmatch(r"[ -~]{5,500}", str(error.value))


# Digest


def test_digest_is_of_what_affects_games() -> None:
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


def test_digest_stays_where_the_plan_goes(tmp_path: Path) -> None:
    assert parse(EVERYTHING, tmp_path / "a").digest == parse(EVERYTHING, tmp_path / "b").digest


# Openings


def test_suites_made_here() -> None:
    def suite(text: str, size: str = "5") -> list[str]:
        plan = read(f"size = {size}\nclock.nodes = 1\nopenings = {text}\n")
        assert all(opening.moves for opening in plan.openings)
        return [opening.name for opening in plan.openings]

    assert suite('"all"') == list(hex_board(5).names)
    assert len(suite('"distinct"')) == 13
    assert suite('"distinct"')[-1] == "c3"
    assert len(suite('{ suite = "distinct", count = 4 }')) == 4
    assert suite('"all"', '"3x2"') == ["a1", "b1", "c1", "a2", "b2", "c2"]
    few = suite('{ suite = "random", plies = 3, count = 20 }')
    assert len(set(few)) == 20
    assert all(name.count("-") == 2 for name in few)
    # A longer suite begins with the shorter one, so that a run can be extended.
    assert suite('{ suite = "random", plies = 3, count = 30 }')[:20] == few
    assert suite('{ suite = "random", plies = 3, count = 20, seed = 1 }') != few
    # All there are, and no more: 25 * 24 / 2 pairs of cells for two colours up to rotation.
    assert len(suite('{ suite = "random", plies = 2, count = 300 }')) == 300
    assert read(f'{HEAD}openings = "none"\n').openings == (Opening("empty"),)


def test_the_only_opening_of_a_tiny_board_ends_the_game() -> None:
    with pytest.raises(PlanError, match="openings contains no opening after which the game goes on"):
        read('size = 1\nclock.nodes = 1\nopenings = "all"\n')


def test_long_openings_have_short_names() -> None:
    board = hex_board(19)
    moves = " ".join(board.names[40:80])
    plan = read(f'size = 19\nclock.nodes = 1\nopenings = ["{moves}"]\n')
    (opening,) = plan.openings
    assert opening.moves == board.names[40:80]
    assert opening.name.startswith("c3-d3-40-")
    assert len(opening.name) < 40


SGF = "(;FF[4]GM[11]SZ[5];B[{}];W[{}])"
FILES = {
    "lines": b"# openings\na1 b2\n\n  c3,d4  # centre\nb1\n",
    "crlf": b"\xef\xbb\xbfa1 b2\r\nc3, d4\r\nb1\r\n",
    "sgf": b"\xef\xbb\xbf"
    + (SGF.format("a1", "b2") + SGF.format("c3", "d4") + "(;GM[11]SZ[5];B[b1])").encode(),
    "variations": b"(;GM[11]SZ[5];B[a1](;W[b2])(;W[b3]))"
    b"(;GM[11]SZ[5]C[no]\r\n;B[c3]\r\n;W[d4])(;GM[11];B[b1])",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_files_of_openings(tmp_path: Path, name: str, packed: bool) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(FILES[name]) if packed else FILES[name])
    plan = parse(f'{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert [opening.name for opening in plan.openings] == ["a1-b2", "c3-d4", "b1"]
    plan = parse(f'{HEAD}openings = {{ file = "file", plies = 1 }}\n{TWO}', tmp_path)
    assert [opening.name for opening in plan.openings] == ["a1", "c3", "b1"]


def test_files_of_openings_for_y(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("(;GM[11]FF[4]RU[Y]SZ[5];B[b3])")
    plan = parse(f'game = "y"\n{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert plan.board == y_board(5)
    assert plan.openings == (Opening("b3", ("b3",)),)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a1 b2\nc3 c3\n", "file:2: c3 is occupied"),
        (b"a1\n\nz9\n", r"file:3: no cell 'z9' on 5x5 Hex \(last cell: e5\)"),
        (b"a1\ne5\n", r"file:2: e5 is symmetric to a1 \(file:1\)"),
        (b"\n# nothing\n", "file: the file contains no openings"),
        (b"", "file: the file contains no openings"),
        (SGF.replace("5]", "6]").format("a1", "b2").encode(), "file: the board is 6x6 Hex, but the plan has 5x5 Hex"),
        (b"(;GM[Y]RU[Y]SZ[5];B[a1])", "file: the board is Y 5, but the plan has 5x5 Hex"),
        (b"(;GM[1]SZ[19];B[aa])", "file"),
        (SGF.format("a1", "a1").encode(), "file:1:.*a1 is occupied"),
        (SGF.format("a1", "z9").encode(), "file:1:.*z9"),
        (b"(;GM[11]SZ[5];W[a1])", "file: the colours don't alternate, starting with Black"),
        (b"(;GM[11]SZ[5]AB[a1];B[a2])", "file: an opening can't contain setup stones"),
        (b"(;GM[11]SZ[5];B[a2];W[swap-pieces])", "file: swap-pieces can't be part of an opening"),
        (
            b"(;GM[11]SZ[5];B[a2])(;GM[11]SZ[5];B[a2])",
            "file, game 2: a2 repeats file, game 1",
        ),
        (b"\x1f\x8b\x08\x00broken", "the file is damaged"),
    ],
)
def test_bad_files_of_openings(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(PlanError, match=complaint) as error:
        parse(f'{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert "\n" not in str(error.value)


def test_openings_equal_up_to_symmetry_if_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a1\ne5\n")
    text = f'{HEAD}openings = {{ file = "file", symmetric = true }}\n{TWO}'
    assert len(parse(text, tmp_path).openings) == 2
    (tmp_path / "file").write_text("a1\ne5\na1\n")
    with pytest.raises(PlanError, match="file:3: a1 repeats file:1"):
        parse(text, tmp_path)


# Anything at all

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
        "rave",
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
def test_whatever_a_plan_says_it_is_read_or_refused(values: dict[str, object], good: bool) -> None:
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
