"""Reviews a whole game: searches all positions, proves backwards from the end, and judges.

1. Every open position is searched.
2. From the end backwards, as far as it gets, the solver finds out who wins.  A position is won if
   the move played leads to one that the mover wins; so only the other half needs the solver.
3. Where a move seems to have cost something, the positions before and after it get a second look.
4. The moves are judged, and those that changed the lead are explained.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivalent.bot.review.game_line import GameLine, colour_after
from trivalent.bot.review.judgement import INACCURACY, Station, Verdict, judge
from trivalent.bot.review.reasons import Reason, explain_opening, explain_turn
from trivalent.core.records.record import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.bot.review.position_analyst import Effort, PositionAnalyst
    from trivalent.bot.review.review_store import Proof
    from trivalent.core.board import Colour
    from trivalent.core.position import Position
    from trivalent.core.records.record import Turn

SECOND_LOOK = 4
"""How many times the effort a second look takes."""
_MAX_UNSOLVED = 2
"""Positions in a row that the solver may fail at: earlier ones are harder."""
_AHEAD = 2
"""How many plies earlier a position is worth solving at the same time: that of the same mover."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review has got."""

    stage: str
    """``searching``, ``proving``, ``looking again`` or ``explaining``."""
    done: int
    total: int
    review: Review
    """What is known so far."""


@dataclass(slots=True)
class Review:
    """A game, what is known about its positions, and the judgement on its moves."""

    line: GameLine
    effort: Effort
    stations: list[Station]
    verdicts: list[Verdict] = field(default_factory=list)
    reasons: dict[int, Reason] = field(default_factory=dict)
    """For each turning point, by its index in ``verdicts``, why it is one."""

    @property
    def turning_points(self) -> list[int]:
        """The turns that gave the lead away, as indices in ``verdicts``."""
        return [i for i, verdict in enumerate(self.verdicts) if verdict.is_turning_point]

    @property
    def loser(self) -> int | None:
        """Who lost, as `Step.person`: by the last position, or by resigning; None if unknown."""
        last = self.line.steps[-1]
        if last.turn.action is Action.RESIGN:
            return last.person
        winner = self.stations[-1].winner
        if winner is None:
            return None
        return last.person ^ int(colour_after(last.turn) is winner)

    @property
    def losing_move(self) -> int | None:
        """Where the game was lost: the loser's last turning point, if any.

        If nobody is known to have lost, it's the last turning point of all.
        """
        found = [
            i
            for i in self.turning_points
            if self.loser is None or self.verdicts[i].step.person == self.loser
        ]
        return found[-1] if found else None


class Reviewer:
    """Reviews games with the help of an analyst."""

    def __init__(
        self,
        analyst: PositionAnalyst,
        effort: Effort,
        watch: Callable[[Progress], None] | None = None,
    ) -> None:
        self._analyst = analyst
        self._effort = effort
        self._watch = watch

    def review(self, line: GameLine) -> Review:
        """Review a game.

        Raise Interrupted once the analyst is stopped.
        """
        stations = [Station(position) for position in line.positions]
        review = Review(line, self._effort, stations)
        for station in stations:
            if station.position.winner is not None:
                station.winner, station.source = station.position.winner, "end"
        self._search(review, "searching", range(len(stations)), self._effort)
        self._prove(review)
        self._look_again(review)
        self._prove(review)
        review.verdicts = judge(line, stations)
        self._explain(review)
        return review

    def _report(self, review: Review, stage: str, done: int, total: int) -> None:
        if self._watch:
            self._watch(Progress(stage, done, total, review))

    def _search(self, review: Review, stage: str, wanted: Iterable[int], effort: Effort) -> None:
        by_position = {
            id(station.position): station
            for station in (review.stations[index] for index in wanted)
            if station.position.winner is None
        }
        total = len(by_position)
        self._report(review, stage, 0, total)
        positions = [station.position for station in by_position.values()]
        for done, (position, analysis) in enumerate(self._analyst.analyses(positions, effort), 1):
            station = by_position[id(position)]
            station.analysis = analysis
            proven = analysis.moves[0].proven
            if proven is not None and station.winner is None:
                mover = position.to_play
                station.winner, station.source = mover if proven else mover.opponent, "search"
            self._report(review, stage, done, total)

    def _prove(self, review: Review) -> None:
        """Find out who wins, backwards from the end."""
        stations, steps = review.stations, review.line.steps
        unsolved = 0
        last = len(stations) - 1
        for index in range(last, -1, -1):
            station = stations[index]
            self._report(review, "proving", last - index, last + 1)
            following = stations[index + 1].winner if index < last else None
            if index == last or following is not None:
                unsolved = 0
            if station.winner is not None:
                continue
            if following is not None and _is_played_for(steps[index].turn, following):
                station.winner, station.source = steps[index].turn.colour, "move"
            elif unsolved < _MAX_UNSOLVED:
                if index >= _AHEAD and stations[index - _AHEAD].winner is None:
                    self._analyst.prepare_proof(station.position, self._effort)  # first
                    self._analyst.prepare_proof(stations[index - _AHEAD].position, self._effort)
                self._solve(station, self._effort)
                unsolved += station.winner is None
        self._report(review, "proving", last + 1, last + 1)

    def _solve(self, station: Station, effort: Effort) -> None:
        proof = self._analyst.proof(station.position, effort)
        if proof.winner is not None:
            station.proof = proof
            if station.winner is None:
                station.winner, station.source = proof.winner, "solver"

    def _look_again(self, review: Review) -> None:
        """Search and solve positions where a move seems to have cost something for longer."""
        effort = self._effort.times(SECOND_LOOK)
        stations = review.stations
        again = _worth_a_second_look(review)
        near_proof = [
            stations[i]
            for i in again
            if any(s.winner is not None for s in stations[max(i - 2, 0) : i + 3])
        ]
        for station in near_proof:
            self._analyst.prepare_proof(station.position, effort)
        for station in near_proof:
            self._solve(station, effort)
        self._search(
            review, "looking again", [i for i in again if stations[i].winner is None], effort
        )

    def _explain(self, review: Review) -> None:
        points = review.turning_points
        for done, index in enumerate(points):
            self._report(review, "explaining", done, len(points))
            following = index + 1 < len(review.stations)
            if index == 0 and review.line.allows_swap:
                review.reasons[0] = explain_opening(review.verdicts[0], review.stations[1])
                continue
            review.reasons[index] = explain_turn(
                review.verdicts[index],
                review.stations[index],
                review.stations[index + 1] if following else None,
                self._ask,
            )
        self._report(review, "explaining", len(points), len(points))

    def _ask(self, position: Position) -> Proof:
        return self._analyst.proof(position, self._effort)


def _is_played_for(turn: Turn, winner: Colour) -> bool:
    """Return whether a stone of the winner was played, so that the winner also won before it."""
    return turn.action is Action.PLAY and turn.colour is winner


def _worth_a_second_look(review: Review) -> list[int]:
    """Return the indices of open positions around moves that seem to have cost something."""
    found: set[int] = set()
    for index, verdict in enumerate(judge(review.line, review.stations)):
        if verdict.is_proven or verdict.cost < INACCURACY:
            continue
        for near in (index, index + 1):
            if near < len(review.stations) and review.stations[near].winner is None:
                found.add(near)
    return sorted(found)
