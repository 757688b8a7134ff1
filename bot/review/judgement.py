"""Judges the moves of a game: what each one cost, in which grade, and where the lead changed.

All chances are those of the player who takes the turn.  What is proven counts as 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING

from trivalent.bot.review.calibration import CALIBRATIONS
from trivalent.bot.review.game_line import colour_after, is_swap
from trivalent.core.records.record import Action, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.bot.review.calibration import Calibration
    from trivalent.bot.review.game_line import GameLine, Step
    from trivalent.bot.review.review_store import Proof
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

BLUNDER, MISTAKE, INACCURACY = 0.3, 0.15, 0.07
"""What a move costs at least, in chances of winning, to be called so."""

_ONLY = 0.3
"""By how much the second-best move is worse where there's only one move."""
_TRIED = 0.05
"""Share of a search's visits from which on the value of a move can be relied on."""
_MOST_CERTAIN = 0.99
"""The most that a search can make us believe: its errors aren't always normally distributed."""
_ALIVE = 0.05
"""Chances below which a player has nothing to decide."""
_OPENING, _MIDDLE = 1 / 10, 1 / 3
"""Shares of occupied cells up to which a game is in its opening and in its middle."""


class Grade(Enum):
    """What a move deserves to be called; the value is how we say it."""

    PROVEN_LOSS = "proven loss"
    """It loses a game that was won; both are proven."""
    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"
    ONLY_MOVE = "only move"
    """All others would have been much worse."""
    FORCED = "forced"
    """There was no other move worth a thought."""
    BEST = "best"
    """The search's own choice."""
    GOOD = "good"
    LOST = "lost anyway"
    """The position was proven lost, whatever the move."""
    OPENING = "opening"
    """A first move, which can't be judged unless it's known whether it may be swapped."""
    UNKNOWN = "unknown"
    """The review was interrupted before it got there."""

    @property
    def is_fault(self) -> bool:
        """Whether the move cost something."""
        return self in _FAULTS


_FAULTS = (Grade.PROVEN_LOSS, Grade.BLUNDER, Grade.MISTAKE, Grade.INACCURACY)


class Phase(Enum):
    """A phase of a game, by the number of stones on the board."""

    OPENING = "opening"
    MIDDLE = "middle"
    ENDING = "ending"


@dataclass(slots=True)
class Station:
    """What is known about a position of a game."""

    position: Position
    analysis: Analysis | None = None
    winner: Colour | None = None
    """Who wins, if that is proven."""
    source: str = ""
    """What proves it: ``end`` of the game, the ``move`` played, ``search`` or ``solver``."""
    proof: Proof | None = None
    """The solver's proof, if it has been asked and found one."""

    @property
    def is_known(self) -> bool:
        """Whether anything is known about the position."""
        return self.winner is not None or self.analysis is not None

    def chance(self, colour: Colour) -> float:
        """Return a colour's chance of winning."""
        if self.winner is not None:
            return float(self.winner is colour)
        if self.analysis is None:
            return 0.5
        mine = self._calibration.chance(self.analysis.value)
        return mine if colour is self.position.to_play else 1 - mine

    @property
    def error(self) -> float:
        """The standard error of the chance: 0 if it's proven."""
        return self.noise if self.winner is None else 0.0

    @property
    def noise(self) -> float:
        """The standard error of a search's chance."""
        return self._calibration.noise / math.sqrt(2)

    @property
    def moves(self) -> Sequence[MoveAnalysis]:
        """The moves that the search thought of, from best to worst."""
        return self.analysis.moves if self.analysis else ()

    def chance_of(self, move: MoveAnalysis) -> float:
        """Return the mover's chance of winning by a move, as this search sees it."""
        if move.proven is not None:
            return float(move.proven)
        return self._calibration.chance(move.value)

    @property
    def best(self) -> int | None:
        """The best move known."""
        if (
            self.proof
            and self.proof.winner is self.position.to_play
            and self.proof.move is not None
        ):
            return self.proof.move
        return self.moves[0].cell if self.moves else None

    @property
    def line(self) -> tuple[int, ...]:
        """The best line known, which begins with `best`."""
        if self.proof and self.proof.variation[:1] == (self.best,):
            return self.proof.variation
        return self.analysis.variation if self.analysis and self.moves else ()

    @property
    def _calibration(self) -> Calibration:
        return CALIBRATIONS[self.position.board.game]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on a turn."""

    step: Step
    before: float
    """The player's chance of winning before the turn, with the best move."""
    after: float
    """The player's chance after it."""
    grade: Grade
    phase: Phase
    better: Turn | None = None
    """What would have been better, for a turn that cost something."""
    line: tuple[int, ...] = ()
    """How the game might have gone on then: cells in turn, beginning with the better move."""
    is_turning_point: bool = False
    """Whether the turn gave the lead away."""
    is_proven: bool = False
    """Whether both chances are proven."""
    certainty: float = 1.0
    """The probability that the turn really cost something, for a fault."""

    @property
    def cost(self) -> float:
        """The chances of winning that the turn gave away, 0 to 1."""
        return max(0.0, self.before - self.after)

    @property
    def kept(self) -> float:
        """The share of the player's chances that the turn kept, 0 to 1."""
        return min(1.0, self.after / self.before) if self.before else 1.0

    @property
    def decides(self) -> bool:
        """Whether there was something to decide, so that the turn says how accurate a player is."""
        idle = (Grade.FORCED, Grade.LOST, Grade.OPENING, Grade.UNKNOWN)
        return self.grade not in idle and self.before > _ALIVE


