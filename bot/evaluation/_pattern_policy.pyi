from typing import final

from trivalent.bot.evaluation._evaluator import Evaluator
from trivalent.core.board import Board

CODES: int
NEARBY: int
SCALE: int

@final
class Policy(Evaluator):
    def __new__(cls, board: Board) -> Policy: ...
    def features(self, stones: bytes | bytearray, to_play: int, last: int) -> list[list[int]]: ...
    def shares(self, stones: bytes | bytearray, to_play: int, last: int) -> dict[int, float]: ...

def policy(board: Board) -> Policy: ...
