"""From games and their records to what the statistics count: outcomes, pairs, repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from trivalent.tools.statistics.outcomes import Outcome
from trivalent.tools.statistics.pairs import Pairs
from trivalent.tools.tournament.symmetry import game_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Game, Record

_RECENT = 4096
"""Games that may wait to be sorted in among the others."""


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


class Repetitions:
    """Tells the games that repeat an earlier one of the same engines, up to a symmetry.

    Deterministic engines repeat themselves, and a copy adds nothing to the sample.  A game that is
    remembered takes 8 bytes.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._sorted = np.empty(0, np.uint64)
        self._recent: set[int] = set()

    def add(self, game: Game, record: Record) -> bool:
        """Remember a decided game; return whether it repeats one that is remembered."""
        moves = game_key(self._board, record.moves)
        text = f"{game.black}\0{game.white}\0{record.winner}\0{moves}"
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest)
        place = np.searchsorted(self._sorted, np.uint64(key))
        if key in self._recent or key in self._sorted[place : place + 1]:
            return True
        self._recent.add(key)
        if len(self._recent) == _RECENT:
            recent = np.fromiter(self._recent, np.uint64, _RECENT)
            self._sorted = np.sort(np.concatenate((self._sorted, recent)))
            self._recent.clear()
        return False


def outcome(game: Game, record: Record, *, repeat: bool) -> Outcome:
    """Return the outcome of a decided game."""
    loser = game.white if record.winner == game.black else game.black
    return Outcome(game.id, game.pair, record.winner, loser, game.black, game.opening.name, repeat)


class Ledger:
    """Decided games in the order in which they ended, and the pairs that they complete.

    Void games do not count, nor does what comes after the first result of a game.
    """

    def __init__(self, board: Board) -> None:
        self.outcomes: list[Outcome] = []
        self.pairs: list[PairResult] = []
        self._decided: set[str] = set()
        self._halves: dict[str, Outcome] = {}
        self._repetitions = Repetitions(board)

    def add(self, game: Game, record: Record) -> PairResult | None:
        """Count a record, and return the pair if it completes one."""
        if not record.winner or game.id in self._decided:
            return None
        self._decided.add(game.id)
        one = outcome(game, record, repeat=self._repetitions.add(game, record))
        self.outcomes.append(one)
        other = self._halves.pop(game.pair, None)
        if other is None:
            self._halves[game.pair] = one
            return None
        engines = (min(game.black, game.white), max(game.black, game.white))
        pair = PairResult(
            game.pair,
            engines,
            (one.winner == engines[0]) + (other.winner == engines[0]),
            game.opening.name,
            game.round,
            one.repeat and other.repeat,
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
