"""Read plan files (TOML).  Every error is reported in one sentence before any game starts."""

from __future__ import annotations

import dataclasses
import itertools
import re
import tomllib
from typing import TYPE_CHECKING, cast
from unicodedata import normalize

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.board import MAX_SIZE
from trivalent.core.games import DEFAULT_GAME, GAMES, make_board
from trivalent.core.text import printable
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
from trivalent.tools.tournament.plan.strict_toml import PlanError, Table, is_number
from trivalent.tools.tournament.seeds import seed_for, shuffled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trivalent.bot.parameters import Parameters
    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Opening

_MAX_NAME_LENGTH = 64
_MAX_SECONDS = 1e6
"""Longest clock, deadline or margin in seconds: about eleven days."""
_MAX_COUNT = 10**6
"""Maximum number of openings and of rounds."""
_MAY_BE_VOID = (
    Ending.TIME,
    Ending.CRASH,
    Ending.NO_ANSWER,
    Ending.PROTOCOL,
    Ending.ILLEGAL_MOVE,
    Ending.OBJECTION,
)


def load(path: Path) -> Plan:
    """Read a plan file.  Raise PlanError if it's missing or invalid."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PlanError(f"{path}:{line}: the text isn't UTF-8") from None
    try:
        return parse(text, path.parent, name=path.stem)
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from None


def parse(text: str, directory: Path, *, name: str = "tournament") -> Plan:
    """Read the text of a plan; paths in it are relative to `directory`.

    Raise PlanError if it's invalid.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"invalid TOML: {error}") from None
    except (ValueError, RecursionError):  # thousands of digits or nested brackets
        raise PlanError("invalid plan: too many digits or brackets in a row") from None
    directory = directory.absolute()
    table = Table(values)
    name = table.text("name", name)
    board = _board(table)
    swap = cast("Swap", table.choice("swap", ("off", "pieces", "sides"), "off"))
    if swap == "pieces" and board.swap_map is None:
        table.fail("swap", f"must be off or sides: swap-pieces isn't possible on {board}")
    seed = table.integer("seed", 0, 2**63 - 1, 0)
    clock = _clock(table, "clock")
    restart = table.flag("restart", default=False)
    engines, groups = _engines(table.table("engines"), directory, clock, restart=restart)
    form, options = read_format(table, groups)
    rounds_given = "rounds" in table
    rounds = table.integer("rounds", 1, _MAX_COUNT, 1)
    if rounds_given and form == "adaptive":
        table.fail("rounds", "has no effect here: adaptive.pairs sets the number of games")
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
        margin=table.number("margin", 0, _MAX_SECONDS, DEFAULT_MARGIN),
        move_limit=table.integer("move_limit", 0, 10_000, 0),
        concurrency=table.integer("concurrency", 0, 1024, 0),
        deadlines=_deadlines(table.table("deadlines")),
        faults=_faults(table.table("faults")),
        directory=str(directory),
    )
    table.finish()
    return plan


def _board(table: Table) -> Board:
    game = table.choice("game", tuple(GAMES), DEFAULT_GAME)
    size = table.take("size")
    if size is None:
        table.fail_missing("size")
    match = re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", size) if isinstance(size, str) else None
    if match:
        sides = [int(match[1]), int(match[2])]
    elif isinstance(size, int) and not isinstance(size, bool):
        sides = [size]
    else:
        table.fail("size", f'must be an integer or a string such as "9x13", not {printable(size)}')
    if not all(1 <= side <= MAX_SIZE for side in sides):
        table.fail("size", f"must be between 1 and {MAX_SIZE}, not {size}")
    try:
        return make_board(game, *sides)
    except ValueError as error:
        table.fail("size", f"isn't possible: {error}")


# Clocks


def _clock(table: Table, key: str) -> TimeControl | None:
    """Return a clock, or None if the table has none."""
    if key not in table:
        return None
    clock = table.table(key)
    control = TimeControl(
        move=clock.number("move", 0, _MAX_SECONDS, 0),
        main=clock.number("main", 0, _MAX_SECONDS, 0),
        increment=clock.number("increment", 0, _MAX_SECONDS, 0),
        byo_yomi=clock.number("byo_yomi", 0, _MAX_SECONDS, 0),
        stones=clock.integer("stones", 1, 10_000, 1),
        nodes=clock.integer("nodes", 0, 10**15, 0),
    )
    clock.finish()
    if control == TimeControl():
        table.fail(key, "sets no limit")
    if control.move and (control.main or control.increment or control.byo_yomi):
        table.fail(key, "combines move (a fixed time per move) with another kind of time")
    if control.increment and not control.main:
        table.fail(key, "has increment but no main")
    if control.increment and control.byo_yomi:
        table.fail(key, "has both increment and byo_yomi; use one of them")
    if control.stones > 1 and not control.byo_yomi:
        table.fail(key, "has stones but no byo_yomi")
    return control


def _limits_search(clock: TimeControl | None) -> bool:
    return clock is not None and bool(clock.nodes or clock.move or clock.main or clock.byo_yomi)


