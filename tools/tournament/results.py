"""Turn games and records into what the statistics count: outcomes, pairs, repetitions."""

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

_BUFFER_SIZE = 4096
"""Number of games buffered before they're merged into the sorted array."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two decided games of one opening, with colours exchanged."""

    id: str
    engines: tuple[str, str]
    """In alphabetical order."""
    wins: int
    """Games won by the first engine: 0, 1 or 2."""
    opening: str
    round: int
    repeat: bool = False
    """Whether both games are repetitions, so that the pair carries no information."""

    def wins_of(self, engine: str) -> int:
        """Return how many of the two games `engine` won."""
        return self.wins if engine == self.engines[0] else 2 - self.wins


class Repetitions:
    """Detect games that repeat an earlier game of the same engines, up to symmetry.

    Deterministic engines repeat themselves, and a copy adds nothing to the sample.  Each game takes
    8 bytes of memory.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._sorted = np.empty(0, np.uint64)
        self._recent: set[int] = set()

    def add(self, game: Game, record: Record) -> bool:
        """Remember a decided game; return whether it repeats an earlier one."""
        moves = game_key(self._board, record.moves)
        text = f"{game.black}\0{game.white}\0{record.winner}\0{moves}"
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest)
        place = np.searchsorted(self._sorted, np.uint64(key))
        if key in self._recent or key in self._sorted[place : place + 1]:
            return True
        self._recent.add(key)
        if len(self._recent) == _BUFFER_SIZE:
            recent = np.fromiter(self._recent, np.uint64, _BUFFER_SIZE)
            self._sorted = np.sort(np.concatenate((self._sorted, recent)))
            self._recent.clear()
        return False


def outcome(game: Game, record: Record, *, repeat: bool) -> Outcome:
    """Return the outcome of a decided game."""
    loser = game.white if record.winner == game.black else game.black
    return Outcome(game.id, game.pair, record.winner, loser, game.black, game.opening.name, repeat)


class Ledger:
    """Decided games in the order they ended, and the pairs they complete.

    Void games don't count, nor does anything after the first result of a game.
    """

    def __init__(self, board: Board) -> None:
        self.outcomes: list[Outcome] = []
        self.pairs: list[PairResult] = []
        self._decided: set[str] = set()
        self._halves: dict[str, Outcome] = {}
        self._repetitions = Repetitions(board)

    def add(self, game: Game, record: Record) -> PairResult | None:
        """Count a record; return the pair that it completes, if any."""
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
        """Count several records; return the ledger itself."""
        for game, record in played:
            self.add(game, record)
        return self

    @property
    def repeats(self) -> int:
        """Number of games that repeat an earlier one."""
        return sum(outcome.repeat for outcome in self.outcomes)

    def between(self, engine: str, opponent: str) -> Pairs:
        """Return the pair counts of two engines from the view of `engine`, without repetitions."""
        engines = (min(engine, opponent), max(engine, opponent))
        counts = [0, 0, 0]
        for pair in self.pairs:
            if pair.engines == engines and not pair.repeat:
                counts[pair.wins_of(engine)] += 1
        return Pairs(*counts)
