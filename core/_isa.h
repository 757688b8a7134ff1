/* The instruction sets that kernels are compiled for, and how a room declares its kernels. */
#ifndef TRIVALENT_ISA_H
#define TRIVALENT_ISA_H

#include <stddef.h>

#define JOIN3_(a, b, c) a##b##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)

/* Return the name of an instruction set by its index, the plainest first.  Return NULL if the machine
 * lacks it or the index is beyond the last one. */
const char *isa_name(int index);

/* A file of kernels is compiled once for each instruction set.  The build defines ISA, its identifier,
 * and WIDTH, the bytes of a vector.  The file defines one table of functions, `const type
 * ISA_TABLE(name) = {...}`.  Its header declares all these tables with ISA_TABLES(type, name), which
 * also defines name(index), the table for an instruction set. */
#define ISA_TABLE(name) JOIN3(name, _, ISA)
#if defined(__x86_64__)
#define ISA_TABLES(type, name)                                                                     \
    extern const type name##_baseline, name##_x86_64_v3, name##_x86_64_v4;                         \
    static inline const type *name(int index) {                                                    \
        return index == 0 ? &name##_baseline : index == 1 ? &name##_x86_64_v3 : &name##_x86_64_v4; \
    }
#else
#define ISA_TABLES(type, name)                                                                     \
    extern const type name##_baseline;                                                             \
    static inline const type *name(int index) { return index == 0 ? &name##_baseline : NULL; }
#endif

#endif
