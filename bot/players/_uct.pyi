from typing import final

from trivalent.bot._stop import Stop
from trivalent.core.connection._arbiter import Arbiter
from trivalent.core.connection._sliced import Slices

@final
class Search:
    def __new__(
        cls,
        arbiter: Arbiter,
        bridges: Slices | None,
        stones: bytes | bytearray,
        to_play: int,
        *,
        seed: int,
        rave: bool,
        fills: int,
        expansion_threshold: int,
        rave_equivalence: float,
        exploration: float,
        memory: int,
    ) -> Search: ...
    def run(self, nodes: int, seconds: float, stop: Stop) -> bool: ...
    @property
    def leaves(self) -> int: ...
    def moves(self) -> list[tuple[int, int, float, float, int]]: ...
    def variation(self, first: int) -> list[int]: ...
