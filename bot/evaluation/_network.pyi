from collections.abc import Mapping, Sequence
from typing import final

from trivalent.bot.evaluation.network_file import NetworkFile
from trivalent.core.board import Board

VNNI: str
MAX_SIDE: int

def available_kernels() -> tuple[str, ...]: ...

@final
class Network:
    def __new__(cls, file: NetworkFile, board: Board, kernels: str | None = None) -> Network: ...
    @property
    def board(self) -> Board: ...
    @property
    def file(self) -> NetworkFile: ...
    @property
    def kernels(self) -> str: ...
    @property
    def symmetries(self) -> int: ...
    def evaluate(
        self,
        stones: bytes | bytearray,
        to_play: int,
        last: Sequence[int | None] = (),
        *,
        filled: bytes | None = None,
        pruned: bytes | None = None,
        given: Mapping[str, bytes] | None = None,
        symmetry: int = 0,
    ) -> tuple[list[float], float, list[float] | None]: ...
