"""The statistics of a run, computed once; tables, files and pages only display them.

Everything is a function of the plan and the set of records, independent of their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import fmean, quantiles
from typing import TYPE_CHECKING

from trivalent.core.records.record import Action
from trivalent.core.text import printable
from trivalent.tools.statistics.pairs import (
    Estimate,
    GameLevel,
    Pairs,
    Strata,
    adjusted,
    correlation,
    estimate,
    game_level,
    mcnemar,
    strata,
)
from trivalent.tools.statistics.rating import UNKNOWN, Difference, Tally, profile_interval, rate
from trivalent.tools.statistics.tails import Z95
from trivalent.tools.statistics.worker_agreement import Agreement, agreement
from trivalent.tools.tournament.model import REGULAR
from trivalent.tools.tournament.report.conditions import conditions
from trivalent.tools.tournament.results import Ledger
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trivalent.tools.statistics.outcomes import Outcome
    from trivalent.tools.statistics.rating import Ratings
    from trivalent.tools.statistics.sprt import Trial
    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.report.conditions import Conditions


_RESULT_DRIVEN = ("sprt", "adaptive", "knockout", "swiss", "ladder")

_WORDS = frozenset(action.value for action in Action if action is not Action.PLAY)
"""Moves that aren't cells."""
_MAX_TIME = 250_000_000_000.0
"""Seconds since the epoch at which years get five digits; no valid time is later."""

_SMALL_SAMPLE = 15

MAX_PROFILED = 8
"""With more engines, lopsided results get their intervals from virtual games instead of profile
likelihood, whose cost grows."""


