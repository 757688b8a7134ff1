from typing import final

from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.connection._triangle import Triangle

@final
class NodeAnalyser:
    def __new__(
        cls,
        triangle: Triangle,
        filler: Filler,
        connections: Connections,
    ) -> NodeAnalyser: ...
    def analyse(
        self, stones: bytes | bytearray, to_play: int
    ) -> tuple[int, int, list[int], list[int], list[list[int]]]: ...
