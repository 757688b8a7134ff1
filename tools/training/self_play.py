"""Self-play: games of the search against itself, as training positions.

Some moves are searched in full, and give policy targets; the others are searched quickly, so that
there are more games and outcomes (playout-cap randomisation, KataGo).  Games start from random
stones, few or many; early moves are drawn by their visits, and now and then a random move is played
later on, after which the outcomes of the positions before it mean nothing.  A game ends as soon as
the search has proven who wins; some are played on, so that networks learn to finish games, too.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot._stop import Stop
from trivalent.bot.players.mcts import make_tree
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.tools.common.endings import end_with_parent
from trivalent.tools.training.gate import search_parameters
from trivalent.tools.training.position_shards import (
    ARRAYS,
    FULL,
    LOST,
    OUTCOME,
    OWNED,
    SHARE,
    UNOWNED,
    WHITE_TO_MOVE,
    WON,
    Positions,
    write_shard,
)
from trivalent.tools.training.training_folder import TrainingFolder

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.search._search import Search
    from trivalent.core.board import Board, Colour

    Move = tuple[int, int, float, float, int]
    """Cell, visits, value, RAVE value and proven distance, as `Search.moves` has them."""

SIZE_WEIGHTS = {7: 2, 8: 2, 9: 4, 10: 2, 11: 7, 13: 3}
"""How often games are played on the sizes; 1 for the others."""
FULL_SHARE = 0.35
"""The share of moves that are searched in full."""
QUICK = 7
"""A quick search has one node for this many of a full one."""
RANDOM_SHARE = 0.015
"""The share of random moves later in a game."""
PLAYED_ON = 0.3
"""The share of games that are played on when the winner is proven."""
EVEN, UNEVEN_SHARE = 0.25, 0.15
"""A start is played with a probability that falls from 1, if its value is 0.5, to `UNEVEN_SHARE`,
if it is off by `EVEN` or more: games that are decided from the start teach little."""
_MEMORY = 32
"""MiB of a tree; there is one for each board."""


@dataclass(slots=True)
class _Searched:
    """A position of a game and what the search said."""

    stones: bytes
    flags: int
    last: tuple[int, int]
    value: float
    visits: np.ndarray[tuple[int], np.dtype[np.float64]]
    considered: list[int]
    black: list[float]


class SelfPlay:
    """Plays games on the boards of a run."""

    def __init__(
        self,
        game: str,
        sizes: tuple[int, ...],
        nodes: int,
        network: Path | None,
        seed: int | None = None,
    ) -> None:
        self.random = random.Random(seed)
        self.boards = [make_board(game, size) for size in sizes]
        self.weights = [SIZE_WEIGHTS.get(size, 1) for size in sizes]
        self.nodes = nodes
        self.network = network
        self.trees: dict[Board, Search] = {}

    def play(self, stopped: Callable[[], bool] = lambda: False) -> Positions | None:
        """Play a game and return its positions.

        Return None if it was stopped, decided at once, or too uneven to be played.
        """
        board = self.random.choices(self.boards, self.weights)[0]
        tree = self._tree(board)
        position = self._start(board)
        if position is None or not self._worth_playing(tree, position):
            return None
        tree.forget()
        hot = self.random.randint(2, 4 + len(board) // 12)
        rows: list[_Searched] = []
        while position.winner is None:
            if stopped():
                return None
            full = self.random.random() < FULL_SHARE
            moves = self._search(tree, position, full=full)
            rows.append(_searched(tree, position, moves, full=full))
            best = moves[0]
            if best[4]:
                winner = position.to_play if best[4] > 0 else position.to_play.opponent
                if self.random.random() < PLAYED_ON:
                    rows += self._play_on(tree, position, moves)
                return self._positions(board, rows, winner)
            position.play(position.to_play, self._choose(position, moves, rows, hot=hot))
        return self._positions(board, rows, position.winner)

    def _play_on(self, tree: Search, position: Position, moves: list[Move]) -> list[_Searched]:
        """Play a decided game to its end; return the positions in which the winner is to move.

        The winner plays the shortest win, the loser the longest resistance or any sensible move.
        """
        rows: list[_Searched] = []
        while True:
            losing = moves[0][4] < 0
            resists = self.random.random() < 0.5
            cell = self.random.choice(moves)[0] if losing and not resists else moves[0][0]
            position.play(position.to_play, cell)
            if position.winner is not None:
                return rows
            moves = self._search(tree, position, full=False)
            if moves[0][4] > 0:
                rows.append(_searched(tree, position, moves, full=False))
            elif moves[0][4] == 0:  # the tree has forgotten the proof: never mind
                return rows

    def _start(self, board: Board) -> Position | None:
        """Return a position with some random stones, in which nobody has won yet."""
        style, cells = self.random.random(), len(board)
        if style < 0.7:
            count = self.random.choice([0, 1, 1, 2, 2, 3, 4])
        elif style < 0.9:
            count = self.random.randint(2, 8)
        else:
            count = self.random.randint(8, max(9, cells // 3))
        position = Position(board)
        for cell in self.random.sample(range(cells), min(count, cells // 2)):
            position.play(position.to_play, cell)
        return position if position.winner is None else None

    def _worth_playing(self, tree: Search, position: Position) -> bool:
        """Return whether to play a game from there: the more even, the more likely."""
        *_, value, _, _ = self._search(tree, position, full=False)[0]
        even = max(0.0, 1 - abs(value - 0.5) / EVEN)
        return self.random.random() < UNEVEN_SHARE + (1 - UNEVEN_SHARE) * even

    def _tree(self, board: Board) -> Search:
        if board not in self.trees:
            parameters = search_parameters(self.network, self.random.getrandbits(60), _MEMORY)
            self.trees[board] = make_tree(board, parameters)
        return self.trees[board]

    def _search(self, tree: Search, position: Position, *, full: bool) -> list[Move]:
        last = position.last_move
        cell = -1 if last is None or last.cell is None else last.cell
        tree.set_position(position.stones, position.to_play, cell, position.hash)
        tree.run(self.nodes if full else max(1, self.nodes // QUICK), -1.0, Stop(), 1)
        return tree.moves()

    def _choose(
        self, position: Position, moves: list[Move], rows: list[_Searched], *, hot: int
    ) -> int:
        """Return the move to play: the best one, one drawn by visits, or any."""
        chance = self.random.random()
        if chance > 1 - RANDOM_SHARE:
            for row in rows:
                row.flags &= ~OUTCOME
            return self.random.choice(position.empty_cells)
        if len(rows) <= hot and chance < 0.75:
            power = 1.0 if chance < 0.5 else 0.5
            weights = [visits**power for _, visits, *_ in moves]
            if sum(weights):
                return self.random.choices([cell for cell, *_ in moves], weights)[0]
        return moves[0][0]

    def _positions(self, board: Board, rows: list[_Searched], winner: Colour) -> Positions:
        cells, count = len(board), len(rows)
        number = self.random.getrandbits(32)
        considered = np.zeros((count, cells), np.uint8)
        for row, searched in zip(considered, rows, strict=True):
            row[searched.considered] = 1
        white = np.array([row.flags & WHITE_TO_MOVE for row in rows])
        arrays = {
            "stones": np.array([[*row.stones] for row in rows], np.uint8),
            "flags": np.array([row.flags for row in rows], np.uint8),
            "game": np.full(count, number, np.uint32),
            "last": np.array([row.last for row in rows], np.int16),
            "value": np.rint(SHARE * np.array([row.value for row in rows])).astype(np.uint16),
            "outcome": (white == (winner == 2)).astype(np.uint8),
            "visits": np.rint(SHARE * np.array([row.visits for row in rows])).astype(np.uint16),
            "considered": considered,
            "black": np.rint(OWNED * np.array([row.black for row in rows])).astype(np.uint8),
        }
        return Positions(board, *(arrays[name] for name in ARRAYS))


def _searched(tree: Search, position: Position, moves: list[Move], *, full: bool) -> _Searched:
    best, distance = moves[0], moves[0][4]
    visits = np.zeros(len(position.board))
    for cell, count, _, _, proven in moves:
        visits[cell] = 0 if proven < 0 else count
    if distance > 0:  # only the win counts
        visits[:] = 0
        visits[best[0]] = 1
    flags = OUTCOME | (WHITE_TO_MOVE if position.to_play == 2 else 0) | (FULL if full else 0)
    flags |= WON if distance > 0 else LOST if distance < 0 else 0
    black = [owned for owned, _ in tree.owners()]
    if all(owned == 0.5 for owned in black):  # the root was proven without any playout
        flags |= UNOWNED
    history = [move.cell for move in position.history[-2:] if move.cell is not None][::-1]
    return _Searched(
        position.stones,
        flags,
        (history[0] if history else -1, history[1] if len(history) > 1 else -1),
        1.0 if distance > 0 else 0.0 if distance < 0 else min(1.0, max(0.0, best[2])),
        visits / max(1.0, visits.sum()),
        [move[0] for move in moves],
        black,
    )


class _Worker:
    """A process that plays until it is told to stop, and writes a shard now and then."""

    def __init__(self, folder: TrainingFolder, generation: int, number: int) -> None:
        settings, best = folder.settings, folder.best
        network = folder.start if best is None else folder.network(best)
        self.origin = "search alone" if network is None else network.stem
        self.folder, self.generation, self.number = folder, generation, number
        self.games = SelfPlay(settings.game, settings.sizes, settings.nodes, network)
        self.groups: list[Positions] = []
        self.stopped = False

    def work(self) -> None:
        written = time.monotonic()
        while not self.stopped:
            played = self.games.play(lambda: self.stopped)
            if played is not None and len(played):
                self.groups.append(played)
                sys.stdout.write(json.dumps({"played": len(played)}) + "\n")
                sys.stdout.flush()
            if time.monotonic() - written > self.folder.settings.save:
                self._write()
                written = time.monotonic()
        self._write()

    def _write(self) -> None:
        if self.groups:
            name = f"{self.generation:04}-{time.time_ns()}-{self.number}.shard"
            write_shard(self.folder.path / "shards" / name, self.groups, self.origin)
            self.groups = []

    def stop(self, *_: object) -> None:
        self.stopped = True


def main() -> None:
    """Play for the generation that the command line names: FOLDER GENERATION NUMBER."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    end_with_parent()
    folder = TrainingFolder.open(Path(sys.argv[1]))
    worker = _Worker(folder, int(sys.argv[2]), int(sys.argv[3]))
    signal.signal(signal.SIGTERM, worker.stop)
    worker.work()
