from collections.abc import Iterable
from typing import final

from trivalent.bot.knowledge._fillin import Filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.board import Board

@final
class Referee:
    def __new__(cls, board: Board) -> Referee: ...
    def winner(self, stones: bytes | bytearray, to_play: int) -> int: ...
    def stands(
        self,
        connections: Connections,
        stones: bytes | bytearray,
        full: bool,
        first: int,
        last: int,
        cells: Iterable[int],
    ) -> bool: ...
    def check_links(
        self, connections: Connections, stones: bytes | bytearray, max_cells: int
    ) -> tuple[int, list[tuple[bool, int, int, list[int]]]]: ...
    def tabulate(self) -> None: ...
    def counts(self) -> tuple[int, int, int]: ...
    def check_all(
        self, filler: Filler, first: int, end: int, connections: Connections | None = None
    ) -> list[int]: ...
    def position(self, index: int) -> bytes: ...
    def check_random(
        self, filler: Filler, positions: int, seed: int, connections: Connections | None = None
    ) -> list[bytes]: ...
