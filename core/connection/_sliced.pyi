from collections.abc import Sequence
from typing import final

from trivalent.core.board import Board
from trivalent.core.connection._chains import Chains
from trivalent.core.connection.edge_templates import TemplateReply
from trivalent.core.framing import Framing

@final
class Slices:
    def __new__(
        cls,
        framing: Framing | None,
        neighbours: Sequence[Sequence[int]],
        sides: Sequence[Sequence[int]],
        goals: Sequence[Sequence[int]],
        chains: Chains | None = None,
        edge_replies: Sequence[TemplateReply] = (),
    ) -> Slices: ...

def slices(board: Board) -> Slices: ...
def graph_slices(board: Board) -> Slices: ...
def winners(of_board: Slices, stones: bytes | bytearray, out: bytearray) -> None: ...
