"""Uniformly random playouts [BT, 2.3]: fill the empty cells, then find the winner once."""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memcpy

from trivalent.core._colours cimport opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core._random cimport Random
from trivalent.core.connection._arbiter cimport Arbiter, arbiter_has_won, arbiter_t
from trivalent.core.connection._triangle cimport MAX_WORDS, fill_plane, triangle_t


cdef int _empty_cells(int on_board, const uint8_t* stones, int16_t* cells) noexcept nogil:
    cdef int cell, n = 0
    for cell in range(on_board):
        if stones[cell] == 0:
            cells[n] = cell
            n += 1
    return n


def fill(const uint8_t[::1] stones, int to_play, Random random not None):
    """Return the stones of a full board; see `trivalent.core.playouts.playout.fill`."""
    cdef int16_t cells[63 * 63]
    cdef int n, k, i
    n = _empty_cells(<int> stones.shape[0], &stones[0], cells)
    k = choose(&random.c, cells, n, (n + 1) // 2)
    full = bytearray(stones)
    cdef uint8_t[::1] out = full
    for i in range(n):
        out[cells[i]] = to_play if i < k else opponent(to_play)
    return bytes(full)


def count_wins(
    Arbiter of_board not None, const uint8_t[::1] stones, int to_play, Py_ssize_t count,
    Random random not None
):
    """Return how many of ``count`` playouts Black wins; see `playout.black_wins`."""
    cdef const arbiter_t* arbiter = &of_board.c
    cdef int16_t cells[63 * 63]
    cdef uint8_t padded[63 * 63 + STONES_PADDING]
    cdef uint64_t black[MAX_WORDS]
    cdef uint64_t plane[MAX_WORDS]
    cdef const triangle_t* t = arbiter.triangle
    cdef int n, k, i
    cdef Py_ssize_t wins = 0
    n = _empty_cells(arbiter.cells, &stones[0], cells)
    k = (n + 1) // 2 if to_play == 1 else n // 2
    memcpy(padded, &stones[0], arbiter.cells)
    if t:
        fill_plane(t, padded, 1, black)
    with nogil:
        for _ in range(count):
            choose(&random.c, cells, n, k)
            if t:
                memcpy(plane, black, t.bytes)
                wins += black_wins(t, plane, cells, k)
            else:  # a full board: Black has won, or White has
                for i in range(n):
                    padded[cells[i]] = 1 if i < k else 2
                wins += arbiter_has_won(arbiter, padded, 1)
    return wins
