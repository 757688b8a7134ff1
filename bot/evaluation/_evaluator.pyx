"""The base class of evaluators, as Python configures them."""


cdef class Evaluator:
    """Something that judges the leaves of a search, or suggests priors for their moves."""

    cdef int attach(self, evaluator_t* table) except -1:
        """Fill the table of functions for one more thread; raise MemoryError.

        The evaluator must outlive the table.
        """
        raise NotImplementedError
