"""The referee plays one game between two engines, from the opening to a record.

Only our own board decides which moves are legal, when the game is over and who has won.  Whatever
the engines do, the result is a record with one of the endings in `Ending` and the engine at fault.
Winners are engines, not colours.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NoReturn

from trivalent.core.board import Colour
from trivalent.core.games import find_game
from trivalent.core.position import IllegalMove, Kind, Position
from trivalent.core.text import printable
from trivalent.gtp.client.client import (
    EngineError,
    GoneError,
    NoAnswerError,
    RefusedError,
    StoppedError,
)
from trivalent.tools.tournament.model import REGULAR, VOID, Ending, Game, Record
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

GRACE_SECONDS = 1.0
"""Extra seconds for an engine that has run out of time.  How late it is shows whether the host is
to blame, and an engine that does answer needn't be restarted."""

_BLAMELESS = REGULAR | (VOID - {Ending.NOT_STARTED})


class _GameOverError(Exception):
    """The game has ended before the board decided it, because of what an engine did."""

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
    stop: threading.Event,
) -> Record:
    """Play a game and return its record, whatever the engines do.

    If `stop` is set, the game ends as interrupted within a fraction of a second.  An engine that
    has failed or is still busy is closed; it starts afresh in its next game.
    """
    running = _GameInProgress(game, plan, (black, white), stop)
    started, began = time.time(), time.monotonic()
    winner = loser = None
    ending, detail = Ending(find_game(plan.board.game).decided_by), ""
    try:
        winner = running.play()
    except _GameOverError as over:
        ending, detail, loser = over.ending, over.detail, over.loser
        if loser and not (ending in VOID or ending in plan.faults.void):
            winner = white if loser is black else black
    finally:
        running.close()
    duration = time.monotonic() - began
    for failed in running.failed:
        failed.abandon()
    heard = () if ending in REGULAR else running.begun
    return Record(
        game=game.id,
        attempt=1,
        ending=ending,
        winner=winner.name if winner else "",
        blamed=loser.name if loser and ending not in _BLAMELESS else "",
        detail=detail,
        moves=tuple(running.moves),
        seconds=tuple(running.seconds),
        started=started,
        duration=duration,
        lag=running.lag,
        logs={player.name: text for player in heard if (text := player.log.text())},
        versions={player.name: player.version for player in running.begun if player.version},
    )


class _GameInProgress:
    """A game in progress."""

    def __init__(
        self,
        game: Game,
        plan: Plan,
        players: tuple[Contestant, Contestant],
        stop: threading.Event,
    ) -> None:
        self._game = game
        self._plan = plan
        self._players = players
        self._seats = dict(zip(Colour, players, strict=True))
        self._clocks = {player: Clock(player.time) for player in self._players}
        self._stop = stop
        self._position = Position(plan.board)
        self._suspension = suspension()
        self._starvation: dict[Contestant | None, Starvation] = {}
        """For the players' processes and, under None, for this thread."""
        self.moves: list[str] = []
        self.seconds: list[float] = []
        self.lag = 0.0
        self.failed: set[Contestant] = set()
        """Players whose process can't be used any more."""
        self.begun: list[Contestant] = []
        """Players who have been asked to start the game."""

    def play(self) -> Contestant:
        """Return the winner on the board.  Raise _GameOverError if the game ends otherwise."""
        for player, seed in zip(self._players, self._game.seeds, strict=True):
            self.begun.append(player)
            try:
                player.begin(seed, self._stop)
            except StoppedError as error:
                raise _GameOverError(Ending.INTERRUPTED, None, str(error)) from None
            except (EngineError, RefusedError) as error:
                raise _GameOverError(Ending.NOT_STARTED, player, str(error)) from None
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
                raise _GameOverError(Ending.MOVE_LIMIT, None, f"no winner after {limit} moves")
            if self._stop.is_set():
                raise _GameOverError(Ending.INTERRUPTED, None, "stopped")
            colour = position.to_play
            player = self._seats[colour]
            move = self._move_of(player, colour)
            self._tell((self._other(player),), colour, move)
        return self._seats[winner]

    def close(self) -> None:
        """Stop watching the players' processes."""
        for starvation in self._starvation.values():
            starvation.close()

    def _other(self, player: Contestant) -> Contestant:
        black, white = self._players
        return white if player is black else black

    def _move_of(self, player: Contestant, colour: Colour) -> str:
        """Ask a player for a move, play it on our board, and return it."""
        answer, seconds = self._ask(player, colour)
        try:
            move = player.read(answer)
            if move == "pass":
                raise IllegalMove("passing isn't allowed")
            self._make(move)
        except ValueError as error:
            detail = f"{player.name} answered {printable(answer)}: {error}"
            raise _GameOverError(Ending.ILLEGAL_MOVE, player, detail) from None
        self._note(move, seconds)
        if move == "resign":
            raise _GameOverError(Ending.RESIGNATION, player)
        return move

    def _make(self, move: str) -> None:
        """Play a move on our board.  Raise IllegalMove if the rules forbid it."""
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

    def _tell(self, players: tuple[Contestant, ...], colour: Colour, move: str) -> None:
        """Report a move to the players who didn't make it, unless the game is over."""
        if self._position.winner is not None:
            return
        for player in players:
            try:
                player.tell(colour, move, self._stop)
            except RefusedError as error:
                raise _GameOverError(Ending.OBJECTION, player, str(error)) from None
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
            raise _GameOverError(Ending.PROTOCOL, player, str(error)) from None
        except EngineError as error:
            self._fail(player, error)
        clock.spend(seconds)
        return answer, seconds

    def _ask_in_time(self, player: Contestant, colour: Colour, limit: float) -> tuple[str, float]:
        """Ask for a move on the clock.  Raise _GameOverError if it comes too late."""
        allowed = limit + self._plan.margin
        heart = pulse.get()
        theirs, ours = self._starvation[player], self._starvation[None]
        waited, held_up = theirs.seconds(), ours.seconds()
        began = time.monotonic()
        answer = ""
        try:
            answer = player.genmove(
                colour, min(allowed + GRACE_SECONDS, self._plan.deadlines.move), self._stop
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
            raise _GameOverError(Ending.SUSPENDED, None, "the host was suspended during the game")
        if seconds > allowed:
            waited = max(0.0, theirs.seconds() - waited)
            detail = (
                f"{player.name} used {seconds:.3f} s of {limit:.3f} s; "
                f"the host held up the referee for {lag:.3f} s and the engine for {waited:.3f} s"
            )
            excused = seconds - allowed <= lag + waited
            raise _GameOverError(Ending.OVERLOAD if excused else Ending.TIME, player, detail)
        return answer, seconds

    def _fail(self, player: Contestant, error: EngineError) -> NoReturn:
        """End the game because the communication with an engine has failed."""
        self.failed.add(player)
        if isinstance(error, StoppedError):
            raise _GameOverError(Ending.INTERRUPTED, None, str(error)) from None
        ending = Ending.PROTOCOL
        if isinstance(error, GoneError):
            ending = Ending.CRASH
        elif isinstance(error, NoAnswerError):
            ending = Ending.NO_ANSWER
        raise _GameOverError(ending, player, str(error)) from None
