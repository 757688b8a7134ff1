from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float32]

def choose(
    visits: NDArray[np.uint32],
    value: _Floats,
    mean: _Floats,
    samples: NDArray[np.uint16],
    prior: _Floats,
    proven: NDArray[np.int16],
    rave_weight: float,
    bonus: float,
    prior_weight: float,
    puct: float = 0.0,
) -> int: ...
def sample(
    mean: _Floats, samples: NDArray[np.uint16], cell: NDArray[np.int16], rates: _Floats
) -> None: ...
