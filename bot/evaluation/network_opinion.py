"""The network by itself: finding it, and asking it about a position without a search."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.evaluation.network_file import read_network
from trivalent.bot.player import NetworkOpinion
from trivalent.core.board import BLACK
from trivalent.core.files import require_regular_file
from trivalent.core.position import Kind

if TYPE_CHECKING:
    from trivalent.bot.evaluation._network import Network
    from trivalent.bot.evaluation._network_inputs import Observer
    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.core.board import Board
    from trivalent.core.position import Position

NO_NETWORK = "none"
"""The name of no network."""
SHIPPED = "shipped"
"""The name of the networks that come with the program, one per game."""
_SHIPPED_IN = Path(__file__).parent / "networks"


def load_network(name: str, game: str) -> NetworkFile | None:
    """Return the network in a file, the one shipped for a game, or None for ``none``.

    There may be no network for a game.  Files are read again when they have changed.  Raise
    ValueError if there is no such file or if it holds no network.
    """
    if name == NO_NETWORK:
        return None
    if name == SHIPPED:
        path = shipped_network(game)
        return _read(path, 0, 0) if path.exists() else None
    path = Path(name)
    try:
        require_regular_file(path)
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise ValueError(f"cannot read {name!r}: {error.strerror or error}") from None


def shipped_network(game: str) -> Path:
    """Return the file of the network that comes with the program for a game."""
    return _SHIPPED_IN / f"{game}.net"


def check_network(name: str) -> None:
    """Raise ValueError if a name stands neither for networks nor for none."""
    if name != SHIPPED:
        load_network(name, "")


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> NetworkFile:
    return read_network(path)


def describe_network(file: NetworkFile) -> str:
    """Return a line that says which network this is."""
    shape = file.architecture
    return f"{file.version} for {shape.game.capitalize()}, {shape} ({file.digest})"


def network_on(file: NetworkFile | None, board: Board) -> Network | None:
    """Return the network on a board, or None if it isn't for this game or size."""
    from trivalent.bot.evaluation._network import MAX_SIDE  # noqa: PLC0415  not at engine start-up

    if (
        file is None
        or file.architecture.game != board.game
        or max(board.width, board.height) > MAX_SIDE
    ):
        return None
    return _bound(file.digest, file, board)


@lru_cache(maxsize=8)
def _bound(_digest: str, file: NetworkFile, board: Board) -> Network:
    from trivalent.bot.evaluation._network import Network  # noqa: PLC0415  as above

    return Network(file, board)


def last_moves(position: Position) -> tuple[int, int]:
    """Return the cells of the last move and the one before it, -1 for what was no move.

    The last one must be the opponent's stone, and the one before it a stone of the side to move.
    """
    cells = [-1, -1]
    colour = position.to_play
    for age, move in enumerate(reversed(position.history[-2:])):
        colour = colour.opponent
        if move.cell is None or move.kind is not Kind.PLAY or move.colour is not colour:
            break
        cells[age] = move.cell
    return cells[0], cells[1]


def network_opinion(network: Network, position: Position) -> NetworkOpinion:
    """Ask a network about a position as a search with default parameters does.

    The game must be open.  Raise ValueError if the board is another one.
    """
    board = position.board
    if board != network.board:
        raise ValueError(f"the network is set up for {network.board}, not {board}")
    logits, value, owned = ask(network, position.stones, position.to_play, last_moves(position))
    if owned and position.to_play is not BLACK:
        owned = [1 - share for share in owned]
    policy = _softmax({cell: logits[cell] for cell in position.empty_cells})
    return NetworkOpinion(policy, value, tuple(owned) if owned else None)


def ask(
    network: Network, stones: bytes, to_play: int, last: tuple[int, int]
) -> tuple[list[float], float, list[float] | None]:
    """Return what `Network.evaluate` does, with all that a network may see of an open position.

    ``last`` are the cells of the last two moves, the latest first, or -1.
    """
    import numpy as np  # noqa: PLC0415  not at engine start-up

    from trivalent.bot.evaluation._network_inputs import OBSERVED  # noqa: PLC0415  as above

    seen = _observer(network.board).observe(
        np.frombuffer(stones, np.uint8)[None],
        np.array([to_play], np.uint8),
        np.array(last[:1], np.int16),
    )
    filled, pruned, *playouts = (plane.tobytes() for plane in seen[0])
    return network.evaluate(
        stones,
        to_play,
        [None if cell < 0 else cell for cell in last],
        filled=filled,
        pruned=pruned,
        given=dict(zip(OBSERVED[2:], playouts, strict=True)),
    )


@lru_cache(maxsize=8)
def _observer(board: Board) -> Observer:
    from trivalent.bot.evaluation._network_inputs import Observer  # noqa: PLC0415  as above

    return Observer(board)


def _softmax(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values())
    powers = {cell: exp(logit - highest) for cell, logit in logits.items()}
    total = sum(powers.values())
    return {cell: power / total for cell, power in powers.items()}