def judge(line: GameLine, stations: Sequence[Station]) -> list[Verdict]:
    """Return the judgement on every turn of a game, given what is known about its positions."""
    return [_judge(line, stations, index) for index in range(len(line.steps))]


def _judge(line: GameLine, stations: Sequence[Station], index: int) -> Verdict:
    step, station = line.steps[index], stations[index]
    turn = step.turn
    phase = _phase(line.board, station.position)
    near = stations[index : index + 2]
    if not all(one.is_known for one in near):
        return Verdict(step, 0.5, 0.5, Grade.UNKNOWN, phase)
    if turn.action is Action.RESIGN:
        return _judge_resignation(step, station, phase)
    now = station.chance(turn.colour)
    following = stations[index + 1]
    after = following.chance(colour_after(turn))
    error = math.hypot(station.error, following.error)
    proven = error == 0.0
    if index == 0 and turn.action is Action.PLAY and not station.position.history:
        if line.allows_swap is None:
            return Verdict(step, after, after, Grade.OPENING, phase)
        if line.allows_swap:
            return _judge_opening(step, station, following, phase)
    if line.allows_swap and station.position.may_swap:
        swapped = 1 - now
        after = swapped if is_swap(turn) else after
        verdict = _graded(step, station, (max(now, swapped), after), error, phase)
        return _with_swap(line, verdict, station, swaps_better=swapped > now)
    before = now
    if turn.cell is not None and turn.cell == station.best and not proven:
        # The search that follows saw further along the move; the alternatives are as they were.
        others = (station.chance_of(m) for m in _tried(station) if m.cell != turn.cell)
        before = max(after, min(now, max(others, default=0.0)))
    return _graded(step, station, (before, after), error, phase)


def _judge_opening(step: Step, station: Station, following: Station, phase: Phase) -> Verdict:
    """Return the verdict on a first move after which the opponent chooses a side.

    It can't be called proven, because the even chance that it's measured by is only a convention.
    What the search likes best would be swapped, too, so there's no better move to name.
    """
    after = following.chance(step.turn.colour)
    error = max(station.noise, following.error)
    verdict = _graded(step, station, (0.5, min(after, 1 - after)), error, phase)
    if verdict.grade.is_fault and following.winner is not None:
        verdict = replace(verdict, certainty=_MOST_CERTAIN)
    return replace(verdict, better=None, line=())


def _with_swap(
    line: GameLine, verdict: Verdict, station: Station, *, swaps_better: bool
) -> Verdict:
    """Return the verdict on a turn instead of which a swap was possible, or on the swap."""
    if not verdict.grade.is_fault or not swaps_better:
        return verdict
    square = line.board.swap_map is not None
    swap = Action.SWAP_PIECES if square else Action.SWAP_SIDES
    return replace(verdict, better=Turn(station.position.to_play, swap), line=())


