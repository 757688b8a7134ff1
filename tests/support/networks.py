"""Random networks in files, small enough to be asked often."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trivalent.bot.evaluation.network_file import PLANES, Architecture, NetworkFile
from trivalent.bot.evaluation.network_quantisation import random_network

if TYPE_CHECKING:
    from pathlib import Path

    from trivalent.bot.evaluation._network import Network
    from trivalent.bot.evaluation.network_reference import Sample

EXACT_PLANES = tuple(plane for plane in PLANES if not plane.startswith("playout"))
"""The planes that say the same whenever a position is seen."""

Judged = tuple[list[float], float, list[float] | None]
"""Logits, value, and ownership if the network has it."""


@cache
def small_network(game: str, seed: int = 1, planes: tuple[str, ...] = EXACT_PLANES) -> NetworkFile:
    """Return a random network of a game."""
    return random_network(
        Architecture(game=game, planes=planes, channels=16, blocks=(True,), head=16), seed
    )


def network_in(
    folder: Path, game: str, seed: int = 1, planes: tuple[str, ...] = EXACT_PLANES
) -> str:
    """Write a random network of a game into a folder; return the name of the file."""
    path = folder / f"{game}-{seed}-{len(planes)}.net"
    small_network(game, seed, planes).write(path)
    return str(path)


def judge(network: Network, sample: Sample, symmetry: int = 0) -> Judged:
    """Return what a network says about a sample."""
    return network.evaluate(
        sample.stones,
        sample.to_play,
        sample.last,
        filled=sample.filled,
        pruned=sample.pruned,
        given=sample.given,
        symmetry=symmetry,
    )
