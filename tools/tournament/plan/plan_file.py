"""Plan files: TOML, read strictly.  Whatever is wrong is said in one sentence before any game."""

from __future__ import annotations

import dataclasses
import itertools
import re
import tomllib
from typing import TYPE_CHECKING, cast

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.board import GAMES, MAX_SIZE, make_board
from trivalent.gtp.client.engine_dialects import DIALECTS
from trivalent.tools.tournament.model import Ending, Engine, TimeControl
from trivalent.tools.tournament.plan import opening_suites as suites
from trivalent.tools.tournament.plan.format_options import read_format
from trivalent.tools.tournament.plan.plan_model import (
    DEFAULT_MARGIN,
    Deadlines,
    Faults,
    Plan,
    Swap,
)
from trivalent.tools.tournament.plan.strict_toml import PlanError, Table, is_number, shown
from trivalent.tools.tournament.seeds import seed_for, shuffled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Opening

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,@-]{0,63}")
_LONGEST = 1e6
"""Seconds: no clock, deadline or margin is longer, some eleven days."""
_MOST = 10**6
"""Openings and rounds: no plan has more."""
_MAY_BE_VOID = (
    Ending.TIME,
    Ending.CRASH,
    Ending.NO_ANSWER,
    Ending.PROTOCOL,
    Ending.ILLEGAL_MOVE,
    Ending.OBJECTION,
)


def load(path: Path) -> Plan:
    """Read a plan file.  Raise PlanError if there is none or if it is no plan."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PlanError(f"{path}:{line}: this is not UTF-8") from None
    try:
        return parse(text, path.parent, name=path.stem)
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from None


def parse(text: str, directory: Path, *, name: str = "tournament") -> Plan:
    """Read the text of a plan; relative paths in it begin at the directory.

    Raise PlanError if it is no plan.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"this is not TOML: {error}") from None
    except (ValueError, RecursionError):  # thousands of digits, or of brackets
        raise PlanError("this is no plan: it has too many digits or brackets in a row") from None
    directory = directory.absolute()
    table = Table(values)
    name = table.text("name", name)
    board = _board(table)
    swap = cast("Swap", table.choice("swap", ("off", "pieces", "sides"), "off"))
    if swap == "pieces" and board.swap_map is None:
        table.fail("swap", f"must be off or sides: pieces cannot be swapped on {board}")
    seed = table.whole("seed", 0, 2**63 - 1, 0)
    clock = _clock(table, "clock")
    restart = table.flag("restart", default=False)
    engines, groups = _engines(table.table("engines"), directory, clock, restart=restart)
    form, options = read_format(table, groups)
    rounds_given = "rounds" in table
    rounds = table.whole("rounds", 1, _MOST, 1)
    if rounds_given and form == "adaptive":
        table.fail("rounds", "has no meaning here: adaptive.pairs says how much is played")
    _check_dialects(engines, board, swap, clock)
    plan = Plan(
        name=name,
        game=board.game,
        width=board.width,
        height=board.height,
        engines=engines,
        openings=_openings(table, board, directory, seed),
        swap=swap,
        format=form,
        options=options,
        rounds=rounds,
        seed=seed,
        clock=clock or TimeControl(),
        margin=table.number("margin", 0, _LONGEST, DEFAULT_MARGIN),
        move_limit=table.whole("move_limit", 0, 10_000, 0),
        concurrency=table.whole("concurrency", 0, 1024, 0),
        deadlines=_deadlines(table.table("deadlines")),
        faults=_faults(table.table("faults")),
        directory=str(directory),
    )
    table.finish()
    return plan


def _board(table: Table) -> Board:
    game = table.choice("game", GAMES, "hex")
    size = table.take("size")
    if size is None:
        table.miss("size")
    match = re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", size) if isinstance(size, str) else None
    if match:
        sides = [int(match[1]), int(match[2])]
    elif isinstance(size, int) and not isinstance(size, bool):
        sides = [size]
    else:
        table.fail("size", f'must be a whole number or such as "9x13", not {shown(size)}')
    if not all(1 <= side <= MAX_SIZE for side in sides):
        table.fail("size", f"must be 1 to {MAX_SIZE}, not {size}")
    try:
        return make_board(game, *sides)
    except ValueError as error:
        table.fail("size", f"is impossible: {error}")


