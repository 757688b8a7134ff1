"""Benchmark of playing strength: what parts of the search, time, threads and levels are worth.

A study is an ordinary tournament whose plan is written to a folder and played there: an interrupted
study continues where it was, `trivalent tournament report` shows its details, and its plan can be
edited by hand.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.players.levels import LEVELS
from trivalent.core.games import make_board
from trivalent.core.processors import usable_cores
from trivalent.tools.statistics.pairs import Pairs, estimate
from trivalent.tools.tournament.report.summary import summary
from trivalent.tools.tournament.run.open_run import open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trivalent.tools.tournament.report.summary import Summary

FOLDER = Path("strength")
"""Default folder of the plans and databases."""
SIZE = 11
SETS = 100
"""Game pairs per match by default: hours per study, days for all."""
QUICK_SETS = 4
SECONDS = 0.1
"""Default time per move."""
DOUBLINGS = 4
"""How often the study of time doubles the time per move."""

WITHOUT: Mapping[str, Mapping[str, str]] = {
    "without knowledge": {"fill_in": "false", "vc_visits": "0"},
    "without fill-in": {"fill_in": "false"},
    "without regions": {"cutset_fill_in": "false"},
    "without pruning": {"prune": "false"},
    "without connections": {"vc_visits": "0"},
    "without wide connections": {"vc_wide_visits": "0"},
    "without policy": {"prior_weight": "0.0"},
    "without RAVE": {"rave_weight": "1000.0"},
    "without reuse": {"reuse": "false"},
    "without replies": {"playouts": '"coin"'},
    "64 playouts a leaf": {"batch": "64"},
}
"""The parts of the search that can be switched off, with the parameters that do so."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player of a study: its parameters, and its clock in the syntax of a plan."""

    name: str
    parameters: Mapping[str, str]
    clock: str


@dataclass(frozen=True, slots=True)
class Study:
    """The players of a study and their matches."""

    players: Sequence[Player]
    matches: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthRow:
    """A match from the point of view of the player that should be stronger."""

    study: str
    game: str
    board: str
    engine: str
    opponent: str
    lost: int
    """Pairs lost, split and won."""
    split: int
    won: int
    elo: float | None
    """None if there is no finite estimate, as for a perfect score."""
    low: float | None
    high: float | None
    """The 95 % interval; None where it is unbounded."""
    seconds: tuple[float, float]
    """Mean seconds per move of both players."""


@dataclass(frozen=True, slots=True)
class StrengthPlan:
    """What to measure."""

    folder: Path
    studies: tuple[str, ...]
    games: tuple[str, ...]
    size: int = SIZE
    sets: int = SETS
    seconds: float = SECONDS
    seed: int = 1


class UnfinishedError(RuntimeError):
    """A study was interrupted or failed; the argument is the exit code of the tournament."""


def ablation(_game: str, seconds: float) -> Study:
    """Return the ablation study: the full search against itself without each of its parts."""
    clock = f"{{ move = {seconds} }}"
    players = [Player("full", {}, clock)]
    players += [Player(_name(name), off, clock) for name, off in WITHOUT.items()]
    return Study(players, [("full", player.name) for player in players[1:]])


def time(_game: str, seconds: float) -> Study:
    """Return the study of the worth of doubling the time."""
    times = [round(seconds * 2**i, 6) for i in range(DOUBLINGS + 1)]
    players = [Player(f"{time:g}s", {}, f"{{ move = {time} }}") for time in times]
    return Study(players, _neighbours(players))


def threads(_game: str, seconds: float) -> Study:
    """Return the study of the worth of doubling the threads."""
    numbers = [1]
    while 2 * numbers[-1] <= usable_cores():
        numbers.append(2 * numbers[-1])
    clock = f"{{ move = {2 * seconds} }}"
    players = [Player(f"threads={n}", {"threads": str(n)}, clock) for n in numbers]
    return Study(players, _neighbours(players))