@dataclass(frozen=True, slots=True)
class TimeUse:
    """An engine's thinking time, in seconds."""

    moves: int
    total: float
    mean: float
    median: float
    high: float
    """95th percentile."""
    longest: float
    course: tuple[float, ...]
    """Mean time of its first move of a game, its second, and so on."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of an engine.  None means that the number doesn't exist."""

    engine: str
    wins: int
    losses: int
    wins_as_black: int
    games_as_black: int
    wins_as_white: int
    games_as_white: int
    faults: int
    """Games lost by a fault of its own rather than on the board or by resignation."""
    elo: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval of the difference to the anchor or to the mean of all engines."""
    ranks: tuple[int, int] | None = None
    """Best and worst possible rank; all these intervals hold together with 95 %."""
    time: TimeUse | None = None


@dataclass(frozen=True, slots=True)
class OpeningResult:
    """Results of an opening for the first engine of a match, as Black and as White."""

    opening: str
    wins_as_black: int
    games_as_black: int
    wins_as_white: int
    games_as_white: int


@dataclass(frozen=True, slots=True)
class Match:
    """All games between two engines, from the view of the higher-ranked one."""

    engine: str
    opponent: str
    wins: int
    losses: int
    pairs: Pairs
    """Complete pairs, without repetitions."""
    estimate: Estimate
    """From these pairs alone; its mean refers to this suite of openings."""
    difference: Difference
    """From the ratings, which use all games."""
    mcnemar: tuple[float, float]
    """P-value of equality from the pairs that aren't split: one-sided, two-sided."""
    adjusted: tuple[float, float] | None
    """Elo on a balanced opening, and its standard error."""
    strata: Strata | None
    """Standard error of the mean score if the openings are a sample of all openings, and if they're
    all that matter."""
    correlation: float | None
    """Of the two games of a pair; -1 if openings decide everything."""
    game_level: GameLevel
    """What tools report that take games as independent."""
    openings: tuple[OpeningResult, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that was decided neither on the board nor by resignation."""

    game: str
    engine: str
    """Engine at fault; empty if none is."""
    opponent: str
    opening: str
    ending: str
    detail: str
    void: bool
    attempt: int
    logs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Test:
    """A sequential test of engine against opponent."""

    engine: str
    opponent: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    lower: float
    upper: float
    pairs: Pairs
    late: Pairs
    llr: float
    decision: str
    curve: tuple[float, ...]
    """Log-likelihood ratio after each pair."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that the reports say about a run."""

    name: str
    board: str
    game: str
    format: str
    swap: str
    seed: int
    digest: str
    state: str
    """Current state of the format, in a sentence."""
    games: int
    """Decided games."""
    total: int
    """Planned games, as far as known."""
    void: int
    repeats: int
    """Games that repeat earlier ones; they aren't rated."""
    half_pairs: int
    """Games whose partner in the pair has no result yet."""
    started: float
    ended: float
    """Start of the first and end of the last game, in seconds since the epoch; 0 without games."""
    engines: tuple[Conditions, ...]
    """In the order of the plan."""
    standings: tuple[Standing, ...]
    matches: tuple[Match, ...]
    los: tuple[tuple[float | None, ...], ...]
    """Likelihood that one engine (row) is stronger than another (column), in the order of the
    standings."""
    anchor: str
    first_player: float | None
    """Value of moving first in Elo, with standard error and p-value of no advantage."""
    first_player_error: float | None
    first_player_p: float | None
    faults: tuple[Fault, ...]
    endings: Mapping[str, int]
    workers: tuple[Agreement, ...]
    test: Test | None
    notes: tuple[str, ...]
    played: tuple[tuple[Game, Record], ...] = field(repr=False)
    """Decided games, ordered by round, opening and names."""


def summary(
    plan: Plan,
    records: Iterable[tuple[Game, Record]],
    versions: Mapping[str, Sequence[str]] | None = None,
    *,
    anchor: str = "",
) -> Summary:
    """Return the statistics of a run so far, from all its games and records.

    ``versions`` are those that the engines have reported, see `Store.versions`.  Raise ValueError
    if the anchor hasn't played, and StoreError if records don't fit the plan.
    """
    everything = _in_order(plan, records)
    _require_consistent(plan, everything)
    results: dict[str, tuple[Game, Record]] = {}
    for game, record in everything:
        if record.winner:
            results.setdefault(game.id, (game, record))
    played = tuple(results.values())
    schedule = Schedule(plan, (record for _, record in played))
    trial = schedule.trial
    ledger = Ledger(plan.board).extend(played)
    tally = Tally(ledger.outcomes)
    ratings = rate(tally, anchor=anchor)
    standings = _standings(plan, ledger.outcomes, ratings, played)
    order = [standing.engine for standing in standings]
    notes = list(ratings.notes)
    if plan.format in _RESULT_DRIVEN:
        notes.append("The format chose games by earlier results, so the intervals are approximate.")
    if ledger.repeats:
        notes.append(
            f"{ledger.repeats} of {len(played)} games aren't rated because they repeat earlier "
            "games move by move, up to symmetry."
        )
    matches = _matches(ledger, tally, order, ratings)
    if any(0 < match.pairs.total < _SMALL_SAMPLE for match in matches):
        notes.append(f"Intervals from fewer than {_SMALL_SAMPLE} pairs cover about 90 %, not 95 %.")
    workers = tuple(
        agreement(
            (record.worker, outcome)
            for (_, record), outcome in zip(played, ledger.outcomes, strict=True)
        )
    )
    notes += _deviating_workers(workers)
    begun = [record for _, record in everything if record.started]
    return Summary(
        name=plan.name,
        board=str(plan.board),
        game=plan.game,
        format=plan.format,
        swap=plan.swap,
        seed=plan.seed,
        digest=plan.digest,
        state=schedule.state,
        games=len(played),
        total=max(schedule.total, len(played)),
        void=sum(not record.winner for _, record in everything),
        repeats=ledger.repeats,
        half_pairs=len(ledger.outcomes) - 2 * len(ledger.pairs),
        started=min((record.started for record in begun), default=0.0),
        ended=max((record.started + record.duration for record in begun), default=0.0),
        engines=conditions(plan, versions or {}),
        standings=standings,
        matches=matches,
        los=tuple(tuple(_los(ratings, one, other) for other in order) for one in order),
        anchor=anchor,
        first_player=ratings.first_player,
        first_player_error=ratings.first_player_error,
        first_player_p=ratings.first_player_p,
        faults=tuple(_faults(everything)),
        endings=dict(Counter(record.ending.value for _, record in everything).most_common()),
        workers=workers,
        test=_test(plan, trial) if trial else None,
        notes=tuple(notes),
        played=played,
    )


def _in_order(plan: Plan, records: Iterable[tuple[Game, Record]]) -> list[tuple[Game, Record]]:
    """Return records by round, opening, names and attempt."""
    place = {opening.name: number for number, opening in enumerate(plan.openings)}
    return sorted(
        records,
        key=lambda one: (
            one[0].round,
            place.get(one[0].opening.name, len(place)),
            one[0].id,
            one[1].attempt,
        ),
    )


def _require_consistent(plan: Plan, records: Iterable[tuple[Game, Record]]) -> None:
    """Raise StoreError if records don't fit the plan: the file is damaged."""
    names = {engine.name for engine in plan.engines}
    words = {*plan.board.names, *_WORDS}
    for game, record in records:
        who = {game.black, game.white}
        times = (record.duration, *record.seconds)
        if not (
            who <= names
            and {record.winner, record.blamed} <= {*who, ""}
            and words.issuperset(record.moves)
            and 0 <= record.started < _MAX_TIME
            and 0 <= min(times) <= max(times) < _MAX_TIME
        ):
            raise StoreError(f"the run is damaged: {printable(game.id)} doesn't fit its plan")


def _deviating_workers(workers: Sequence[Agreement]) -> list[str]:
    return [
        f"Results of worker {row.worker} differ from those of the other workers (p = {row.p:.1g})."
        for row in workers
        if row.p < 0.05 / len(workers)
    ]


def _standings(
    plan: Plan,
    outcomes: Sequence[Outcome],
    ratings: Ratings,
    played: Sequence[tuple[Game, Record]],
) -> tuple[Standing, ...]:
    wins = Counter((one.winner, one.first == one.winner) for one in outcomes)
    losses = Counter((one.loser, one.first == one.loser) for one in outcomes)
    faults = Counter(record.blamed for _, record in played if record.blamed)
    times = _times(played)
    ranks = ratings.ranks()
    at = {engine: i for i, engine in enumerate(ratings.engines)}
    rows = []
    for name in (engine.name for engine in plan.engines):
        rating: dict[str, float] = {}
        if name in at:
            elo, error = ratings.elo[at[name]], ratings.errors[at[name]]
            rating = {"elo": elo, "low": elo - Z95 * error, "high": elo + Z95 * error}
        rows.append(
            Standing(
                name,
                wins[name, True] + wins[name, False],
                losses[name, True] + losses[name, False],
                wins[name, True],
                wins[name, True] + losses[name, True],
                wins[name, False],
                wins[name, False] + losses[name, False],
                faults[name],
                ranks=ranks.get(name),
                time=times.get(name),
                **rating,
            )
        )
    rows.sort(key=lambda row: (at.get(row.engine, len(at)), row.engine))
    return tuple(rows)


def _times(played: Iterable[tuple[Game, Record]]) -> dict[str, TimeUse]:
    spent: defaultdict[str, list[list[float]]] = defaultdict(list)
    for game, record in played:
        opened = len(game.opening.moves)
        # Engines alternate even after a swap: the one that starts makes the even-numbered moves.
        for side, engine in enumerate((game.black, game.white)):
            course = spent[engine]
            for turn, seconds in enumerate(record.seconds[opened + (opened + side) % 2 :: 2]):
                if turn == len(course):
                    course.append([])
                course[turn].append(seconds)
    return {engine: _time_use(course) for engine, course in spent.items() if course}


def _time_use(course: Sequence[Sequence[float]]) -> TimeUse:
    everything = [seconds for turn in course for seconds in turn]
    several = everything * 2 if len(everything) == 1 else everything
    cuts = quantiles(several, n=20, method="inclusive")
    return TimeUse(
        moves=len(everything),
        total=sum(everything),
        mean=fmean(everything),
        median=cuts[9],
        high=cuts[18],
        longest=max(everything),
        course=tuple(map(fmean, course)),
    )


def _matches(
    ledger: Ledger, tally: Tally, order: Sequence[str], ratings: Ratings
) -> tuple[Match, ...]:
    place = {engine: i for i, engine in enumerate(order)}
    outcomes: defaultdict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for one in ledger.outcomes:
        outcomes[_ordered(one.winner, one.loser, place)].append(one)
    scores: defaultdict[tuple[str, str], defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for pair in ledger.pairs:
        if not pair.repeat:
            both = _ordered(*pair.engines, place)
            scores[both][pair.opening].append(pair.wins_of(both[0]) / 2)
    matches = []
    for both in sorted(outcomes, key=lambda both: (place[both[0]], place[both[1]])):
        engine, opponent = both
        by_opening = scores[both]
        pairs = ledger.between(engine, opponent)
        wins = sum(one.winner == engine for one in outcomes[both])
        losses = len(outcomes[both]) - wins
        matches.append(
            Match(
                engine,
                opponent,
                wins,
                losses,
                pairs,
                estimate(pairs.counts),
                _difference(engine, opponent, tally, ratings),
                mcnemar(pairs),
                adjusted(pairs),
                strata(by_opening),
                correlation(pairs),
                game_level(losses, 0, wins),
                _openings(engine, outcomes[both]),
            )
        )
    return tuple(matches)


def _difference(engine: str, opponent: str, tally: Tally, ratings: Ratings) -> Difference:
    """Return the rating difference, with a profile-likelihood interval if results are lopsided."""
    if engine not in ratings.engines or opponent not in ratings.engines:
        return UNKNOWN  # they have only played repetitions
    difference = ratings.difference(engine, opponent)
    if ratings.virtual and len(ratings.engines) <= MAX_PROFILED:
        low, high = profile_interval(tally, engine, opponent)
        difference = difference._replace(low=low, high=high)
    return difference


def _los(ratings: Ratings, engine: str, opponent: str) -> float | None:
    if engine not in ratings.engines or opponent not in ratings.engines:
        return None
    return ratings.difference(engine, opponent).los


def _ordered(one: str, other: str, place: Mapping[str, int]) -> tuple[str, str]:
    return (one, other) if place[one] < place[other] else (other, one)


def _openings(engine: str, outcomes: Iterable[Outcome]) -> tuple[OpeningResult, ...]:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for one in outcomes:
        row = counts[one.opening]
        colour = 0 if one.first == engine else 2
        row[colour] += one.winner == engine
        row[colour + 1] += 1
    return tuple(OpeningResult(opening, *row) for opening, row in counts.items())


def _faults(records: Iterable[tuple[Game, Record]]) -> Iterable[Fault]:
    for game, record in records:
        if record.ending in REGULAR:
            continue
        engine = record.blamed
        opponent = game.white if engine == game.black else game.black
        if not engine:
            engine, opponent = "", f"{game.black} - {game.white}"
        yield Fault(
            game=game.id,
            engine=engine,
            opponent=opponent,
            opening=game.opening.name,
            ending=record.ending.value,
            detail=record.detail,
            void=not record.winner,
            attempt=record.attempt,
            logs=record.logs,
        )


def _test(plan: Plan, trial: Trial) -> Test:
    lower, upper = trial.sprt.bounds
    return Test(
        engine=plan.engines[0].name,
        opponent=plan.engines[1].name,
        elo0=trial.sprt.elo0,
        elo1=trial.sprt.elo1,
        alpha=trial.sprt.alpha,
        beta=trial.sprt.beta,
        lower=lower,
        upper=upper,
        pairs=trial.pairs,
        late=trial.late,
        llr=trial.llr,
        decision=trial.decision,
        curve=tuple(trial.curve),
    )
