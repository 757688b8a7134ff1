"""The connections of a colour in a position, as Python has them."""
from libc.stdint cimport int16_t

from trivalent.bot._cells cimport MOST_CELLS
from trivalent.bot._chains cimport hsearch_t


cdef class Connections:
    cdef hsearch_t h
    cdef int16_t around[6 * MOST_CELLS]
