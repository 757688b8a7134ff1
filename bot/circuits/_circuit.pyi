from collections.abc import Sequence
from typing import final

from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.connection._triangle import Triangle

@final
class Circuit:
    def __new__(
        cls,
        triangle: Triangle,
        filler: Filler,
        connections: Connections,
        *,
        fills_in: bool,
        connects: bool,
        mustplay: bool,
        both: bool,
        bridges: bool,
        cells: float,
        semis: float,
        chains: float,
    ) -> Circuit: ...
    cells: int
    connections: Connections
    def judge(
        self, stones: bytes | bytearray, to_play: int
    ) -> tuple[int, tuple[()] | tuple[float, float], list[float], list[int]]: ...

def solve_network(
    points: int, resistors: Sequence[tuple[int, int, float]], sides: int = 2
) -> tuple[float, list[float], list[float]]: ...
