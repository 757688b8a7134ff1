"""Which instruction set the kernels use: the machine's best, or what TRIVALENT_ISA names."""
import os

cdef extern from "core/_isa.h" nogil:
    const char* isa_name(int index)

cdef extern from "core/_kernels.h" nogil:
    const core_kernels_t* core_kernels(int isa)


def available():
    """Return the compiled instruction sets that this machine has, the best one last."""
    cdef int i = 0
    names = []
    while isa_name(i):
        names.append(isa_name(i).decode())
        i += 1
    return tuple(names)


cdef int _choose() except -1:
    names = available()
    name = os.environ.get("TRIVALENT_ISA", "") or names[len(names) - 1]
    if name not in names:
        raise ImportError(f"TRIVALENT_ISA must be one of {', '.join(names)}, not {name!r}")
    return names.index(name)


cdef int _index = _choose()


cdef int isa_index() noexcept nogil:
    """Return the index of the chosen instruction set, for rooms with kernels of their own."""
    return _index


cdef const core_kernels_t* kernels() noexcept nogil:
    """Return the kernels of core for the chosen instruction set."""
    return core_kernels(_index)


def chosen():
    """Return the name of the instruction set that the kernels use."""
    return isa_name(_index).decode()
