from typing import final

from trivalent.bot._stop import Stop
from trivalent.core.connection._triangle import Triangle

@final
class Search:
    def __new__(
        cls,
        triangle: Triangle,
        stones: bytes | bytearray,
        to_play: int,
        seed: int,
        expansion_threshold: int,
        rave_equivalence: float,
        exploration: float,
        memory: int,
    ) -> Search: ...
    def run(self, nodes: int, seconds: float, stop: Stop) -> bool: ...
    @property
    def visits(self) -> int: ...
    def moves(self) -> list[tuple[int, int, float, float, int]]: ...
    def variation(self, first: int) -> list[int]: ...
