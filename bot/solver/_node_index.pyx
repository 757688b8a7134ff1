"""An index of proof nodes: which of them hold in a position.

Sets of points are bits of integers, see `Strategy`; here they are rows of 64-bit words.  Nodes
added one after the other come from similar positions, so what eight of them have in common excludes
most of those that don't hold: of 32,000 nodes of a proof on 7x7, all but 2 to 5%.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from * nogil:
    int __builtin_popcountll(uint64_t)

cdef enum:
    BLOCK = 8       # nodes
    MAX_WORDS = 5   # of a set of points: 256 cells and the sides

cdef enum:          # the sets of a node
    GOAL
    NEEDS
    CARRIER
    SETS

ctypedef struct points_t:
    uint64_t word[MAX_WORDS]


cdef points_t as_points(points, int words) except *:
    cdef points_t result
    cdef bytes data = points.to_bytes(8 * words, "little")
    memset(&result, 0, sizeof(result))
    memcpy(&result, <const char*> data, 8 * words)
    return result


cdef inline bint within(const uint64_t* some, const points_t* points, int words) noexcept nogil:
    """Return whether a set has no other points."""
    cdef uint64_t outside = 0
    cdef int i
    for i in range(words):
        outside |= some[i] & ~points.word[i]
    return outside == 0


cdef inline int missing(const uint64_t* some, const points_t* points, int words) noexcept nogil:
    """Return how many points of a set aren't among some others."""
    cdef int i, count = 0
    for i in range(words):
        count += __builtin_popcountll(some[i] & ~points.word[i])
    return count


cdef class NodeIndex:
    """Nodes by their goals, the stones they need, and their carriers.

    All methods return numbers in the order in which they were added.
    """

    cdef int words
    cdef uint64_t[:, :, ::1] sets    # of each node
    cdef uint64_t[:, :, ::1] common  # points that these sets have in all nodes of a block
    cdef list numbers
    cdef set known

    def __init__(self, int points):
        """Make an empty index for sets of ``points`` points, at most 320."""
        if points > 64 * MAX_WORDS:
            raise ValueError(f"an index is for at most {64 * MAX_WORDS} points, not {points}")
        self.words = (points + 63) // 64
        self.sets = np.zeros((8 * BLOCK, SETS, self.words), np.uint64)
        self.common = np.zeros((8, SETS, self.words), np.uint64)
        self.numbers = []
        self.known = set()

    def add(self, number, node):
        """Add a node, unless it is there already."""
        cdef Py_ssize_t place = len(self.numbers), block = place // BLOCK
        cdef points_t points
        cdef int kind, i
        if number in self.known:
            return
        if place == self.sets.shape[0]:
            self.sets = np.concatenate((self.sets, np.zeros_like(self.sets)))
            self.common = np.concatenate((self.common, np.zeros_like(self.common)))
        for kind, some in enumerate((node.goal, node.needs, node.carrier)):
            points = as_points(some, self.words)
            for i in range(self.words):
                self.sets[place, kind, i] = points.word[i]
                if place % BLOCK:
                    self.common[block, kind, i] &= points.word[i]
                else:
                    self.common[block, kind, i] = points.word[i]
        self.known.add(number)
        self.numbers.append(number)

    def holding(self, mine, free):
        """Return the nodes with stones among ``mine`` and carriers among ``free``."""
        return self._lacking(0, mine, free)

    def one_short(self, mine, free):
        """Return the nodes that may lack one stone, on a free cell, and have free carriers."""
        return self._lacking(1, mine, free)

    def broken(self, have, mine, free, cell):
        """Return the nodes with goals among ``have`` that hold but for this cell of the carrier."""
        cdef points_t goals = as_points(have, self.words), stones = as_points(mine, self.words)
        cdef points_t cells = as_points(free, self.words)
        cdef points_t wider = as_points(free | <object> 1 << cell, self.words)
        cdef Py_ssize_t place
        found = []
        for place in range(len(self.numbers)):
            if (
                within(&self.sets[place, GOAL, 0], &goals, self.words)
                and within(&self.sets[place, NEEDS, 0], &stones, self.words)
                and within(&self.sets[place, CARRIER, 0], &wider, self.words)
                and not within(&self.sets[place, CARRIER, 0], &cells, self.words)
            ):
                found.append(self.numbers[place])
        return found

    cdef list _lacking(self, int most, mine, free):
        """Return the nodes that lack so many stones at most, on free cells, with free carriers."""
        cdef points_t stones = as_points(mine, self.words), cells = as_points(free, self.words)
        cdef points_t either = as_points(mine | free if most else mine, self.words)
        cdef Py_ssize_t size = len(self.numbers), block, place
        found = []
        for block in range((size + BLOCK - 1) // BLOCK):
            if not self._fits(self.common, block, most, &stones, &cells, &either):
                continue
            for place in range(block * BLOCK, min((block + 1) * BLOCK, size)):
                if self._fits(self.sets, place, most, &stones, &cells, &either):
                    found.append(self.numbers[place])
        return found

    cdef inline bint _fits(
        self, uint64_t[:, :, ::1] sets, Py_ssize_t place, int most, const points_t* stones,
        const points_t* cells, const points_t* either,
    ) noexcept:
        return (
            within(&sets[place, NEEDS, 0], either, self.words)
            and within(&sets[place, CARRIER, 0], cells, self.words)
            and (most == 0 or missing(&sets[place, NEEDS, 0], stones, self.words) <= most)
        )
