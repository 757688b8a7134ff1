"""The colours of stones as numbers: 0 empty, 1 black, 2 white."""

cdef extern from "core/_colours.h" nogil:
    int opponent(int colour)
    int colour_index(int colour)