def _judge_resignation(step: Step, station: Station, phase: Phase) -> Verdict:
    """Resigning costs what was left, if that was more than an even chance."""
    before = station.chance(step.turn.colour)
    if before < 0.5:
        return Verdict(step, before, before, Grade.GOOD, phase)
    return _graded(step, station, (before, 0.0), station.error, phase)


def _graded(
    step: Step, station: Station, chances: tuple[float, float], error: float, phase: Phase
) -> Verdict:
    """Return a verdict, given the chances before and after and the error of their difference."""
    before, after = chances
    proven = error == 0.0
    certainty = _certainty(before, after, error)
    if not proven and certainty < 0.5:
        before = after
    cost = max(0.0, before - after)
    grade = _fault(cost, proven=proven) or _merit(step, station, after)
    if not grade.is_fault:
        return Verdict(step, max(before, after), after, grade, phase, is_proven=proven)
    best = station.best
    better = None
    if best is not None and best != step.turn.cell:
        better = Turn(step.turn.colour, Action.PLAY, best)
    return Verdict(
        step,
        before,
        after,
        grade,
        phase,
        better=better,
        line=station.line if better else (),
        is_turning_point=cost >= MISTAKE and before >= 0.5 > after,
        is_proven=proven,
        certainty=certainty,
    )


def _certainty(before: float, after: float, error: float) -> float:
    """Return the probability that a turn cost something, if it seems so; 1 only if it's proven."""
    if error == 0.0:
        return 1.0
    if before == 1.0 or after == 0.0:  # proven: what is in doubt is whether the other side isn't
        return min(before - after, _MOST_CERTAIN)
    return min(_normal((before - after) / error), _MOST_CERTAIN)


def _fault(cost: float, *, proven: bool) -> Grade | None:
    if proven:
        return Grade.PROVEN_LOSS if cost else None
    if cost >= BLUNDER:
        return Grade.BLUNDER
    if cost >= MISTAKE:
        return Grade.MISTAKE
    return Grade.INACCURACY if cost >= INACCURACY else None


def _merit(step: Step, station: Station, after: float) -> Grade:
    """Return the grade of a turn that cost nothing to speak of."""
    if station.winner is not None and station.winner is not station.position.to_play:
        return Grade.LOST
    cell = step.turn.cell
    if cell is None or not station.moves:
        return Grade.GOOD
    if len(station.moves) == 1 and station.moves[0].cell == cell:
        return Grade.FORCED
    open_moves = [move for move in station.moves if move.proven is not False]
    if [move.cell for move in open_moves] == [cell]:
        return Grade.ONLY_MOVE
    others = [station.chance_of(move) for move in _tried(station) if move.cell != cell]
    if cell == station.best:
        is_only = after >= 0.5 and others and max(others) <= after - _ONLY
        return Grade.ONLY_MOVE if is_only else Grade.BEST
    return Grade.GOOD


def _tried(station: Station) -> list[MoveAnalysis]:
    """Return the moves that the search has tried often enough to know their values."""
    visits = sum(move.visits or 0 for move in station.moves)
    return [
        move
        for move in station.moves
        if move.proven is not None or (move.visits or 0) >= _TRIED * visits
    ]


def _phase(board: Board, position: Position) -> Phase:
    stones = len(board) - len(position.empty_cells)
    if stones < _OPENING * len(board):
        return Phase.OPENING
    return Phase.MIDDLE if stones < _MIDDLE * len(board) else Phase.ENDING


def _normal(deviations: float) -> float:
    """Return the probability that a normal variable is at most this many deviations."""
    return 0.5 * math.erfc(-deviations / math.sqrt(2))


def accuracy(verdicts: Iterable[Verdict], person: int, phase: Phase | None = None) -> float | None:
    """Return the mean share of chances that a player kept per decision; None without decisions."""
    kept = [
        verdict.kept
        for verdict in verdicts
        if verdict.step.person == person
        and verdict.decides
        and (phase is None or verdict.phase is phase)
    ]
    return fmean(kept) if kept else None
