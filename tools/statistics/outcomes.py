"""From games and their records to what the statistics count: outcomes, pairs, repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from trivalent.tools.statistics.pairs import Pairs
from trivalent.tools.tournament.symmetry import game_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Game, Record


@dataclass(frozen=True, slots=True)
class Outcome:
    """One decided game."""

    game: str
    """Its id."""
    pair: str
    winner: str
    loser: str
    first: str
    """The engine that began, with Black."""
    opening: str
    repeat: bool = False
    """Whether it is move by move an earlier game of the same engines, up to a symmetry."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two decided games of one opening, with colours exchanged."""

    id: str
    engines: tuple[str, str]
    """In alphabetical order."""
    wins: int
    """Games won by the first of them: 0, 1 or 2."""
    opening: str
    round: int
    repeat: bool = False
    """Whether both games are repetitions: the pair then says nothing new."""

    def wins_of(self, engine: str) -> int:
        """Return how many of the two games one of the engines won."""
        return self.wins if engine == self.engines[0] else 2 - self.wins


class Ledger:
    """Decided games in the order in which they ended, and the pairs that they complete.

    Void games do not count, nor does what comes after the first result of a game.  Deterministic
    engines repeat themselves: a game that is another one turned or mirrored is marked, since a
    copy adds nothing to the sample.
    """

    def __init__(self, board: Board) -> None:
        self.outcomes: list[Outcome] = []
        self.pairs: list[PairResult] = []
        self._decided: set[str] = set()
        self._halves: dict[str, Outcome] = {}
        self._seen: set[bytes] = set()
        self._board = board

    def add(self, game: Game, record: Record) -> PairResult | None:
        """Count a record, and return the pair if it completes one."""
        if not record.winner or game.id in self._decided:
            return None
        self._decided.add(game.id)
        loser = game.white if record.winner == game.black else game.black
        key = self._key(game, record)
        outcome = Outcome(
            game.id,
            game.pair,
            record.winner,
            loser,
            game.black,
            game.opening.name,
            key in self._seen,
        )
        self._seen.add(key)
        self.outcomes.append(outcome)
        other = self._halves.pop(game.pair, None)
        if other is None:
            self._halves[game.pair] = outcome
            return None
        engines = (min(game.black, game.white), max(game.black, game.white))
        pair = PairResult(
            game.pair,
            engines,
            (outcome.winner == engines[0]) + (other.winner == engines[0]),
            game.opening.name,
            game.round,
            outcome.repeat and other.repeat,
        )
        self.pairs.append(pair)
        return pair

    def extend(self, played: Iterable[tuple[Game, Record]]) -> Ledger:
        """Count several records, and return the ledger itself."""
        for game, record in played:
            self.add(game, record)
        return self

    @property
    def repeats(self) -> int:
        """The number of games that repeat an earlier one."""
        return sum(outcome.repeat for outcome in self.outcomes)

    def between(self, engine: str, opponent: str) -> Pairs:
        """Return how the pairs of two engines went for the first, repetitions left out."""
        engines = (min(engine, opponent), max(engine, opponent))
        counts = [0, 0, 0]
        for pair in self.pairs:
            if pair.engines == engines and not pair.repeat:
                counts[pair.wins_of(engine)] += 1
        return Pairs(*counts)

    def _key(self, game: Game, record: Record) -> bytes:
        """Return what is equal for two games of the same engines that are equal up to symmetry."""
        moves = game_key(self._board, record.moves)
        text = f"{game.black}\0{game.white}\0{record.winner}\0{moves}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
