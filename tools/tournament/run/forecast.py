"""Forecast what a plan costs and how exact its result will be, and point out likely mistakes."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK
from trivalent.core.position import Position
from trivalent.core.processors import usable_cores
from trivalent.gtp.client.engine_dialects import DIALECTS
from trivalent.tools.statistics.elo import elo
from trivalent.tools.statistics.pairs import expected_error_bar
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.plan.plan_model import Knockout, Ladder
from trivalent.tools.tournament.run.tournament_formats import (
    circle_pairings,
    expected_games,
    pairings,
)
from trivalent.tools.tournament.run.workers import at_once, threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.tools.tournament.model import Engine
    from trivalent.tools.tournament.plan.plan_model import Plan

SPLITS = (0.5, 0.8)
"""Shares of split pairs: the openings decide nothing, or decide most games."""

_FILL_RATIO = 0.5
"""Share of cells that have a stone at the end of a typical game."""
_ROUND_TRIP = 0.001
"""Seconds per move outside the search."""
_SAMPLE_SECONDS = 0.3
"""Seconds for which a game is timed."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What to expect of a plan."""

    games: int
    """A sequential test may end sooner; tie breaks of a knockout aren't counted."""
    at_once: int
    seconds: float
    """Duration; an upper bound if engines needn't use all their time."""
    untimed: tuple[str, ...]
    """Engines whose time per move isn't limited; their time isn't included."""
    error_bars: tuple[tuple[float, float], ...]
    """For each of `SPLITS`: the narrowest and the widest 95 % error bar of an Elo difference
    between engines that meet."""
    lengths: tuple[tuple[float, tuple[float, ...]], ...]
    """For a sequential test: true differences on its own scale, and for each of `SPLITS` the
    expected number of pairs."""


def forecast(plan: Plan) -> Forecast:
    """Return what to expect of a plan.  Built-in players search for a moment to be timed."""
    games = expected_games(plan)
    opening = sum(len(opening.moves) for opening in plan.openings) / len(plan.openings)
    length = min(_FILL_RATIO * len(plan.board), plan.move_limit or math.inf)
    moves = max(0.0, length - opening) / 2
    measured: dict[tuple[str, str], float] = {}
    times = {engine.name: _seconds(plan, engine, moves, measured) for engine in plan.engines}
    shares = _shares(plan)
    a_game = sum(share * (times[name] or 0.0) for name, share in shares.items())
    return Forecast(
        games=games,
        at_once=at_once(plan),
        seconds=games * a_game / min(at_once(plan), games),
        untimed=tuple(name for name in shares if times[name] is None),
        error_bars=tuple(_error_bars(plan, split) for split in SPLITS),
        lengths=tuple(_lengths(plan)),
    )


def _shares(plan: Plan) -> dict[str, float]:
    """Return the share of all games that each engine plays; the shares add up to 2."""
    who = pairings(plan) or circle_pairings([engine.name for engine in plan.engines])
    shares: dict[str, float] = {}
    for pairing in who:
        for name in pairing:
            shares[name] = shares.get(name, 0.0) + 1 / len(who)
    return shares


def _seconds(
    plan: Plan, engine: Engine, moves: float, measured: dict[tuple[str, str], float]
) -> float | None:
    """Return the maximum thinking time of an engine in a game with `moves` moves of its own.

    Return None if nothing limits it.
    """
    clock = plan.clock_of(engine.name)
    limits = []
    if clock.move:
        limits.append(clock.move * moves)
    elif clock.main or clock.byo_yomi:
        a_move = clock.increment + clock.byo_yomi / clock.stones
        limits.append(clock.main + a_move * moves)
    if clock.nodes and engine.player:
        key = engine.player, str((clock.nodes, dict(engine.parameters)))
        if key not in measured:
            measured[key] = _game_time(plan, engine, clock.nodes, moves)
        limits.append(measured[key] + _ROUND_TRIP * moves)
    return min(limits, default=None)


