"""The loops over all moves of a position, one by one: see _selection.h."""
from libc.stdint cimport int16_t, uint16_t, uint32_t

from trivalent.core._isa cimport isa_index

cdef extern from "bot/search/_selection.h" nogil:
    const selection_t* selection_kernels(int isa)


cdef const selection_t* selection() noexcept nogil:
    """Return the kernels of the chosen instruction set."""
    return selection_kernels(isa_index())


def choose(
    const uint32_t[::1] visits, const float[::1] value, const float[::1] mean,
    const uint16_t[::1] samples, const float[::1] policy, const int16_t[::1] proof,
    float rave, float bonus, float follow
):
    """Return the move that a search follows, -1 if all are lost.

    Of each move: its visits and the sum of their values; the mean of its samples and their number,
    at least 1; how likely a strong player chooses it; below 0 if it is known to lose.
    """
    cdef attributes_t moves
    cdef int n = visits.shape[0]
    if not 1 <= n <= MAX_MOVES or not (
        n == value.shape[0] == mean.shape[0] == samples.shape[0] == policy.shape[0]
        == proof.shape[0]
    ):
        raise ValueError("attributes of so many moves each are needed, from 1 on")
    # The kernel only reads the means and samples.
    moves = attributes_t(
        &visits[0], &value[0], &policy[0], <float*> &mean[0], <uint16_t*> &samples[0], NULL,
        &proof[0]
    )
    return selection().choose(&moves, n, rave, bonus, follow)


def sample(
    float[::1] mean, uint16_t[::1] samples, const int16_t[::1] cell, const float[::1] rates
):
    """Add to each move the rate of its cell as a sample, unless that is NaN.

    The number of samples stops at the largest one possible.
    """
    cdef attributes_t moves
    cdef int i, n = mean.shape[0]
    if n < 1 or not n == samples.shape[0] == cell.shape[0]:
        raise ValueError("attributes of so many moves each are needed, from 1 on")
    for i in range(n):
        if not 0 <= cell[i] < rates.shape[0]:
            raise ValueError(f"there is no rate of cell {cell[i]}")
    moves = attributes_t(NULL, NULL, NULL, &mean[0], &samples[0], &cell[0], NULL)
    selection().sample(&moves, n, &rates[0])
