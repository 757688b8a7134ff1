"""Ratings of all engines at once: the Bradley-Terry model by maximum likelihood.

The odds that i beats j are exp(th_i - th_j + g) if i moved first and exp(th_i - th_j - g) if j did.
Standard errors are clustered by game pairs, since the games of a pair are correlated; errors of
differences use the full covariance, never two error bars.  Finite ratings exist if and only if a
chain of wins leads from every engine to every other (Ford).  Otherwise every engine is given a
virtual win and a virtual loss against an engine of rating 0, and a note says so.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trivalent.tools.statistics.elo import ELO_PER_LOGIT
from trivalent.tools.statistics.tails import (
    Z95,
    bisect,
    chi_square_tail,
    normal_cdf,
    normal_quantile,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from trivalent.tools.statistics.outcomes import Outcome

    Array = npt.NDArray[np.float64]

_FAR = 20.0
"""Log odds (3500 Elo) beyond which the maximum is taken to lie at infinity."""


class Difference(NamedTuple):
    """How much stronger one engine is than another, in Elo; None where a value doesn't exist."""

    elo: float | None
    error: float | None
    low: float | None
    high: float | None
    los: float | None
    """Likelihood of superiority."""


UNKNOWN = Difference(None, None, None, None, None)


class _Row(NamedTuple):
    """A game as the model sees it."""

    winner: str
    loser: str
    side: int
    """1 if the winner moved first, -1 if the loser did, 0 to ignore who did."""


class _Fit(NamedTuple):
    """The maximum of a likelihood, and the observed information there."""

    beta: Array
    information: Array
    log_likelihood: float
    finite: bool
    """False if the maximum lies at infinity; `beta` is then a point on the way."""


