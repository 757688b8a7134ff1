"""Thousands of fast games on boards of all sizes.  Run with -m soak -s to see the figures."""

import os
import resource
import sys
from collections import Counter
from pathlib import Path

import pytest
from tournaments import tournament

from trivalent.core.games import REDUCED_GAMES
from trivalent.tools.tournament.model import Ending
from trivalent.tools.tournament.run.store import Store

pytestmark = pytest.mark.soak
GAMES_PLAYED = int(os.environ.get("SOAK_GAMES", "2000"))
SIZES = range(1, 20)
MEMORY = 24
"""MiB for the tree of each engine: so little that it fills up."""

ENGINES = f"""
[engines.clock]
player = "mcts"
threads = 1
memory = {MEMORY}
clock = {{ main = 0.6, increment = 0.01 }}

[engines.move]
player = "mcts"
threads = 2
memory = {MEMORY}
clock = {{ move = 0.01 }}

[engines.bare]
player = "mcts"
memory = 1
playouts = "coin"
fill_in = false
vc_visits = 0
clock = {{ main = 0.3, byo_yomi = 0.4, stones = 8 }}
"""


def test_fast_games_of_all_sizes(tmp_path: Path) -> None:
    """No illegal move, crash, time loss or memory overrun."""
    boards = [(game, size) for game in REDUCED_GAMES for size in SIZES]
    endings: Counter[Ending] = Counter()
    moves = 0
    faults = []
    for game, size in boards:
        pairs = -(-GAMES_PLAYED // len(boards) // 6)  # of each of the three pairings
        plan = tmp_path / f"{game}{size}.toml"
        openings = f"plies = 2, count = {pairs}" if size > 4 else ""
        suite = f'{{ suite = "random", seed = {size}, {openings} }}' if openings else '"none"'
        rounds = 1 if openings else pairs
        plan.write_text(
            f'game = "{game}"\nsize = {size}\nopenings = {suite}\nrounds = {rounds}\n'
            f"seed = {size}\nmargin = 0.05\nfaults = {{ in_a_row = 20, share = 0.5 }}\n{ENGINES}"
        )
        done = tournament("run", "--plain", plan)
        assert done.returncode == 0, done.stdout + done.stderr
        with Store.read(plan.with_suffix(".db")) as store:
            records = [record for _, record in store.played()]
        endings.update(record.ending for record in records)
        moves += sum(len(record.moves) for record in records)
        faults += [(game, size, r.detail) for r in records if r.blamed]
    sys.stdout.write(f"{endings.total()} games, {moves} moves: {dict(endings)}\n")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(f"largest process {peak:.0f} MiB\n")
    assert endings[Ending.CONNECTION] >= GAMES_PLAYED
    assert not faults
    # Games spoilt by other programs on the machine were replayed.
    assert set(endings) <= {Ending.CONNECTION, Ending.RESIGNATION, Ending.OVERLOAD}
    assert peak < 200
