"""Tournament formats: which pairs of games are played, stage by stage.

A format is a generator of stages.  It's asked for the next stage only when all pairs of the stages
before are decided, so its choices can't depend on the order in which results arrive.  Within a
stage, all pairings play one opening before any plays the next: whenever a run stops, all pairings
have played nearly the same openings.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from trivalent.tools.statistics.pairs import moments
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.plan.plan_model import (
    Adaptive,
    Gauntlet,
    Knockout,
    Ladder,
    Matches,
    Swiss,
)
from trivalent.tools.tournament.seeds import seed_for, shuffled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trivalent.tools.tournament.model import Opening
    from trivalent.tools.tournament.plan.plan_model import Plan

    Pairing = tuple[str, str]


class Pair(NamedTuple):
    """Two games between two engines from the same opening, with colours exchanged."""

    a: str
    b: str
    """The engines in alphabetical order, whatever their order in the plan."""
    opening: Opening
    round: int
    """Counts from 1: how often these two have played this opening."""

    @property
    def id(self) -> str:
        """Unique within the plan; ~ doesn't occur in names."""
        return f"{self.a}~{self.b}~{self.opening.name}~{self.round}"

    @property
    def games(self) -> tuple[str, str]:
        """Ids of the games in which `a` starts as Black and as White."""
        return f"{self.id}b", f"{self.id}w"


class Stage(NamedTuple):
    """Pairs that can be played in parallel, and a title to display."""

    title: str
    pairs: Iterable[Pair]


def pair_of(one: str, other: str, opening: Opening, number: int) -> Pair:
    """Return the pair of two engines given in either order."""
    return Pair(min(one, other), max(one, other), opening, number)


class Results:
    """The winners of the games, as far as they're known."""

    def __init__(self, winners: Mapping[str, str]) -> None:
        self._winners = winners

    def wins(self, pair: Pair) -> int:
        """Return how many games of a complete pair its first engine has won."""
        return sum(self._winners[game] == pair.a for game in pair.games)

    def played(self, pair: Pair) -> bool:
        """Return whether both games are decided."""
        return all(game in self._winners for game in pair.games)

    def points(self, pairs: Iterable[Pair], name: str) -> tuple[int, int]:
        """Return how many games of some pairs an engine has won, and how many it has played."""
        won = played = 0
        for pair in pairs:
            if name in (pair.a, pair.b):
                wins = self.wins(pair)
                won += wins if name == pair.a else 2 - wins
                played += 2
        return won, played


def circle_pairings(names: Sequence[str]) -> list[Pairing]:
    """Return all pairings in an order in which the engines take turns.

    This is the circle method: one name stays put, the others rotate around it.
    """
    ring: list[str | None] = [*names] if len(names) % 2 == 0 else [*names, None]
    pairings: list[Pairing] = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        for one, other in zip(ring[:half], reversed(ring[half:]), strict=True):
            if one is not None and other is not None:
                pairings.append((one, other))
        ring.insert(1, ring.pop())
    return pairings


def pairings(plan: Plan) -> list[Pairing] | None:
    """Return all pairings, or None if they depend on results."""
    names = [engine.name for engine in plan.engines]
    match plan.options:
        case None:
            return circle_pairings(names)
        case Gauntlet(heroes):
            others = [name for name in names if name not in heroes]
            return [(hero, other) for other in others for hero in heroes]
        case Matches(pairs):
            return list(pairs)
        case Sprt():
            return [(names[0], names[1])]
        case _:
            return None


def meeting_pairs(plan: Plan, who: Sequence[Pairing], before: int = 0) -> Iterator[Pair]:
    """Yield the pairs in which the given pairings play all openings, `plan.rounds` times.

    ``before`` is how often they have done so already.  Each round shuffles the openings by the
    plan's seed: in board order the first ones would all be bad.
    """
    for number in range(before + 1, before + plan.rounds + 1):
        for opening in opening_order(plan, number):
            for one, other in who:
                yield pair_of(one, other, opening, number)


def opening_order(plan: Plan, number: int) -> list[Opening]:
    """Return the openings in the order in which a round plays them."""
    return shuffled(plan.openings, seed_for(plan.seed, "order", str(number)))


def stages(plan: Plan, results: Results) -> Iterator[Stage]:
    """Yield the stages of a plan; asking for one requires the results of all stages before.

    A final stage without pairs may follow, whose title states the outcome.
    """
    who = pairings(plan)
    if who is not None:
        yield Stage(plan.format.replace("-", " "), meeting_pairs(plan, who))
        return
    names = [engine.name for engine in plan.engines]
    match plan.options:
        case Knockout() as knockout:
            yield from _knockout(plan, knockout, names, results)
        case Swiss(rounds):
            yield from _swiss(plan, rounds, names, results)
        case Ladder(passes):
            yield from _ladder(plan, passes, names, results)
        case Adaptive() as adaptive:
            yield from _adaptive(plan, adaptive, names, results)


