"""Which instruction set the kernels use: the best of the machine, or what TRIVALENT_ISA says."""
import os

cdef extern from "core/_isa.h" nogil:
    const isa_t* isa_select(const char* name)
    const isa_t* isa_available(int index)


def available():
    """The instruction sets that this machine has and the kernels were compiled for."""
    cdef int i = 0
    names = []
    while isa_available(i):
        names.append(isa_available(i).name.decode())
        i += 1
    return tuple(names)


cdef const isa_t* _choose() except NULL:
    forced = os.environ.get("TRIVALENT_ISA", "")
    cdef bytes name = forced.encode(errors="replace")
    cdef const isa_t* chosen = isa_select(name) if name else isa_select(NULL)
    if not chosen:
        raise ImportError(f"TRIVALENT_ISA is {forced!r}; this machine has {', '.join(available())}")
    return chosen


cdef const isa_t* _kernels = _choose()


cdef const isa_t* kernels() noexcept nogil:
    """The kernels of the chosen instruction set."""
    return _kernels


def chosen():
    """The instruction set that the kernels use."""
    return _kernels.name.decode()
