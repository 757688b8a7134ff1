"""The gate: a new network is accepted unless it loses to the best one so far.

Both search the same number of nodes in a tournament of game pairs from balanced openings.  Bare
policies meet, too: they play their first choice without any search.
"""

from __future__ import annotations

import random
from dataclasses import fields
from typing import TYPE_CHECKING

from trivalent.bot.evaluation._network import Network
from trivalent.bot.evaluation._pattern_policy import policy
from trivalent.bot.evaluation.network_opinion import ask, last_moves
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.position import Position
from trivalent.tools.statistics.pairs import Pairs
from trivalent.tools.tournament.report.summary import summary
from trivalent.tools.tournament.run.open_run import open_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.core.board import Board
    from trivalent.tools.training.training_folder import TrainingFolder

    Choose = Callable[[Position], int]

GATE_SIZE = 11
"""The board of gates, if the run has it; else its largest one."""


class GateError(RuntimeError):
    """The tournament of a gate was interrupted or failed; the argument is its exit code."""


def searches_with_networks() -> bool:
    """Return whether the search of this version can use a network."""
    return any(field.name == "net" for field in fields(MctsParameters))


def search_parameters(network: Path | None, seed: int, memory: int) -> MctsParameters:
    """Return the parameters of a search with a network, or without any."""
    values = {"seed": str(seed), "memory": str(memory), "threads": "1"}
    if searches_with_networks():
        values["net"] = "none" if network is None else str(network)
    return MctsParameters().updated(values)


def plan_text(folder: TrainingFolder, generation: int) -> str:
    """Return the tournament plan of a generation's gate."""
    settings, best = folder.settings, folder.best
    opponent = folder.start if best is None else folder.network(best)
    networks = {"new": str(folder.network(generation).resolve())}
    networks["best"] = "none" if opponent is None else str(opponent.resolve())
    lines = [
        f'game = "{settings.game}"',
        f"size = {gate_size(settings.sizes)}",
        'format = "matches"',
        'matches = [["new", "best"]]',
        f"seed = {generation}",
        (
            f'openings = {{ suite = "random", plies = 2, count = {settings.pairs}, '
            f"seed = {generation} }}"
        ),
        f"clock = {{ nodes = {settings.gate_nodes} }}",
    ]
    for name, network in networks.items():
        lines += ["", f"[engines.{name}]", 'player = "mcts"', "threads = 1"]
        lines += [f"net = '{network}'"]
    return "\n".join(lines) + "\n"


def gate_size(sizes: tuple[int, ...]) -> int:
    """Return the size of the boards that gates are played on."""
    return GATE_SIZE if GATE_SIZE in sizes else max(sizes)


def play_gate(folder: TrainingFolder, generation: int, play: Callable[[Path], int]) -> Pairs:
    """Play a generation's gate, or go on with it; return the pairs from the new network's view.

    ``play`` plays the missing games of a tournament and returns its exit code.  Raise GateError if
    that isn't 0, and OSError if the plan can't be written.
    """
    from trivalent.core.files import write_file

    path = folder.gate(generation)
    if not path.exists():
        text = plan_text(folder, generation)
        write_file(path, lambda temporary: temporary.write_text(text, "utf-8"))
    if code := play(path):
        raise GateError(code)
    store, plan = open_run(str(path))
    with store:
        found = summary(plan, store.played())
    pairs = Pairs()
    for match in found.matches:
        pairs += match.pairs if match.engine == "new" else match.pairs.reversed
    return pairs


def network_choice(file: NetworkFile, board: Board) -> Choose:
    """Return a player that plays a network's first choice."""
    network = Network(file, board)

    def choose(position: Position) -> int:
        logits, _, _ = ask(network, position.stones, position.to_play, last_moves(position))
        return max(position.empty_cells, key=lambda cell: logits[cell])

    return choose


def pattern_choice(board: Board) -> Choose:
    """Return a player that plays the pattern policy's first choice."""
    patterns = policy(board)

    def choose(position: Position) -> int:
        last = position.last_move
        cell = -1 if last is None or last.cell is None else last.cell
        shares = patterns.shares(position.stones, int(position.to_play), cell)
        return max(position.empty_cells, key=lambda cell: shares.get(cell, -1.0))

    return choose


def policy_match(new: Choose, best: Choose, board: Board, pairs: int, seed: int) -> Pairs:
    """Let two bare policies play pairs of games from random openings of two moves.

    Return the pairs from the first one's view.
    """
    openings = random.Random(seed)
    total = Pairs()
    for _ in range(pairs):
        opening = openings.sample(range(len(board)), 2)
        wins = 0
        for colour in (1, 2):
            position = Position(board)
            for cell in opening:
                position.play(position.to_play, cell)
            while position.winner is None:
                mover = new if position.to_play == colour else best
                position.play(position.to_play, mover(position))
            wins += position.winner == colour
        total += Pairs(int(wins == 0), int(wins == 1), int(wins == 2))
    return total
