from typing import final

from trivalent.core.board import Board
from trivalent.core.framing import Framing

@final
class Triangle:
    def __new__(cls, framing: Framing) -> Triangle: ...
    @property
    def column_bits(self) -> int: ...

def triangle(board: Board) -> Triangle: ...