# Clocks


def _clock(table: Table, key: str) -> TimeControl | None:
    """Return a clock, None if the table has none."""
    if key not in table:
        return None
    clock = table.table(key)
    control = TimeControl(
        move=clock.number("move", 0, _LONGEST, 0),
        main=clock.number("main", 0, _LONGEST, 0),
        increment=clock.number("increment", 0, _LONGEST, 0),
        byo_yomi=clock.number("byo_yomi", 0, _LONGEST, 0),
        stones=clock.whole("stones", 1, 10_000, 1),
        nodes=clock.whole("nodes", 0, 10**15, 0),
    )
    clock.finish()
    if control == TimeControl():
        table.fail(key, "sets no limit")
    if control.move and (control.main or control.increment or control.byo_yomi):
        table.fail(key, "has move, the time for every move alone, beside another kind of time")
    if control.increment and not control.main:
        table.fail(key, "has an increment without main")
    if control.increment and control.byo_yomi:
        table.fail(key, "has both increment and byo_yomi")
    if control.stones > 1 and not control.byo_yomi:
        table.fail(key, "has stones without byo_yomi")
    return control


def _limits_search(clock: TimeControl | None) -> bool:
    return clock is not None and bool(clock.nodes or clock.move or clock.main or clock.byo_yomi)


# Engines


def _engines(
    table: Table, directory: Path, clock: TimeControl | None, *, restart: bool
) -> tuple[tuple[Engine, ...], dict[str, tuple[str, ...]]]:
    """Return the engines, and for each name in the file the names of the engines that it means."""
    if not table.keys():
        raise PlanError("engines are missing: a plan has at least two, such as [engines.mine]")
    engines: list[Engine] = []
    groups: dict[str, tuple[str, ...]] = {}
    for name in table.keys():  # noqa: SIM118  not a mapping
        if not _NAME.fullmatch(name):
            table.fail(
                "",
                f"has the name {shown(name)}, which is not 1 to 64 of A-Z a-z 0-9 . _ + = , @ - "
                "with a letter or digit first",
            )
        alternatives = _alternatives(name, table.table(name))
        made = [
            _engine(Table(values, table.place(name)), full, directory, clock, restart=restart)
            for full, values in alternatives
        ]
        groups[name] = tuple(engine.name for engine in made)
        engines += made
    seen: dict[str, str] = {}
    for engine in engines:
        if not _NAME.fullmatch(engine.name):
            table.fail("", f"has the name {shown(engine.name)}, which is too long")
        other = seen.setdefault(engine.name.lower(), engine.name)
        if other is not engine.name:
            table.fail("", f"has the names {other} and {engine.name}, which differ only by case")
    if len(engines) < 2:
        table.fail("", f"has {engines[0].name} alone: a plan has at least two")
    return tuple(engines), groups


def _alternatives(name: str, table: Table) -> list[tuple[str, dict[str, object]]]:
    """Return the engines that a table means, as names and tables: more than one for a grid.

    A grid is a list where a parameter of a player, or an entry of the clock, has one value.
    """
    values = {key: table.take(key) for key in table.keys()}  # noqa: SIM118  not a mapping
    clock = values.get("clock")
    axes: list[tuple[str, str, list[object]]] = []
    for where, entries in (("", values), ("clock", clock if isinstance(clock, dict) else {})):
        for key, value in entries.items():
            if isinstance(value, list) and (where or key not in _SINGLE):
                _check_axis(table, f"{where}.{key}".strip("."), value)
                axes.append((where, key, value))
    result = []
    for choice in itertools.product(*(axis[2] for axis in axes)):
        full, chosen = name, dict(values)
        for (where, key, _), value in zip(axes, choice, strict=True):
            full += f"+{key}={_written(value)}"
            if where:
                chosen["clock"] = cast("dict[str, object]", chosen["clock"]) | {key: value}
            else:
                chosen[key] = value
        result.append((full, chosen))
    return result