@dataclass(frozen=True, eq=False, slots=True)
class Ratings:
    """Ratings in Elo of the engines that have played, best first."""

    engines: tuple[str, ...]
    elo: tuple[float, ...]
    """The mean is 0 in every set of linked engines; with an anchor, its rating is 0."""
    errors: tuple[float, ...]
    """Standard errors of the ratings; 0 for the anchor."""
    covariance: Array
    """Covariance in Elo squared of the ratings with mean 0 and, last, the first-move advantage."""
    model_covariance: Array
    """The covariance if all games were independent."""
    components: tuple[int, ...]
    """For each engine, the number of the set of linked engines that it belongs to."""
    first_player: float | None
    """First-move advantage in Elo; None unless requested."""
    first_player_error: float | None
    first_player_p: float | None
    """p-value of the likelihood-ratio test that moving first is worth nothing."""
    log_likelihood: float
    virtual: bool
    """Whether virtual games are included."""
    notes: tuple[str, ...]
    """Caveats, one sentence each."""

    def anchored(self, anchor: str) -> Ratings:
        """Return the ratings shifted so that the anchor has 0, with errors relative to it.

        Engines not linked to the anchor keep their ratings and errors.
        """
        at = self.engines.index(anchor)
        linked = [component == self.components[at] for component in self.components]
        return replace(
            self,
            elo=tuple(
                elo - self.elo[at] if here else elo
                for elo, here in zip(self.elo, linked, strict=True)
            ),
            errors=tuple(
                self._error(i, at) if here else self.errors[i] for i, here in enumerate(linked)
            ),
        )

    def difference(self, engine: str, opponent: str) -> Difference:
        """Return the difference between two engines.  Raise ValueError if one is unknown."""
        i, j = self.engines.index(engine), self.engines.index(opponent)
        if i == j or self.components[i] != self.components[j]:
            return UNKNOWN
        elo, error = self.elo[i] - self.elo[j], self._error(i, j)
        return Difference(elo, error, elo - Z95 * error, elo + Z95 * error, normal_cdf(elo / error))

    def _error(self, i: int, j: int) -> float:
        v = self.covariance
        return math.sqrt(max(float(v[i, i] + v[j, j] - 2.0 * v[i, j]), 0.0))

    def ranks(self) -> dict[str, tuple[int, int]]:
        """Return the best and worst rank of each engine, jointly at 95 % confidence."""
        n = len(self.engines)
        z = simultaneous(n * (n - 1) // 2)
        better = [
            [
                i != j
                and self.components[i] == self.components[j]
                and self.elo[i] - self.elo[j] > z * self._error(i, j)
                for j in range(n)
            ]
            for i in range(n)
        ]
        return {
            engine: (1 + sum(better[j][i] for j in range(n)), n - sum(better[i]))
            for i, engine in enumerate(self.engines)
        }


def simultaneous(comparisons: int) -> float:
    """Return the half width in standard errors of simultaneous 95 % intervals (Bonferroni)."""
    return normal_quantile(1.0 - 0.025 / max(comparisons, 1))


class Tally:
    """Counts of decided games by kind of pair: all that ratings need, in constant memory.

    Games that repeat others count as wins and losses but aren't rated.
    """

    def __init__(self, outcomes: Iterable[Outcome] = ()) -> None:
        self.wins: Counter[str] = Counter()
        self.losses: Counter[str] = Counter()
        self._kinds: Counter[tuple[_Row, ...]] = Counter()
        self._halves: dict[str, tuple[_Row, ...]] = {}  # pairs with one decided game so far
        for outcome in outcomes:
            self.add(outcome)

    def add(self, one: Outcome) -> None:
        """Add a game."""
        self.wins[one.winner] += 1
        self.losses[one.loser] += 1
        side = 1 if one.first == one.winner else -1
        rows = () if one.repeat else (_Row(one.winner, one.loser, side),)
        half = self._halves.pop(one.pair, None)
        if half is None:
            self._halves[one.pair] = rows
        else:
            self._kinds[tuple(sorted(half + rows))] += 1

    def kinds(self, *, first_player: bool) -> Counter[tuple[_Row, ...]]:
        """Return the kinds of pairs with their counts; incomplete pairs consist of one game."""
        found: Counter[tuple[_Row, ...]] = Counter()
        for kind, count in (self._kinds + Counter(self._halves.values())).items():
            rows = kind if first_player else (row._replace(side=0) for row in kind)
            found[tuple(sorted(rows))] += count
        del found[()]
        return found


class _Games:
    """Decided games as rows of a design matrix: 1 for the winner, -1 for the loser."""

    def __init__(self, tally: Tally, *, first_player: bool) -> None:
        kinds = tally.kinds(first_player=first_player)
        rows: Counter[_Row] = Counter()
        for kind, count in kinds.items():
            for row in kind:
                rows[row] += count
        self.engines = sorted({name for row in rows for name in row[:2]})
        self.index = {name: i for i, name in enumerate(self.engines)}
        self.n = len(self.engines)
        self.width = self.n + first_player
        self.x = self._design(list(rows))
        self.counts = np.array(list(rows.values()), dtype=np.float64)
        self.kinds = [(self._design(kind), count) for kind, count in kinds.items()]
        beats = np.eye(self.n, dtype=bool)
        for winner, loser, _ in rows:
            beats[self.index[winner], self.index[loser]] = True
        self.beats = _closure(beats)
        self.met = _closure(beats | beats.T)

    def _design(self, rows: Sequence[_Row]) -> Array:
        x = np.zeros((len(rows), self.width))
        for number, (winner, loser, side) in enumerate(rows):
            x[number, self.index[winner]] = 1.0
            x[number, self.index[loser]] = -1.0
            if side:
                x[number, -1] = side
        return x

    def names(self, numbers: Iterable[int]) -> str:
        return ", ".join(self.engines[number] for number in numbers)

    def rows(self, *, virtual: bool, first_player: bool = False) -> tuple[Array, Array]:
        """Return the design and the count of each row, with virtual games appended."""
        slots = [*(range(self.n) if virtual else ()), *([self.n] if first_player else [])]
        more = np.eye(self.width)[slots]
        return (
            np.concatenate((self.x, more, -more)),
            np.concatenate((self.counts, np.ones(2 * len(slots)))),
        )

    def centre(self) -> Array:
        """Return the matrix that centres every set of linked engines on mean 0."""
        matrix = np.eye(self.width)
        matrix[: self.n, : self.n] -= self.met / self.met.sum(axis=0)
        return matrix

    def squares(self, beta: Array) -> Array:
        """Return the sum over game pairs of the outer products of their gradients."""
        total = np.zeros((self.width, self.width))
        for x, count in self.kinds:
            gradient = x.T @ _losing(x @ beta)
            total += count * np.outer(gradient, gradient)
        return total


def _closure(relation: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the transitive closure of a reflexive relation."""
    while True:
        further = (relation.astype(np.float32) @ relation.astype(np.float32)) > 0
        if (further == relation).all():
            return relation
        relation = further


def _losing(odds: Array) -> Array:
    """Return the probability that the winner of a row loses, given its log odds to win."""
    return np.exp(-np.logaddexp(0.0, odds))


def _maximize(x: Array, counts: Array, offset: Array | float = 0.0) -> _Fit:
    """Maximize the likelihood by Newton's method, within the span of the rows."""
    _, sizes, basis = np.linalg.svd(x, full_matrices=False)
    # Directions that the rows leave undetermined, such as a shift of all ratings, stay 0.
    span = basis[sizes > 1e-9 * max(x.shape) * sizes.max(initial=0.0)]
    z = x @ span.T
    place = np.zeros(len(span))

    def likelihood(place: Array) -> float:
        return -float(counts @ np.logaddexp(0.0, -(z @ place + offset)))

    value, finite = likelihood(place), True
    for _ in range(100):
        losing = _losing(z @ place + offset)
        information = (z * (counts * losing * (1.0 - losing))[:, None]).T @ z
        # Far out, the information vanishes along with the gradient.
        nearly = information + 1e-12 * np.eye(len(span))
        step = np.linalg.solve(nearly, z.T @ (counts * losing))
        scale = 1.0
        while likelihood(place + scale * step) < value - 1e-12 and scale > 1e-6:
            scale /= 2.0
        place = place + scale * step
        value = likelihood(place)
        finite = bool(np.abs(z @ place).max(initial=0.0) < _FAR)
        if not finite or np.abs(step).max(initial=0.0) < 1e-10:
            break
    return _Fit(span.T @ place, span.T @ information @ span, value, finite)


def rate(
    tally: Tally,
    *,
    anchor: str = "",
    first_player: bool = True,
) -> Ratings:
    """Return the maximum-likelihood ratings of the games counted.

    ``first_player`` also estimates the first-move advantage.  With fewer than 15 pairs the 95 %
    intervals cover only about 90 %.  Raise ValueError for an anchor that has not played.
    """
    games = _Games(tally, first_player=first_player)
    if anchor and anchor not in games.index:
        raise ValueError(f"the anchor {anchor!r} has not played")
    virtual = not games.beats.all()
    x, counts = games.rows(virtual=virtual)
    fit = _maximize(x, counts)
    p = None
    if first_player:
        without = _maximize(x[:, :-1], counts)
        gain = 2.0 * (fit.log_likelihood - without.log_likelihood)
        p = chi_square_tail(max(0.0, gain), 1)
    bounded = fit.finite
    if not bounded:
        fit = _maximize(*games.rows(virtual=virtual, first_player=True))
    inverse = np.asarray(np.linalg.pinv(fit.information, rcond=1e-10, hermitian=True), np.float64)
    clustered: Array = inverse @ games.squares(fit.beta) @ inverse
    n = games.n
    # If all pairs of two engines have the same result, the clusters show no variance of their
    # difference.
    unknown = _of_differences(clustered[:n, :n]) < 1e-6 * _of_differences(inverse[:n, :n])
    alike = bool((unknown & games.met & ~np.eye(n, dtype=bool)).any())
    centre = ELO_PER_LOGIT * games.centre()
    elo: Array = centre @ fit.beta
    model: Array = centre @ inverse @ centre.T
    covariance: Array = model if alike or virtual else centre @ clustered @ centre.T
    order = sorted(range(n), key=lambda i: (-elo[i], games.engines[i]))
    slots = [*order, *range(n, games.width)]
    block = np.ix_(slots, slots)
    of_beginning = first_player and n > 0
    ratings = Ratings(
        engines=tuple(games.engines[i] for i in order),
        elo=tuple(elo[order].tolist()),
        errors=tuple(np.sqrt(np.diag(covariance)[order]).tolist()),
        covariance=covariance[block],
        model_covariance=model[block],
        components=tuple(int(games.met[i].argmax()) for i in order),
        first_player=float(elo[n]) if of_beginning else None,
        first_player_error=math.sqrt(covariance[n, n]) if of_beginning else None,
        first_player_p=p if of_beginning else None,
        log_likelihood=fit.log_likelihood,
        virtual=virtual,
        notes=tuple(_notes(games, virtual=virtual, bounded=bounded, alike=alike)),
    )
    return ratings.anchored(anchor) if anchor else ratings


def _of_differences(covariance: Array) -> Array:
    """Return the variances of all differences, given a covariance."""
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2.0 * covariance


def _notes(games: _Games, *, virtual: bool, bounded: bool, alike: bool) -> list[str]:
    notes = []
    if not games.n:
        return ["No games: no ratings."]
    islands = {tuple(np.flatnonzero(row).tolist()) for row in games.met}
    if len(islands) > 1:
        sets = "; ".join(games.names(island) for island in sorted(islands))
        notes.append(f"Not comparable, since no games link them even indirectly: {sets}.")
    strict = games.beats & ~np.eye(games.n, dtype=bool)
    unbeaten = np.flatnonzero(~strict.any(axis=0)).tolist()
    winless = np.flatnonzero(~strict.any(axis=1)).tolist()
    if unbeaten:
        notes.append(f"Won every game: {games.names(unbeaten)}.")
    if winless:
        notes.append(f"Lost every game: {games.names(winless)}.")
    if virtual:
        notes.append(
            "Every engine is given a virtual win and a virtual loss against an engine of rating 0: "
            "without them no finite ratings exist."
        )
    if not bounded:
        notes.append(
            "The games don't bound the first-move advantage: one virtual game is added that the "
            "first player wins, and one that the second player wins."
        )
    if alike and not virtual:
        notes.append(
            "All pairs, or all pairs of two engines, have the same result: the errors are those of "
            "independent games."
        )
    return notes


def profile_interval(tally: Tally, engine: str, opponent: str) -> tuple[float | None, ...]:
    """Return the 95 % profile-likelihood interval of an Elo difference, low and high.

    It holds for lopsided results, too; a bound that doesn't exist is None.  The first-move
    advantage is ignored.  Raise ValueError for an engine that has not played.
    """
    games = _Games(tally, first_player=False)
    for name in (engine, opponent):
        if name not in games.index:
            raise ValueError(f"{name!r} has not played")
    i, j = games.index[engine], games.index[opponent]
    if not games.met[i, j] or i == j:
        return None, None
    x, counts = games.rows(virtual=False)
    best = _maximize(x, counts)
    merged = x.copy()
    merged[:, j] += x[:, i]
    merged = np.delete(merged, i, axis=1)
    allowed = Z95 * Z95 / 2.0

    def loss(difference: float) -> float:
        fit = _maximize(merged, counts, x[:, i] * difference)
        return best.log_likelihood - fit.log_likelihood - allowed

    middle = float(best.beta[i] - best.beta[j])
    low = None
    if loss(-2.0 * _FAR) > 0.0:
        low = ELO_PER_LOGIT * bisect(lambda d: -loss(d), -2.0 * _FAR, middle, 1e-9)
    high = None
    if loss(2.0 * _FAR) > 0.0:
        high = ELO_PER_LOGIT * bisect(loss, middle, 2.0 * _FAR, 1e-9)
    return low, high
