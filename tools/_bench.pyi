from typing import final

from trivalent.core._playout import Random
from trivalent.core.board import Board

@final
class Replayer:
    def __new__(cls, board: Board) -> Replayer: ...
    def time_set(
        self, method: str, every_move: bool, orders: bytes | bytearray
    ) -> tuple[float, float, int, int]: ...

def orders(cells: int, games: int, random: Random) -> bytearray: ...