def _check_axis(table: Table, key: str, values: list[object]) -> None:
    """Raise PlanError unless these are different numbers, one or more."""
    if not values:
        table.fail(key, "is an empty list")
    for value in values:
        Table({key: value}, table.place("")).take(key)
        if not is_number(value) and not isinstance(value, bool):
            table.fail(key, f"must be a number, not {shown(value)}")
    if len(set(map(_written, values))) < len(values):
        table.fail(key, f"has a value twice: {shown(values)}")


_SINGLE = (
    "player",
    "command",
    "address",
    "dialect",
    "cwd",
    "environment",
    "startup",
    "clock",
    "restart",
)
"""Keys of an engine that are no parameters: a list there is no grid."""


def _engine(
    table: Table, name: str, directory: Path, clock: TimeControl | None, *, restart: bool
) -> Engine:
    kinds = [key for key in ("player", "command", "address") if key in table]
    if len(kinds) != 1:
        table.fail("", f"must have one of player, command and address, not {len(kinds)} of them")
    own_clock = _clock(table, "clock")
    engine = Engine(
        name=name,
        clock=own_clock,
        restart=table.flag("restart", default=restart),
        startup=_startup(table),
    )
    if kinds == ["player"]:
        player = table.choice("player", tuple(PLAYERS))
        if not _limits_search(own_clock or clock):
            table.fail("", "has no clock: clock = { nodes = 1000 } or { move = 1.0 } limits it")
        engine = dataclasses.replace(
            engine, player=player, parameters=_parameters(table, player, name)
        )
    elif kinds == ["command"]:
        engine = dataclasses.replace(
            engine,
            command=_command(table),
            dialect=table.choice("dialect", tuple(DIALECTS), "plain"),
            cwd=str(directory / table.text("cwd", ".")),
            environment=_environment(table.table("environment")),
        )
    else:
        engine = dataclasses.replace(
            engine,
            address=_address(table),
            dialect=table.choice("dialect", tuple(DIALECTS), "plain"),
        )
    table.finish()
    return engine


def _check_dialects(
    engines: Sequence[Engine], board: Board, swap: Swap, clock: TimeControl | None
) -> None:
    """Raise PlanError if an engine cannot be told of the game or of its clock."""
    for engine in engines:
        dialect = DIALECTS["trivalent" if engine.player else engine.dialect]
        try:
            dialect.setup(board, swap=swap != "off")
            dialect.game(0, engine.clock or clock or TimeControl())
        except ValueError as error:
            name = engine.player or engine.dialect
            raise PlanError(f"engines.{engine.name} cannot play this as {name}: {error}") from None


def _parameters(table: Table, player: str, name: str) -> dict[str, str]:
    """Return the parameters of a player, which are all the keys that are left, as texts."""
    kind = PLAYERS[player][0]
    known = [field.name for field in dataclasses.fields(kind) if field.name != "seed"]
    if "seed" in table:
        table.fail("seed", "cannot be set: the seed of the plan gives every game its own")
    # Games run beside each other: an engine takes a core, unless the plan gives it more.
    values = {"threads": "1"} if "threads" in known else {}
    for key in known:
        if key not in table:
            table.take(key)  # so that it is known
            continue
        value = table.take(key)
        if not is_number(value) and not isinstance(value, bool):
            table.fail(key, f"must be a number, not {shown(value)}")
        try:
            kind().updated({key: _written(value)})
        except ValueError as error:
            raise PlanError(f"{table.place('')}: {error}") from None
        values[key] = _written(value)
    return values


