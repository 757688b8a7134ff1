"""Fill-in of regions that four chains enclose and a connection divides."""
from libc.stdint cimport uint8_t

from trivalent.bot.knowledge._hsearch cimport hsearch_t

cdef int decompose(const hsearch_t* h, uint8_t* stones) noexcept nogil
