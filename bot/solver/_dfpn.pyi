from collections.abc import Sequence
from typing import final

from trivalent.bot._stop import Stop
from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.connection._triangle import Triangle

INFINITY: int
MAX_CELLS: int

@final
class Dfpn:
    def __new__(
        cls,
        triangle: Triangle,
        filler: Filler,
        connections: Connections,
        symmetries: Sequence[Sequence[int]],
        *,
        memory: int,
        threads: int,
        widening: float = ...,
        patience: float = ...,
    ) -> Dfpn: ...
    def clear(self) -> None: ...
    @property
    def entries(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    def run(
        self, stones: bytes | bytearray, to_play: int, nodes: int, seconds: float, stop: Stop
    ) -> int: ...
    def look(
        self, stones: bytes | bytearray, to_play: int
    ) -> tuple[int, int, int, int, list[int]] | None: ...