# Engines


def _engines(
    table: Table, directory: Path, clock: TimeControl | None, *, restart: bool
) -> tuple[tuple[Engine, ...], dict[str, tuple[str, ...]]]:
    """Return the engines, and for each name in the file the names of the engines it stands for."""
    if not table.keys():
        raise PlanError("engines is missing: a plan needs at least two, such as [engines.mine]")
    engines: list[Engine] = []
    groups: dict[str, tuple[str, ...]] = {}
    for name in table.keys():  # noqa: SIM118  not a mapping
        if not _is_name(name):
            table.fail(
                "",
                f"has the invalid name {printable(name)}: names have 1 to {_MAX_NAME_LENGTH} "
                "printable characters, none of them ~, and no blank at either end",
            )
        alternatives = _expand_grid(name, table.table(name))
        made = [
            _engine(Table(values, table.place(name)), full, directory, clock, restart=restart)
            for full, values in alternatives
        ]
        groups[name] = tuple(engine.name for engine in made)
        engines += made
    seen: dict[str, str] = {}
    for engine in engines:
        if not _is_name(engine.name):
            table.fail(
                "",
                f"has the name {printable(engine.name)}, longer than {_MAX_NAME_LENGTH} characters",
            )
        # Files that are named after games mustn't collide where a system folds case and accents.
        other = seen.setdefault(normalize("NFKC", engine.name).casefold(), engine.name)
        if other is not engine.name:
            table.fail("", f"has the names {other} and {engine.name}, which differ only in case")
    if len(engines) < 2:
        table.fail("", f"has only {engines[0].name}: a plan needs at least two engines")
    return tuple(engines), groups


def _is_name(text: str) -> bool:
    """Return whether a text can name an engine; ~ separates names in the ids of games."""
    fits = 1 <= len(text) <= _MAX_NAME_LENGTH
    return fits and text.isprintable() and text == text.strip() and "~" not in text


def _expand_grid(name: str, table: Table) -> list[tuple[str, dict[str, object]]]:
    """Expand a table into engines, as pairs of name and table: more than one if it's a grid.

    A grid has an array where a player parameter or an entry of the clock normally has one value.
    """
    values = {key: table.take(key) for key in table.keys()}  # noqa: SIM118  not a mapping
    clock = values.get("clock")
    axes: list[tuple[str, str, list[object]]] = []
    for where, entries in (("", values), ("clock", clock if isinstance(clock, dict) else {})):
        for key, value in entries.items():
            if isinstance(value, list) and (where or key not in _NOT_PARAMETERS):
                _check_axis(table, f"{where}.{key}".strip("."), value)
                axes.append((where, key, value))
    result = []
    for choice in itertools.product(*(axis[2] for axis in axes)):
        full, chosen = name, dict(values)
        for (where, key, _), value in zip(axes, choice, strict=True):
            full += f"+{key}={_parameter_text(value)}"
            if where:
                chosen["clock"] = cast("dict[str, object]", chosen["clock"]) | {key: value}
            else:
                chosen[key] = value
        result.append((full, chosen))
    return result


def _check_axis(table: Table, key: str, values: list[object]) -> None:
    """Raise PlanError unless the values are different numbers or words, at least one."""
    if not values:
        table.fail(key, "is an empty array")
    for value in values:
        Table({key: value}, table.place("")).take(key)
        is_word = isinstance(value, str) and _is_name(value)
        if not is_number(value) and not isinstance(value, bool) and not is_word:
            table.fail(key, f"must be a number or a word, not {printable(value)}")
    if len(set(map(_parameter_text, values))) < len(values):
        table.fail(key, f"repeats a value: {printable(values)}")


