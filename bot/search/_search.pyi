from typing import final

from trivalent.bot._stop import Stop
from trivalent.bot.evaluation._pattern_policy import Policy
from trivalent.bot.knowledge._cutsets import CutsetFillin
from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.connection._sliced import Slices
from trivalent.core.connection._triangle import Triangle

@final
class Search:
    def __new__(
        cls,
        triangle: Triangle,
        slices: Slices,
        *,
        seed: int,
        threads: int,
        lanes: int,
        fill: tuple[bool, bool, bool, int],
        filler: Filler | None,
        prune: bool,
        regions: CutsetFillin | None,
        connections: Connections | None,
        wide: Connections | None,
        connect: int,
        connect_wide: int,
        expand: int,
        rave: float,
        explore: float,
        prior: int,
        policy: Policy,
        follow: float,
        noise: float,
        memory: int,
    ) -> Search: ...
    def forget(self) -> None: ...
    def set_position(
        self, stones: bytes | bytearray, to_play: int, last: int, key: int
    ) -> None: ...
    def run(self, nodes: int, seconds: float, stop: Stop, threads: int) -> bool: ...
    def learn(self, cell: int, proof: int) -> bool: ...
    @property
    def leaves(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def memory_used(self) -> float: ...
    def moves(self) -> list[tuple[int, int, float, float, int]]: ...
    def owners(self) -> list[tuple[float, float]]: ...
    def variation(self, first: int) -> list[int]: ...