def levels(_game: str, _seconds: float) -> Study:
    """Return the study of the distances between neighbouring levels."""
    clock = f"{{ nodes = {LEVELS[-1].nodes} }}"
    players = [Player(f"level={n}", {"level": str(n)}, clock) for n in range(1, len(LEVELS) + 1)]
    return Study(players, _neighbours(players))


STUDIES: Mapping[str, Callable[[str, float], Study]] = {
    "ablation": ablation,
    "time": time,
    "threads": threads,
    "levels": levels,
}


def files(folder: Path) -> list[Path]:
    """Return the plans and databases of the studies in a folder."""
    return [path for path in folder.glob("*") if path.suffix in (".toml", ".db")]


def _neighbours(players: Sequence[Player]) -> list[tuple[str, str]]:
    return [(players[i + 1].name, players[i].name) for i in range(len(players) - 1)]


def _name(text: str) -> str:
    """Return a valid engine name for a tournament plan."""
    return "the-" * text[0].isdigit() + text.replace(" ", "-")


def plan_text(study: Study, game: str, plan: StrengthPlan) -> str:
    """Return a study as a tournament plan."""
    cells = len(make_board(game, plan.size))
    rounds = -(-plan.sets // cells)
    pairs = ", ".join(f'["{one}", "{other}"]' for one, other in study.matches)
    lines = [
        f'game = "{game}"',
        f"size = {plan.size}",
        'format = "matches"',
        f"matches = [{pairs}]",
        f"rounds = {rounds}",
        f"seed = {plan.seed}",
        f'openings = {{ suite = "all", count = {-(-plan.sets // rounds)} }}',
        "margin = 1.0  # tolerate other programs on the machine",
    ]
    for player in study.players:
        lines += ["", f'[engines."{player.name}"]', 'player = "mcts"', f"clock = {player.clock}"]
        lines += [f"{name} = {value}" for name, value in player.parameters.items()]
    return "\n".join(lines) + "\n"


def measure_strength(
    plan: StrengthPlan, play: Callable[[Path], int]
) -> tuple[list[StrengthRow], str]:
    """Carry out a plan; return the rows and a checksum of the results as a signature.

    ``play`` plays the missing games of a tournament and returns its exit code.  Raise
    UnfinishedError if that isn't 0, and OSError if a plan can't be written.
    """
    rows = []
    plan.folder.mkdir(parents=True, exist_ok=True)
    for game in plan.games:
        for name in plan.studies:
            study = STUDIES[name](game, plan.seconds)
            if not study.matches:
                continue
            named = f"{game}{plan.size}-{name}-{plan.seconds:g}s-{plan.sets}.toml"
            path = plan.folder / named
            if not path.exists():  # keep a plan that was edited by hand
                path.write_text(plan_text(study, game, plan), "utf-8")
            if code := play(path):
                raise UnfinishedError(code)
            store, played_plan = open_run(str(path))
            with store:
                found = summary(played_plan, store.played())
            rows += [_row(found, name, *match) for match in study.matches]
    text = " ".join(f"{row.engine} {row.lost} {row.split} {row.won}" for row in rows)
    return rows, f"{zlib.crc32(text.encode()):08x}"


def _row(found: Summary, study: str, engine: str, opponent: str) -> StrengthRow:
    pairs = Pairs()
    for match in found.matches:
        if (match.engine, match.opponent) == (engine, opponent):
            pairs += match.pairs
        elif (match.engine, match.opponent) == (opponent, engine):
            pairs += match.pairs.reversed
    measured = estimate(pairs.counts)
    times = {row.engine: row.time.mean for row in found.standings if row.time}
    return StrengthRow(
        study=study,
        game=found.game,
        board=found.board,
        engine=engine,
        opponent=opponent,
        lost=pairs.ll,
        split=pairs.split,
        won=pairs.ww,
        elo=measured.elo,
        low=measured.low,
        high=measured.high,
        seconds=(times.get(engine, 0.0), times.get(opponent, 0.0)),
    )