_NOT_PARAMETERS = (
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
"""Keys of an engine that aren't parameters: an array there doesn't make a grid."""


def _engine(
    table: Table, name: str, directory: Path, clock: TimeControl | None, *, restart: bool
) -> Engine:
    kinds = [key for key in ("player", "command", "address") if key in table]
    if len(kinds) != 1:
        table.fail("", f"must have exactly one of player, command and address, not {len(kinds)}")
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
            table.fail(
                "", "has no clock, such as clock = { nodes = 1000 } or clock = { move = 1.0 }"
            )
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
    """Raise PlanError if an engine's dialect can't express the game or the engine's clock."""
    for engine in engines:
        dialect = DIALECTS["trivalent" if engine.player else engine.dialect]
        try:
            dialect.setup_commands(board, swap=swap != "off")
            dialect.game_commands(0, engine.clock or clock or TimeControl())
        except ValueError as error:
            name = engine.player or engine.dialect
            raise PlanError(f"engines.{engine.name} can't play this as {name}: {error}") from None


def _parameters(table: Table, player: str, name: str) -> dict[str, str]:
    """Return the parameters of a player as text: all keys that are left."""
    kind = PLAYERS[player][0]
    if "seed" in table:
        table.fail("seed", "can't be set: every game gets its own from the seed of the plan")
    values = {}
    for key in (*kind.names(), *(name for name in kind.names(former=True) if name in table)):
        if key == "seed":
            continue
        given = key in table
        value = table.take(key)  # even if it isn't given, so that suggestions know it
        if not given:
            continue
        if wrong := _wrong_type(kind, key, value):
            table.fail(key, f"must be {wrong}, not {printable(value)}")
        try:
            kind().updated({key: _parameter_text(value)})
        except ValueError as error:
            raise PlanError(f"{table.place('')}: {error}") from None
        values[key] = _parameter_text(value)
    try:
        values = kind.translated(values)
    except ValueError as error:
        raise PlanError(f"{table.place('')}: {error}") from None
    # Games run in parallel, so an engine gets one core unless the plan gives it more.
    return {"threads": "1"} | values if "threads" in kind.names() else values


def _wrong_type(kind: type[Parameters], key: str, value: object) -> str | None:
    """Return what the value of a parameter must be, or None if the type is right."""
    if kind.choices(key):
        right = isinstance(value, int | str)
        return None if right else f"one of {', '.join(kind.choices(key))}"
    if key in kind.files():
        return None if isinstance(value, str) else "the name of a file"
    return None if is_number(value) or isinstance(value, bool) else "a number"


def _parameter_text(value: object) -> str:
    """Return the text of a value as players read it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _command(table: Table) -> tuple[str, ...]:
    if isinstance(value := table.take("command"), str):
        table.fail(
            "command",
            f'must be an array such as ["mohex", "--quiet"], not {printable(value)}',
        )
    command = Table({"command": value}, table.place("")).strings("command")
    if not command or not command[0]:
        table.fail("command", "names no program")
    return command


def _environment(table: Table) -> dict[str, str]:
    environment = {}
    for key in table.keys():  # noqa: SIM118  not a mapping
        if not key.isprintable() or "=" in key or not key:
            table.fail("", f"has the invalid name {printable(key)}")
        environment[key] = table.text(key)
    return environment


def _startup(table: Table) -> tuple[str, ...]:
    commands = table.strings("startup", ())
    for command in commands:
        if not command.strip() or command.lstrip()[0] in "#0123456789":
            table.fail("startup", f"contains {printable(command)}, which isn't a GTP command")
    return tuple(command.strip() for command in commands)


def _address(table: Table) -> tuple[str, int]:
    text = table.text("address")
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        table.fail("address", f'must be such as "localhost:20000", not {printable(text)}')
    return host, int(port)


# Openings


def _openings(table: Table, board: Board, directory: Path, seed: int) -> tuple[Opening, ...]:
    value = table.take("openings")
    if not isinstance(value, dict):
        value = {"suite": "none" if value is None else value}
    given = Table(value, "openings")
    if ("suite" in given) == ("file" in given):
        given.fail("", "must have either suite or file")
    seed = given.integer("seed", 0, 2**63 - 1, seed_for(seed, "openings"))
    count = given.integer("count", 1, _MAX_COUNT) if "count" in given else None
    if "suite" in given and isinstance(value["suite"], str):
        suite = _generated_suite(given, board, seed, count)
    else:
        suite = _listed_suite(given, board, directory)
    given.finish()
    if not suite:
        given.fail("", "contains no opening after which the game goes on")
    if count is not None and count > len(suite):
        given.fail("", f"has only {len(suite)} openings, but count = {count}")
    return tuple(suite if count in (None, len(suite)) else shuffled(suite, seed)[:count])


def _generated_suite(given: Table, board: Board, seed: int, count: int | None) -> list[Opening]:
    """Return a generated suite."""
    kind = given.choice("suite", ("none", "all", "distinct", "random"))
    if kind == "random":
        if count is None:
            given.fail("count", "is missing: it sets the number of random openings")
        plies = given.integer("plies", 1, 100)
        return suites.random_openings(board, plies, count, seed)
    if kind == "none":
        return [suites.NO_OPENING]
    return suites.one_move(board, distinct=kind == "distinct")


def _listed_suite(given: Table, board: Board, directory: Path) -> list[Opening]:
    """Return a suite written in the plan or in a file."""
    symmetric = given.flag("symmetric", default=False)
    if "suite" in given:
        lines = given.strings("suite")
        if not lines:
            given.fail("", "is an empty array")
        places = [(f"openings, number {number}", line) for number, line in enumerate(lines, 1)]
        read = suites.read_lines(board, places)
    else:
        plies = given.integer("plies", 1, 10_000) if "plies" in given else None
        read = suites.read_file(board, directory / given.text("file"), plies)
    return suites.require_different(board, read, symmetric=symmetric)


# The rest


def _deadlines(table: Table) -> Deadlines:
    def seconds(key: str, default: float) -> float:
        return table.number(key, 0.01, _MAX_SECONDS, default)

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
        for text in table.strings("void", ())
    ]
    faults = Faults(
        void=tuple(sorted(set(void))),
        in_a_row=table.integer("in_a_row", 1, 1000, usual.in_a_row),
        share=table.number("share", 0, 1, usual.share),
    )
    table.finish()
    return faults
