from typing import final

from trivalent.bot.evaluation._evaluator import Evaluator
from trivalent.bot.evaluation._pattern_policy import Policy
from trivalent.core.connection._sliced import Slices

IN_TURN: tuple[bool, bool, bool, int, bool]
MAX_PLAYOUTS: int

@final
class PlayoutEvaluator(Evaluator):
    def __new__(
        cls,
        slices: Slices,
        *,
        playouts: int,
        how: tuple[bool, bool, bool, int, bool],
        policy: Policy | None = None,
        strength: float = 0.0,
    ) -> PlayoutEvaluator: ...
