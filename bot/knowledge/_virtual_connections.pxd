"""Connections of a colour in a position, as a Python class around H-search."""
from libc.stdint cimport int16_t

from trivalent.bot.knowledge._bitset cimport MAX_CELLS
from trivalent.bot.knowledge._hsearch cimport hsearch_t


cdef class Connections:
    cdef object board
    cdef hsearch_t h
    cdef readonly int colour  # whose connections have been built
    cdef int16_t around[6 * MAX_CELLS]
    cdef int16_t far[6 * MAX_CELLS]

    cdef int prepare(self, hsearch_t* h) except -1