def expected_games(plan: Plan) -> int:
    """Return the number of games in a plan.

    Where results decide: the maximum for a sequential test and a ladder; without tie breaks for a
    knockout.
    """
    count = len(plan.engines)
    of_a_meeting = 2 * len(plan.openings) * plan.rounds
    who = pairings(plan)
    if who is not None:
        return len(who) * of_a_meeting
    match plan.options:
        case Swiss(rounds):
            return count // 2 * rounds * of_a_meeting
        case Ladder(passes):
            return (count - 1) * passes * of_a_meeting
        case Adaptive(pairs):
            return 2 * pairs
        case _:  # knockout: every engine but the winner loses one meeting
            return (count - 1) * of_a_meeting


# Knockout


def bracket(size: int) -> list[int]:
    """Return the seeds, from 0, in bracket order: the best two can only meet in the final.

    Seeds from ``size`` on are byes; the length is a power of two.
    """
    order = [0]
    while len(order) < size:
        order = [seed for low in order for seed in (low, 2 * len(order) - 1 - low)]
    return order


def _knockout(
    plan: Plan, options: Knockout, names: Sequence[str], results: Results
) -> Iterator[Stage]:
    alive = [names[seed] if seed < len(names) else "" for seed in bracket(len(names))]
    while len(alive) > 1:
        ties = list(zip(alive[::2], alive[1::2], strict=True))
        real = [tie for tie in ties if all(tie)]
        title = {2: "final", 4: "semifinals", 8: "quarterfinals"}.get(
            len(alive), f"round of {len(alive)}"
        )
        played = {tie: list(meeting_pairs(plan, [tie])) for tie in real}
        yield Stage(title, meeting_pairs(plan, real))
        for number in range(options.tie_breaks):
            level = [tie for tie in real if _lead(results, played[tie], tie) == 0]
            if not level:
                break
            repeat, at = divmod(number, len(plan.openings))
            opening = opening_order(plan, plan.rounds + 1 + repeat)[at]
            pairs = [pair_of(*tie, opening, plan.rounds + 1 + repeat) for tie in level]
            for tie, pair in zip(level, pairs, strict=True):
                played[tie].append(pair)
            yield Stage(f"{title}, tie break {number + 1}", pairs)
        alive = [_advancing(tie, played.get(tie, []), results, names) for tie in ties]
    yield Stage(f"{alive[0]} won the knockout", [])


def _lead(results: Results, pairs: Iterable[Pair], tie: Pairing) -> int:
    """Return how many more games the first engine has won than the second."""
    won, played = results.points(pairs, tie[0])
    return 2 * won - played


def _advancing(tie: Pairing, pairs: Iterable[Pair], results: Results, names: Sequence[str]) -> str:
    """Return the engine that advances: with a bye, with more wins, or listed first in the plan."""
    if not all(tie):
        return "".join(tie)
    lead = _lead(results, pairs, tie)
    return min(tie, key=names.index) if lead == 0 else tie[lead < 0]


# Swiss

_MAX_TRIES = 20_000
"""Search limit after which engines may meet again: there can be too many pairings to try all."""


def _swiss(plan: Plan, rounds: int, names: Sequence[str], results: Results) -> Iterator[Stage]:
    points = dict.fromkeys(names, 0.0)  # 1 for a won meeting or a bye, 1/2 for a drawn meeting
    wins = dict.fromkeys(names, 0)
    met: dict[frozenset[str], int] = {}
    rests: Counter[str] = Counter()
    for number in range(1, rounds + 1):
        order = sorted(names, key=lambda name: (-points[name], -wins[name], names.index(name)))
        if len(order) % 2:
            resting = min(reversed(order), key=lambda name: rests[name])
            order.remove(resting)
            rests[resting] += 1
            points[resting] += 1
        ties = _swiss_pairings(order, points, met)
        before = [met.get(frozenset(tie), 0) for tie in ties]
        played = [
            list(meeting_pairs(plan, [tie], plan.rounds * times))
            for tie, times in zip(ties, before, strict=True)
        ]
        # All meetings play one opening before any plays the next.
        turns = chain.from_iterable(zip(*played, strict=True))
        yield Stage(f"round {number} of {rounds}", turns)
        for tie, pairs in zip(ties, played, strict=True):
            met[frozenset(tie)] = met.get(frozenset(tie), 0) + 1
            lead = _lead(results, pairs, tie)
            for name, sign in zip(tie, (1, -1), strict=True):
                wins[name] += results.points(pairs, name)[0]
                points[name] += (1 + (lead * sign > 0) - (lead * sign < 0)) / 2
    best = min(names, key=lambda name: (-points[name], -wins[name], names.index(name)))
    yield Stage(f"{best} has {points[best]:g} points of {rounds}", [])


