from typing import final

from trivalent.core._random import Random
from trivalent.core.board import Board

@final
class Replayer:
    def __new__(cls, board: Board) -> Replayer: ...
    def time_set(
        self, method: str, every_move: bool, orders: bytes | bytearray
    ) -> tuple[float, float, int, int]: ...

def orders(cells: int, games: int, random: Random) -> bytearray: ...
def time_filling(
    board: Board,
    filling: str,
    stones: bytes | bytearray,
    to_play: bytes | bytearray,
    rounds: int,
) -> tuple[float, bytes]: ...
