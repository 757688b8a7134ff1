"""The referee: one game between two engines, from the opening to a record.

Our own board alone decides what is legal, when a game is over and who has won.  Whatever an engine
does ends in a record that says how and by whose fault, in the words of `Ending`; the winner is an
engine, whatever its colour was.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from trivalent.core.board import Colour
from trivalent.core.position import IllegalMove, Kind, Position
from trivalent.gtp.client.client import (
    EngineError,
    GoneError,
    NoAnswerError,
    RefusedError,
    StoppedError,
    shown,
)
from trivalent.tools.tournament.model import VOID, Ending, Game, Record
from trivalent.tools.tournament.play.clocks import (
    Clock,
    Starvation,
    pulse,
    suspension,
    was_suspended,
)

if TYPE_CHECKING:
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.play.contestant import Contestant

Watch = Callable[[Game, str, float], None]
"""Called after every move with its name and the seconds it took."""

PATIENCE = 1.0
"""Seconds that an engine out of time still gets: how late it is tells whether the host is to blame,
and an engine that answers need not be started afresh."""

_BLAMELESS = frozenset({Ending.CONNECTION, Ending.RESIGNATION}) | (VOID - {Ending.NOT_STARTED})


class _OverError(Exception):
    """The game has ended without a connection, by what one of the two has done."""

    def __init__(self, ending: Ending, loser: Contestant | None, detail: str = "") -> None:
        super().__init__(detail)
        self.ending = ending
        self.loser = loser
        self.detail = detail


def play(
    game: Game,
    plan: Plan,
    black: Contestant,
    white: Contestant,
    *,
    watch: Watch | None = None,
    stop: threading.Event,
) -> Record:
    """Play a game and return its record, whatever the engines do.

    When `stop` is set, the game ends as interrupted within a fraction of a second.  An engine that
    has failed, or is busy, is closed; it starts afresh for its next game.
    """
    table = _Table(game, plan, (black, white), watch, stop)
    started, began = time.time(), time.monotonic()
    winner = loser = None
    ending, detail = Ending.CONNECTION, ""
    try:
        winner = table.play()
    except _OverError as over:
        ending, detail, loser = over.ending, over.detail, over.loser
        if loser and not (ending in VOID or ending in plan.faults.void):
            winner = white if loser is black else black
    finally:
        table.close()
    duration = time.monotonic() - began
    for failed in table.failed:
        failed.abandon()
    heard = () if ending in (Ending.CONNECTION, Ending.RESIGNATION) else table.begun
    return Record(
        game=game.id,
        attempt=1,
        ending=ending,
        winner=winner.name if winner else "",
        blamed=loser.name if loser and ending not in _BLAMELESS else "",
        detail=detail,
        moves=tuple(table.moves),
        seconds=tuple(table.seconds),
        started=started,
        duration=duration,
        lag=table.lag,
        logs={player.name: text for player in heard if (text := player.log.text())},
    )


class _Table:
    """A game in progress."""

    def __init__(
        self,
        game: Game,
        plan: Plan,
        players: tuple[Contestant, Contestant],
        watch: Watch | None,
        stop: threading.Event,
    ) -> None:
        self._game = game
        self._plan = plan
        self._players = players
        self._seats = dict(zip(Colour, players, strict=True))
        self._clocks = {player: Clock(player.time) for player in self._players}
        self._watch = watch
        self._stop = stop
        self._position = Position(plan.board)
        self._suspension = suspension()
        self._starvation: dict[Contestant | None, Starvation] = {}
        """Of the players' processes, and, for None, of this thread."""
        self.moves: list[str] = []
        self.seconds: list[float] = []
        self.lag = 0.0
        self.failed: set[Contestant] = set()
        """Those whose process is of no more use."""
        self.begun: list[Contestant] = []
        """Those who have been asked to begin the game."""

    def play(self) -> Contestant:
        """Return the winner by connection.  Raise _OverError if the game ends otherwise."""
        for player, seed in zip(self._players, self._game.seeds, strict=True):
            self.begun.append(player)
            try:
                player.begin(seed, self._stop)
            except StoppedError as error:
                raise _OverError(Ending.INTERRUPTED, None, str(error)) from None
            except (EngineError, RefusedError) as error:
                raise _OverError(Ending.NOT_STARTED, player, str(error)) from None
            self._starvation[player] = Starvation(player.pid)
        self._starvation[None] = Starvation(threading.get_native_id())
        position, limit = self._position, self._plan.move_limit
        for move in self._game.opening.moves:
            colour = position.to_play
            self._make(move)
            self._note(move, 0.0)
            self._tell(self._players, colour, move)
        while (winner := position.winner) is None:
            if limit and len(self.moves) >= limit:
                raise _OverError(Ending.MOVE_LIMIT, None, f"nobody has won in {limit} moves")
            if self._stop.is_set():
                raise _OverError(Ending.INTERRUPTED, None, "stopped")
            colour = position.to_play
            player = self._seats[colour]
            move = self._move_of(player, colour)
            self._tell((self._other(player),), colour, move)
        return self._seats[winner]

    def close(self) -> None:
        """Look at nobody's process any more."""
        for starvation in self._starvation.values():
            starvation.close()

    def _other(self, player: Contestant) -> Contestant:
        black, white = self._players
        return white if player is black else black

    def _move_of(self, player: Contestant, colour: Colour) -> str:
        """Ask a player for a move and make it; return it."""
        answer, seconds = self._ask(player, colour)
        try:
            move = player.read(answer)
            if move == "pass":
                raise IllegalMove("nobody may pass")
            self._make(move)
        except ValueError as error:
            detail = f"{player.name} answers {shown(answer)}: {error}"
            raise _OverError(Ending.ILLEGAL_MOVE, player, detail) from None
        self._note(move, seconds)
        if move == "resign":
            raise _OverError(Ending.RESIGNATION, player)
        return move

    def _make(self, move: str) -> None:
        """Make a move on our board.  Raise IllegalMove if the rules forbid it."""
        position = self._position
        if move == Kind.SWAP_PIECES.value:
            position.swap_pieces()
        elif move == Kind.SWAP_SIDES.value:
            position.swap_sides()
            self._seats = {colour: self._seats[colour.opponent] for colour in Colour}
        elif move == "pass":
            position.pass_turn(position.to_play)
        elif move != "resign":
            position.play(position.to_play, position.board.cell(move))

    def _note(self, move: str, seconds: float) -> None:
        self.moves.append(move)
        self.seconds.append(round(seconds, 4))
        if self._watch:
            self._watch(self._game, move, seconds)

    def _tell(self, players: tuple[Contestant, ...], colour: Colour, move: str) -> None:
        """Tell players of a move that is not theirs, if the game goes on."""
        if self._position.winner is not None:
            return
        for player in players:
            try:
                player.tell(colour, move, self._stop)
            except RefusedError as error:
                raise _OverError(Ending.OBJECTION, player, str(error)) from None
            except EngineError as error:
                self._fail(player, error)

    def _ask(self, player: Contestant, colour: Colour) -> tuple[str, float]:
        """Ask for a move; return the answer and the seconds it took."""
        clock = self._clocks[player]
        limit = clock.limit
        try:
            if limit is None:
                began = time.monotonic()
                answer = player.genmove(colour, self._plan.deadlines.move, self._stop)
                return answer, time.monotonic() - began
            if clock.runs:
                player.remind(colour, clock.left, self._stop)
            answer, seconds = self._ask_in_time(player, colour, limit)
        except RefusedError as error:
            raise _OverError(Ending.PROTOCOL, player, str(error)) from None
        except EngineError as error:
            self._fail(player, error)
        clock.spend(seconds)
        return answer, seconds

    def _ask_in_time(self, player: Contestant, colour: Colour, limit: float) -> tuple[str, float]:
        """Ask for a move on the clock.  Raise _OverError if it comes too late."""
        allowed = limit + self._plan.margin
        heart = pulse.get()
        theirs, ours = self._starvation[player], self._starvation[None]
        waited, held_up = theirs.seconds(), ours.seconds()
        began = time.monotonic()
        answer = ""
        try:
            answer = player.genmove(
                colour, min(allowed + PATIENCE, self._plan.deadlines.move), self._stop
            )
            seconds = time.monotonic() - began
        except NoAnswerError:
            seconds = time.monotonic() - began
            if seconds < allowed:
                raise
            self.failed.add(player)
        lag = max(heart.lag(began), ours.seconds() - held_up)
        self.lag = max(self.lag, lag)
        if was_suspended(self._suspension):
            raise _OverError(Ending.SUSPENDED, None, "the host was suspended during the game")
        if seconds > allowed:
            waited = max(0.0, theirs.seconds() - waited)
            detail = (
                f"{player.name} used {seconds:.3f} s, {limit:.3f} were left; "
                f"the referee was held up for {lag:.3f} s, the engine for {waited:.3f} s"
            )
            excused = seconds - allowed <= lag + waited
            raise _OverError(Ending.OVERLOAD if excused else Ending.TIME, player, detail)
        return answer, seconds

    def _fail(self, player: Contestant, error: EngineError) -> NoReturn:
        """End the game because the conversation with an engine has failed."""
        self.failed.add(player)
        if isinstance(error, StoppedError):
            raise _OverError(Ending.INTERRUPTED, None, str(error)) from None
        ending = Ending.PROTOCOL
        if isinstance(error, GoneError):
            ending = Ending.CRASH
        elif isinstance(error, NoAnswerError):
            ending = Ending.NO_ANSWER
        raise _OverError(ending, player, str(error)) from None
