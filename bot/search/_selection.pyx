"""The kernels of selection, for tests: see _selection.h for what they compute."""
from libc.stdint cimport int16_t, uint16_t, uint32_t

from trivalent.core._isa cimport isa_index

cdef extern from "bot/search/_selection.h" nogil:
    const selection_t* selection_kernels(int isa)


cdef const selection_t* selection() noexcept nogil:
    """Return the kernels of the instruction set in use."""
    return selection_kernels(isa_index())


def choose(
    const uint32_t[::1] visits, const float[::1] value, const float[::1] mean,
    const uint16_t[::1] samples, const float[::1] prior, const int16_t[::1] proven,
    float rave_weight, float bonus, float prior_weight, float puct=0
):
    """Return the index of the move that a search follows, -1 if all are lost or pruned.

    Arrays with one element for each move: visits, sum of their values, mean of the RAVE samples,
    their number (at least 1), prior, and proven distance.  Raise ValueError unless all have the
    same length, from 1 to 3969.
    """
    cdef attributes_t moves
    cdef int n = visits.shape[0]
    if not 1 <= n <= MAX_MOVES or not (
        n == value.shape[0] == mean.shape[0] == samples.shape[0] == prior.shape[0]
        == proven.shape[0]
    ):
        raise ValueError("every attribute must have one element for each move, and at least one")
    # The kernel only reads the means and samples.
    moves = attributes_t(
        &visits[0], &value[0], &prior[0], <float*> &mean[0], <uint16_t*> &samples[0], NULL,
        &proven[0]
    )
    return selection().choose(&moves, n, rave_weight, bonus, prior_weight, puct)


def sample(
    float[::1] mean, uint16_t[::1] samples, const int16_t[::1] cell, const float[::1] rates
):
    """Add the rate of its cell to each move's RAVE samples, unless it is NaN.

    The number of samples saturates.  Raise ValueError unless there are attributes for each move and
    a rate for each cell.
    """
    cdef attributes_t moves
    cdef int i, n = mean.shape[0]
    if n < 1 or not n == samples.shape[0] == cell.shape[0]:
        raise ValueError("every attribute must have one element for each move, and at least one")
    for i in range(n):
        if not 0 <= cell[i] < rates.shape[0]:
            raise ValueError(f"there is no rate for cell {cell[i]}")
    moves = attributes_t(NULL, NULL, NULL, &mean[0], &samples[0], &cell[0], NULL)
    selection().sample(&moves, n, &rates[0])
