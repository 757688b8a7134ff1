from typing import final

from trivalent.core.board import Board
from trivalent.core.connection._chains import Chains
from trivalent.core.connection._triangle import Triangle

@final
class Arbiter:
    def __new__(cls, triangle: Triangle | None = None, chains: Chains | None = None) -> Arbiter: ...

def arbiter(board: Board) -> Arbiter: ...