def _written(value: object) -> str:
    """Return the text of a value as players read it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _command(table: Table) -> tuple[str, ...]:
    if isinstance(value := table.take("command"), str):
        table.fail(
            "command",
            f'must be a list, such as ["mohex", "--quiet"]: no shell reads {shown(value)}',
        )
    command = Table({"command": value}, table.place("")).texts("command")
    if not command or not command[0]:
        table.fail("command", "names no program")
    return command


def _environment(table: Table) -> dict[str, str]:
    environment = {}
    for key in table.keys():  # noqa: SIM118  not a mapping
        if not key.isprintable() or "=" in key or not key:
            table.fail("", f"has the impossible name {shown(key)}")
        environment[key] = table.text(key)
    return environment


def _startup(table: Table) -> tuple[str, ...]:
    commands = table.texts("startup", ())
    for command in commands:
        if not command.strip() or not command.isascii() or command.lstrip()[0] in "#0123456789":
            table.fail("startup", f"has {shown(command)}, which is no GTP command")
    return tuple(command.strip() for command in commands)


def _address(table: Table) -> tuple[str, int]:
    text = table.text("address")
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        table.fail("address", f'must be such as "localhost:20000", not {shown(text)}')
    return host, int(port)


# Openings


def _openings(table: Table, board: Board, directory: Path, seed: int) -> tuple[Opening, ...]:
    value = table.take("openings")
    if not isinstance(value, dict):
        value = {"suite": "none" if value is None else value}
    given = Table(value, "openings")
    if ("suite" in given) == ("file" in given):
        given.fail("", "must have one of suite and file")
    seed = given.whole("seed", 0, 2**63 - 1, seed_for(seed, "openings"))
    count = given.whole("count", 1, _MOST) if "count" in given else None
    if "suite" in given and isinstance(value["suite"], str):
        suite = _made(given, board, seed, count)
    else:
        suite = _listed(given, board, directory)
    given.finish()
    if not suite:
        given.fail("", "has no opening that leaves the game open")
    if count is not None and count > len(suite):
        given.fail("", f"has {len(suite)} openings, fewer than the {count} asked for")
    return tuple(suite if count in (None, len(suite)) else shuffled(suite, seed)[:count])


def _made(given: Table, board: Board, seed: int, count: int | None) -> list[Opening]:
    """Return a suite that is made here."""
    kind = given.choice("suite", ("none", "all", "distinct", "random"))
    if kind == "random":
        if count is None:
            given.fail("count", "is missing: say how many random openings")
        plies = given.whole("plies", 1, 100)
        return suites.random_openings(board, plies, count, seed)
    if kind == "none":
        return [suites.NO_OPENING]
    return suites.one_move(board, distinct=kind == "distinct")


def _listed(given: Table, board: Board, directory: Path) -> list[Opening]:
    """Return a suite of the plan itself or of a file."""
    symmetric = given.flag("symmetric", default=False)
    if "suite" in given:
        lines = given.texts("suite")
        if not lines:
            given.fail("", "is an empty list")
        places = [(f"openings, number {number}", line) for number, line in enumerate(lines, 1)]
        read = suites.read_lines(board, places)
    else:
        plies = given.whole("plies", 1, 10_000) if "plies" in given else None
        read = suites.read_file(board, directory / given.text("file"), plies)
    return suites.require_different(board, read, symmetric=symmetric)


# The rest


def _deadlines(table: Table) -> Deadlines:
    def seconds(key: str, default: float) -> float:
        return table.number(key, 0.01, _LONGEST, default)

    usual = Deadlines()
    deadlines = Deadlines(
        start=seconds("start", usual.start),
        command=seconds("command", usual.command),
        move=seconds("move", usual.move),
        quit=seconds("quit", usual.quit),
    )
    table.finish()
    return deadlines


def _faults(table: Table) -> Faults:
    usual = Faults()
    void = [
        Ending(Table({"": text}, table.place("void")).choice("", _MAY_BE_VOID))
        for text in table.texts("void", ())
    ]
    faults = Faults(
        void=tuple(sorted(set(void))),
        in_a_row=table.whole("in_a_row", 1, 1000, usual.in_a_row),
        share=table.number("share", 0, 1, usual.share),
    )
    table.finish()
    return faults
