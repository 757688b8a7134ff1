/* The kernels of one instruction set, and the choice among them. */
#ifndef TRIVALENT_ISA_H
#define TRIVALENT_ISA_H

#include "_reduction.h"
#include "_sliced.h"

/* A run of cells whose places follow each other in a column of the triangle. */
typedef struct {
    int16_t cell, count, word, shift;
} run_t;

typedef struct {
    const char *name;
    reduction_t columns[COLUMN_CLASSES]; /* of 16, 21, 32, 64 bits */
    /* Add the stones of a colour to a plane.  Of stones, a byte a cell, STONES_PADDING more bytes are
     * read than there are cells. */
    void (*pack)(const uint8_t *stones, int colour, const run_t *runs, int n, uint64_t *plane);
    sliced_t sliced;
} isa_t;

enum { STONES_PADDING = 64 };

/* The best instruction set of this machine, or the one named; NULL if the machine lacks it. */
const isa_t *isa_select(const char *name);
/* The instruction sets that this machine has, the plainest first; NULL past the last one. */
const isa_t *isa_available(int index);

#endif
