from typing import final

from trivalent.core.board import Board

@final
class Filler:
    def __new__(cls, board: Board) -> Filler: ...
    def fill(self, stones: bytes | bytearray, to_play: int) -> tuple[bytes, list[int]]: ...

def filler(board: Board) -> Filler: ...