def _game_time(plan: Plan, engine: Engine, nodes: int, moves: float) -> float:
    """Return the seconds that a player needs in a game, from a sample against itself.

    Late in a game it proves who wins, so searches end long before they have `nodes`, and so do
    games.  In the sample each search gets only a moment; those that it cuts short are taken to go
    on at their mean speed.  Processor time is measured, which other programs hardly affect.
    """
    player = make_player(engine.player, engine.parameters)
    position = Position(plan.board)
    player.set_position(position)
    player.genmove(BLACK, Limits(1), Stop())  # the very first search fills tables
    for name in plan.openings[len(plan.openings) // 2].moves:
        position.play(position.to_play, plan.board.cell(name))
    player.set_position(position)
    expected = max(1, round(2 * moves))
    moment = _SAMPLE_SECONDS / expected
    end = time.monotonic() + 2 * _SAMPLE_SECONDS
    whole = cut = 0.0
    plies = cuts = evaluated = 0
    over = False
    while not over and time.monotonic() < end:
        began = time.process_time()
        answer = player.genmove(position.to_play, Limits(nodes, moment), Stop())
        used = time.process_time() - began
        plies += 1
        search = player.analysis()
        if search.nodes and search.seconds >= 0.9 * moment:
            cut += used
            cuts += 1
            evaluated += search.nodes
        else:
            whole += used
        if isinstance(answer, int):
            player.play(position.to_play, answer)
            position.play(position.to_play, answer)
        over = position.winner is not None or not isinstance(answer, int)
    seconds = whole + (cuts * nodes * cut / evaluated if cuts else 0.0)
    if not over:  # a large board: the rest is like the beginning
        seconds *= max(1.0, expected / plies)
    return seconds / 2 / (int(engine.parameters.get("threads", "1")) or usable_cores())


def _error_bars(plan: Plan, split: float) -> tuple[float, float]:
    """Return the error bars of the most and the least exact difference.

    Engines are assumed equal.  Games against third engines count, too: a pairing is known as well
    as a network of resistors of 1 / pairs conducts between its ends.
    """
    names = [engine.name for engine in plan.engines]
    a_meeting = len(plan.openings) * plan.rounds
    if isinstance(plan.options, Knockout | Ladder):
        bar = expected_error_bar(a_meeting, split)
        return bar, bar
    who = pairings(plan) or circle_pairings(names)
    pairs = expected_games(plan) / 2 / len(who)
    laplacian = np.zeros((len(names), len(names)))
    ends = [(names.index(one), names.index(other)) for one, other in who]
    for i, j in ends:
        laplacian[[i, j], [i, j]] += pairs
        laplacian[[i, j], [j, i]] -= pairs
    inverse = np.linalg.pinv(laplacian)
    resistances = [float(inverse[i, i] + inverse[j, j] - 2 * inverse[i, j]) for i, j in ends]
    bars = [expected_error_bar(1, split) * math.sqrt(resistance) for resistance in resistances]
    return min(bars), max(bars)


def _lengths(plan: Plan) -> Iterator[tuple[float, tuple[float, ...]]]:
    if isinstance(plan.options, Sprt):
        sprt = plan.options
        for value in (sprt.elo0, (sprt.elo0 + sprt.elo1) / 2, sprt.elo1):
            yield value, tuple(_length(sprt, value, split) for split in SPLITS)


def _length(sprt: Sprt, value: float, split: float) -> float:
    """Return the pairs a test needs if the true difference has this value on the test's scale."""
    return sprt.expected_pairs(elo(sprt.mean_score(value, split)), split)


def pitfalls(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each likely mistake in a valid plan."""
    if plan.swap != "off" and all(len(opening.moves) > 1 for opening in plan.openings):
        yield "the swap rule has no effect: every opening has more than one move"
    if len(plan.openings) == 1 and plan.rounds == 1:
        yield "two engines play only two games: add openings or rounds"
    seeded = {engine.name: _takes_seed(engine) for engine in plan.engines}
    if plan.rounds > 1:
        for one, other in pairings(plan) or circle_pairings(
            [engine.name for engine in plan.engines]
        ):
            if not seeded[one] and not seeded[other]:
                yield (
                    f"{one} and {other} get no seed (put {{seed}} into command or startup): if "
                    "they are deterministic, all rounds after the first only repeat its games"
                )
                break
    seen: dict[str, str] = {}
    for engine in plan.engines:
        settings = str(replace(engine, name="", clock=plan.clock_of(engine.name)))
        if settings in seen:
            yield f"{seen[settings]} and {engine.name} are identical except for their names"
        seen[settings] = engine.name
    timed = any(_is_timed(plan, engine) for engine in plan.engines)
    if timed and at_once(plan) * threads(plan) > usable_cores():
        yield (
            f"{at_once(plan)} games in parallel share {usable_cores()} cores: engines may lose on "
            "time because they wait for a core"
        )


def _takes_seed(engine: Engine) -> bool:
    dialect = DIALECTS["trivalent" if engine.player else engine.dialect]
    return bool(dialect.seed) or any("{seed}" in word for word in engine.command + engine.startup)


def _is_timed(plan: Plan, engine: Engine) -> bool:
    clock = plan.clock_of(engine.name)
    return bool(clock.move or clock.main or clock.byo_yomi)


def forecast_lines(plan: Plan, expected: Forecast) -> Iterator[str]:
    """Yield a forecast as lines of text."""
    meets = 2 * len(plan.openings) * plan.rounds
    form = plan.format.replace("-", " ")
    yield f"{plan.name}: {plan.board}, swap {plan.swap}, {form} of {len(plan.engines)} engines"
    yield f"engines    {', '.join(engine.name for engine in plan.engines)}"
    rounds = "1 round" if plan.rounds == 1 else f"{plan.rounds} rounds"
    if plan.format == "adaptive":
        yield f"openings   {len(plan.openings)}, each with both colours"
    else:
        yield f"openings   {len(plan.openings)}, {rounds}: {meets} games between two engines"
    yield f"games      {expected.games}{_reservation(plan)}"
    yield f"duration   {_duration(expected)}"
    if isinstance(plan.options, Sprt):
        unit = "normalized Elo" if plan.options.model == "normalized" else "Elo"
        for value, pairs in expected.lengths:
            texts = [f"{number:.0f} pairs" for number in pairs]
            yield f"length     at {value:g} {unit} {_by_split(texts)}"
        if max(pairs[0] for _, pairs in expected.lengths) > expected.games / 2:
            yield f"           only {expected.games // 2} pairs are planned: it may end undecided"
    else:
        bars = [_bar(low, high) for low, high in expected.error_bars]
        yield f"error bar  {_by_split(bars)} (95 %, in Elo)"


def _reservation(plan: Plan) -> str:
    return {
        "sprt": " at most",
        "ladder": " at most",
        "knockout": " plus tie breaks",
    }.get(plan.format, "")


def _bar(low: float, high: float) -> str:
    return f"+-{low:.0f}" if round(low) == round(high) else f"+-{low:.0f} to {high:.0f}"


def _by_split(texts: list[str]) -> str:
    return f"{texts[0]} with half of the pairs split, {texts[1]} with 4 of 5 split"


def _duration(expected: Forecast) -> str:
    text = duration_text(expected.seconds)
    text += f", {expected.at_once} in parallel, if games fill half the board"
    if expected.untimed:
        text += f"; plus the time of {', '.join(expected.untimed)}, which has no limit"
    return text


def duration_text(seconds: float) -> str:
    """Return a duration in a suitable unit."""
    for name, unit in (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.95 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.0f} seconds" if seconds >= 1.5 else "about a second"
