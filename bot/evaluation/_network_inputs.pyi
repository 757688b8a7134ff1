from typing import final

import numpy as np
from numpy.typing import NDArray

from trivalent.core.board import Board

OBSERVED: tuple[str, ...]

@final
class Observer:
    def __new__(cls, board: Board) -> Observer: ...
    def observe(
        self,
        stones: NDArray[np.uint8],
        to_play: NDArray[np.uint8],
        last: NDArray[np.int16],
        seed: int = 0,
    ) -> NDArray[np.uint8]: ...
