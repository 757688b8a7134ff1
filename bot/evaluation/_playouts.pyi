from typing import final

from trivalent.bot.evaluation._evaluator import Evaluator
from trivalent.core.connection._sliced import Slices

@final
class PlayoutEvaluator(Evaluator):
    def __new__(
        cls, slices: Slices, *, playouts: int, how: tuple[bool, bool, bool, int]
    ) -> PlayoutEvaluator: ...
