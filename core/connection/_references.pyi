from typing import final

from trivalent.core.board import Board

@final
class Graph:
    def __new__(cls, board: Board) -> Graph: ...

def graph(board: Board) -> Graph: ...
