from collections.abc import Sequence
from typing import final

from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.connection._arbiter import Arbiter
from trivalent.core.connection._sliced import Slices

@final
class NodeAnalyser:
    def __new__(
        cls,
        arbiter: Arbiter,
        slices: Slices,
        filler: Filler | None,
        connections: Connections | None,
    ) -> NodeAnalyser: ...
    def analyse(
        self, stones: bytes | bytearray, to_play: int
    ) -> tuple[int, int, list[int], list[int], list[list[int]]]: ...

def currents(points: int, resistors: Sequence[tuple[int, int, float]]) -> list[float]: ...
