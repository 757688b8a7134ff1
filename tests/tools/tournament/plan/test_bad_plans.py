"""Bad plans are refused, and the message says where and why."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_texts import HEAD, HERE, TWO, read

from trivalent.tools.tournament.plan.plan_file import load, parse
from trivalent.tools.tournament.plan.strict_toml import PlanError


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
        (f'{HEAD}game = "go"\n', "game must be one of hex, y, bent-y, star, renkula, not 'go'"),
        (f"{HEAD}game = 3\n", "game must be a string, not 3"),
        (f'{HEAD}swap = "on"\n', "swap must be one of off, pieces, sides, not 'on'"),
        (
            'swap = "pieces"\nsize = "5x6"\n',
            "swap must be off or sides: swap-pieces isn't possible",
        ),
        (f"{HEAD}rounds = 0\n", "rounds must be between 1 and 1000000, not 0"),
        (f"{HEAD}rounds = 1.5\n", "rounds must be an integer, not 1.5"),
        (f"{HEAD}seed = -1\n", "seed must be between 0 and "),
        (f"{HEAD}margin = -0.1\n", "margin must be between 0 and 1e+06, not -0.1"),
        (f"{HEAD}margin = nan\n", "margin must be between 0 and 1e+06, not nan"),
        (f'{HEAD}restart = "yes"\n', "restart must be true or false, not 'yes'"),
        (
            f"{HEAD}deadlines = {{ start = 0 }}\n",
            "deadlines.start must be between 0.01 and 1e+06, not 0",
        ),
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
        (
            f'{HEAD}format = "swiss"\nswiss.rounds = 0\n',
            "swiss.rounds must be between 1 and 1000, not 0",
        ),
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
            f'{TWO}[engines."x~y"]\nplayer = "uct"\n',
            "engines has the invalid name 'x~y': names have 1 to 64 printable characters, none",
        ),
        (
            f'{TWO}[engines." x"]\nplayer = "uct"\n',
            "engines has the invalid name ' x': names have 1 to 64",
        ),
        (
            f'{TWO}[engines.""]\nplayer = "uct"\n',
            "engines has the invalid name '': names have 1 to 64",
        ),
        (
            f'{TWO}[engines."\u00e9\\n"]\nplayer = "uct"\n',
            "engines has the invalid name '\\xe9\\n': names have 1 to",
        ),
        (
            f'{TWO}[engines."\u00c9"]\nplayer = "uct"\n[engines."e\u0301"]\nplayer = "uct"\n',
            "which differ only in case",
        ),
        (f'{TWO}[engines.{"x" * 65}]\nplayer = "uct"\n', "names have 1 to 64"),
        (
            f'{TWO}[engines."MoHex 2.0"]\nplayer = "uct"\nsize = 3\n',
            "engines.'MoHex 2.0': unknown key 'size'",
        ),
        (
            f'{TWO}[engines.{"x" * 60}]\nplayer = "uct"\nrave_equivalence = [10, 20]\n',
            "longer than 64 characters",
        ),
        (
            f"{TWO}rave_equivalenc = 3\n",
            "unknown key 'rave_equivalenc' (did you mean 'rave_equivalence'?)",
        ),
        (
            f'{TWO}rave_equivalence = "much"\n',
            "engines.b.rave_equivalence must be a number, not 'much'",
        ),
        (
            f"{TWO}rave_equivalence = -3\n",
            "engines.b: rave_equivalence must be at least 1.0, not -3.0",
        ),
        (
            f"{TWO}expansion_threshold = 1.5\n",
            "engines.b: expansion_threshold must be a whole number, not '1.5'",
        ),
        (f"{TWO}rave_equivalence = inf\n", "engines.b.rave_equivalence must be a number, not inf"),
        (f"{TWO}rave_equivalence = []\n", "engines.b.rave_equivalence is an empty array"),
        (f'{TWO}[engines.c]\nplayer = ["uct"]\n', "engines.c.player must be a string, not ['uct']"),
        (
            f"{TWO}rave_equivalence = [100, 100]\n",
            "engines.b.rave_equivalence repeats a value: [100, 100]",
        ),
        (
            f"{TWO}rave_equivalence = [100, [200]]\n",
            "engines.b.rave_equivalence must be a number or a word, not [200]",
        ),
        (
            f"{TWO}seed = 3\n",
            "engines.b.seed can't be set: every game gets its own from the seed of the plan",
        ),
        (f'{TWO}cwd = "."\n', "engines.b: unknown key 'cwd' (known: "),
        (
            f'{TWO}[engines.c]\nplayer = "mcst"\n',
            "engines.c.player must be one of mcts, wolve, ",
        ),
        (f'{TWO}[engines.c]\ncommand = "x -q"\n', "engines.c.command must be an array such as"),
        (f"{TWO}[engines.c]\ncommand = []\n", "engines.c.command names no program"),
        (f'{TWO}[engines.c]\ncommand = ["x", 3]\n', "engines.c.command must be a string, not 3"),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\nrave_weight = 1\n',
            "engines.c: unknown key 'rave_weight' (known: ",
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
            "engines.c can't play this as morat-y: it does not play Hex",
        ),
        (
            f'{TWO}[engines.c]\ncommand = ["x"]\ndialect = "wolve"\n',
            "engines.c can't play this as wolve: it does not support a limit of nodes",
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
        f"{HEAD}{TWO}rave_equivalence = 0x1{'0' * 500}",
        f"{HEAD}{TWO}rave_equivalence = [0x1{'0' * 5000}]",
        f"{HEAD}{TWO}clock.nodes = [0x1{'0' * 5000}, 3]",
        f"{HEAD}{TWO}rave_equivalence = [[0x1{'0' * 5000}]]",
        f"{HEAD}margin = 0x1{'0' * 5000}\n{TWO}",
        f"{HEAD}openings = [0x1{'0' * 5000}]\n{TWO}",
        f'{HEAD}{TWO}[engines.c]\ncommand = ["x"]\nenvironment."\u00e9" = 3',
        f'{HEAD}{TWO}"\u00e9" = 3',
        f'{HEAD}{TWO}rave_equivalence = "{"x" * 5000}"',
        f"size = 1979-05-27T07:32:00Z\n{TWO}",
    ],
)
def test_huge_numbers_and_deep_nesting(text: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(text, HERE)
    assert re.fullmatch(r"[ -~]{5,500}", str(error.value))


@given(st.text(max_size=60) | st.text("[]{}=\"'.,#\n a1", max_size=40))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(text, HERE)
    assert re.fullmatch(r"[ -~]{5,500}", str(error.value))