def _swiss_pairings(
    order: Sequence[str], points: Mapping[str, float], met: Mapping[frozenset[str], int]
) -> list[Pairing]:
    """Pair an even number of engines, best first, with others of their score.

    The upper half of a score group meets the lower half; nobody meets the same engine twice if
    avoidable.
    """
    for max_meetings in range(max(met.values(), default=0) + 1):
        found = _matching(order, points, lambda a, b: met.get(frozenset((a, b)), 0) <= max_meetings)  # noqa: B023  called within the loop
        if found is not None:
            return found
    raise AssertionError("with the last limit, all pairings are allowed")


def _matching(
    order: Sequence[str], points: Mapping[str, float], allowed: Callable[[str, str], bool]
) -> list[Pairing] | None:
    """Return the first complete pairing, or None if there's none or the search takes too long."""
    tries = 0
    stack: list[tuple[list[str], Iterator[str]]] = [([*order], _opponents(order, points, allowed))]
    chosen: list[Pairing] = []
    while stack:
        left, candidates = stack[-1]
        if not left:
            return chosen
        tries += 1
        other = next(candidates, None)
        if other is None or tries > _MAX_TRIES:
            if tries > _MAX_TRIES:
                return None
            stack.pop()
            if chosen:
                chosen.pop()
            continue
        chosen.append((left[0], other))
        rest = [name for name in left[1:] if name != other]
        stack.append((rest, _opponents(rest, points, allowed)))
    return None


def _opponents(
    left: Sequence[str], points: Mapping[str, float], allowed: Callable[[str, str], bool]
) -> Iterator[str]:
    """Yield the possible opponents of the first engine left, in order of preference."""
    if not left:
        return iter(())
    first, others = left[0], left[1:]
    group = sum(points[name] == points[first] for name in left)
    # The first engine has place 0.  It prefers the engine half a score group down, then the
    # nearest to that one, then engines with fewer points.
    preferred = sorted(
        others,
        key=lambda name: (
            points[name] != points[first],
            abs(others.index(name) + 1 - group // 2) if points[name] == points[first] else 0,
            others.index(name),
        ),
    )
    return (name for name in preferred if allowed(first, name))


# Ladder


def _ladder(plan: Plan, passes: int, names: Sequence[str], results: Results) -> Iterator[Stage]:
    rungs = [*names]
    met: dict[frozenset[str], int] = {}
    for number in range(1, passes + 1):
        before = [*rungs]
        for upper in range(len(rungs) - 2, -1, -1):
            tie = rungs[upper], rungs[upper + 1]
            times = met.get(frozenset(tie), 0)
            met[frozenset(tie)] = times + 1
            pairs = list(meeting_pairs(plan, [tie], plan.rounds * times))
            yield Stage(f"pass {number}: {tie[1]} challenges {tie[0]}", pairs)
            if _lead(results, pairs, tie) < 0:
                rungs[upper], rungs[upper + 1] = tie[1], tie[0]
        if rungs == before:
            break
    yield Stage(f"{rungs[0]} is on top of the ladder", [])


# Adaptive


def _adaptive(
    plan: Plan, options: Adaptive, names: Sequence[str], results: Results
) -> Iterator[Stage]:
    every = circle_pairings(names)
    counts = {pairing: [0, 0, 0] for pairing in every}
    issued = dict.fromkeys(every, 0)
    orders: list[list[Opening]] = []
    total = 0
    batch = [*every, *every]
    while batch:
        stage = []
        for pairing in batch:
            repeat, at = divmod(issued[pairing], len(plan.openings))
            issued[pairing] += 1
            if repeat == len(orders):
                orders.append(opening_order(plan, repeat + 1))
            stage.append(pair_of(*pairing, orders[repeat][at], repeat + 1))
        total += len(stage)
        yield Stage(f"{total} of {options.pairs} pairs", stage)
        for pairing, pair in zip(batch, stage, strict=True):
            # Which of the two won doesn't matter, only how far the score is from even.
            counts[pairing][results.wins(pair)] += 1
        batch = _least_certain(counts, min(options.batch, options.pairs - total))


def _least_certain(counts: Mapping[Pairing, Sequence[int]], size: int) -> list[Pairing]:
    """Return the next pairings, each the one with the smallest |difference| / standard error.

    A third of a pair of each outcome is added to the counts, so that the error is never zero.
    """
    queue = []
    for number, (pairing, outcomes) in enumerate(counts.items()):
        mean, variance, _, _ = moments([count + 1 / 3 for count in outcomes])
        pairs = sum(outcomes) + 1
        queue.append((abs(mean - 0.5) / math.sqrt(variance / pairs), pairs, number, pairing))
    heapq.heapify(queue)
    chosen = []
    for _ in range(size):
        certainty, pairs, number, pairing = queue[0]
        chosen.append(pairing)
        # Assume that another pair keeps the difference and only reduces the error.
        certainty *= math.sqrt((pairs + 1) / pairs)
        heapq.heapreplace(queue, (certainty, pairs + 1, number, pairing))
    return chosen
