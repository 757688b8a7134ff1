"""Train the pattern policy: how likely a strong player is to choose a cell, by its surroundings.

Run ``python -m trivalent.tools.workshop.train_pattern_policy --data hex.npz hex FILE``, where FILE
is bot/evaluation/pattern_policy.bin, and again for ``y``: each run writes its part of the file.
The strong player plays itself with a node limit; the weights minimise the cross entropy between the
softmax over all moves and the search's visit shares.  Equal options give equal games and weights.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trivalent.bot.evaluation._pattern_policy import CODES, NEARBY, SCALE, Policy
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.games import GAMES, REDUCED_GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.common.endings import run_program
from trivalent.tools.common.output_files import require_inputs_kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from trivalent.core.board import Board

DECIDED = 0.42
"""Distance of the value from 1/2 at which a game counts as decided."""
VARIED_MOVES = 8
"""Moves at the start of a game that are drawn by visits; later ones are the most visited."""
EPOCHS = 12
BATCH = 512
DECAY = 1e-5


def play(board: Board, positions: int, nodes: int, seed: int) -> dict[str, NDArray[Any]]:
    """Play games until there are enough positions; return arrays with one row for each."""
    rng = random.Random(seed)
    stones: list[NDArray[np.uint8]] = []
    shares: list[NDArray[np.float16]] = []
    to_play: list[int] = []
    last: list[int] = []
    while len(stones) < positions:
        parameters = {"threads": "1", "memory": "128", "seed": str(rng.getrandbits(40))}
        player = MctsPlayer(MctsParameters().updated(parameters))
        position = Position(board)
        for _ in range(rng.choice((1, 1, 2, 2, 3))):
            position.play(position.to_play, rng.choice(list(position.legal_moves)))
        player.set_position(position)
        for ply in range(len(board)):
            player.genmove(position.to_play, Limits(nodes), Stop())
            analysis = player.analysis()
            if analysis.moves[0].proven is not None or abs(analysis.value - 0.5) > DECIDED:
                break
            visits = np.zeros(len(board), np.float32)
            for move in analysis.moves:
                visits[move.cell] = move.visits or 0
            before = position.last_move
            stones.append(np.frombuffer(position.stones, np.uint8))
            to_play.append(int(position.to_play))
            last.append(-1 if before is None or before.cell is None else before.cell)
            shares.append((visits / visits.sum()).astype(np.float16))
            cell = analysis.moves[0].cell
            if ply < VARIED_MOVES:
                cell = rng.choices(range(len(board)), weights=visits.tolist())[0]
            player.play(position.to_play, cell)
            position.play(position.to_play, cell)
    return {
        "stones": np.array(stones),
        "to_play": np.array(to_play, np.uint8),
        "last": np.array(last, np.int16),
        "visits": np.array(shares),
    }


def features(board: Board, data: dict[str, NDArray[Any]]) -> tuple[NDArray[np.int32], ...]:
    """Return, for each of the three tables, the weight index of every cell of every position."""
    policy = Policy(board)
    found = np.array(
        [
            policy.features(row.tobytes(), int(colour), int(last))
            for row, colour, last in zip(data["stones"], data["to_play"], data["last"], strict=True)
        ],
        np.int32,
    )
    return found[:, 0], found[:, 1], found[:, 2]


def fit(
    data: dict[str, NDArray[Any]], indices: Sequence[NDArray[np.int32]], seed: int
) -> list[NDArray[np.float32]]:
    """Return the weights of each table, fitted by Adam; a tenth of the positions is held out."""
    empty = data["stones"] == 0
    shares = data["visits"].astype(np.float32)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(shares))
    held_out, used = order[: len(order) // 10], order[len(order) // 10 :]
    tables = [np.zeros(size, np.float32) for size in (CODES, CODES, NEARBY)]
    first = [np.zeros_like(table) for table in tables]
    second = [np.zeros_like(table) for table in tables]

    def probabilities(rows: NDArray[np.int64]) -> NDArray[np.float32]:
        scores = sum(table[index[rows]] for table, index in zip(tables, indices, strict=True))
        scores = np.where(empty[rows], scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)

    steps = 0
    for epoch in range(EPOCHS):
        rate = 0.05 * 0.3 ** (2 * epoch // EPOCHS)
        rng.shuffle(used)
        for start in range(0, len(used), BATCH):
            rows = used[start : start + BATCH]
            slopes = (probabilities(rows) - shares[rows]) / len(rows)
            steps += 1
            for k, (table, index) in enumerate(zip(tables, indices, strict=True)):
                slope = np.bincount(index[rows].ravel(), slopes.ravel(), len(table)) + DECAY * table
                first[k] += 0.1 * (slope - first[k])
                second[k] += 0.001 * (slope**2 - second[k])
                mean, square = first[k] / (1 - 0.9**steps), second[k] / (1 - 0.999**steps)
                tables[k] = np.asarray(table - rate * mean / (np.sqrt(square) + 1e-8), np.float32)
        guess = probabilities(held_out)
        entropy = -(shares[held_out] * np.log(guess + 1e-9)).sum(axis=1).mean()
        hits = (guess.argmax(axis=1) == shares[held_out].argmax(axis=1)).mean()
        sys.stderr.write(
            f"epoch {epoch + 1}: cross entropy {entropy:.3f}, best move {100 * hits:.1f} %\n"
        )
    return tables


def write(file: Path, game: str, tables: Sequence[NDArray[np.float32]]) -> None:
    """Write a game's weights, a byte each, into its part of the file."""
    size = 2 * CODES + NEARBY
    held = bytearray(file.read_bytes() if file.exists() else bytes(len(REDUCED_GAMES) * size))
    weights = np.concatenate(list(tables)) * SCALE
    at = GAMES[game].number * size
    held[at : at + size] = np.clip(np.rint(weights), -127, 127).astype(np.int8).tobytes()
    file.write_bytes(held)


def main() -> None:
    """Play games unless the data file exists, fit the weights and write them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("game", choices=REDUCED_GAMES)
    parser.add_argument("weights", type=Path, help="the file to write")
    parser.add_argument("--data", type=Path, required=True, help="positions, made if missing")
    parser.add_argument("--size", type=int, default=11)
    parser.add_argument("--positions", type=int, default=25_000)
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        require_inputs_kept({"weights": arguments.weights}, [arguments.data])
    except ValueError as error:
        parser.error(str(error))
    board = make_board(arguments.game, arguments.size)
    if not arguments.data.exists():
        data = play(board, arguments.positions, arguments.nodes, arguments.seed)
        np.savez_compressed(arguments.data, allow_pickle=False, **data)
    with np.load(arguments.data) as loaded:
        data = {name: loaded[name] for name in ("stones", "to_play", "last", "visits")}
    write(arguments.weights, arguments.game, fit(data, features(board, data), arguments.seed))


if __name__ == "__main__":
    sys.exit(run_program(main))
