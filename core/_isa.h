/* The kernels of one instruction set, and the choice among them. */
#ifndef TRIVALENT_ISA_H
#define TRIVALENT_ISA_H

#include "core/_fillin.h"
#include "core/_moves.h"
#include "core/connection/_reduction.h"
#include "core/connection/_sliced.h"

typedef struct {
    const char *name;
    reduction_t columns[COLUMN_CLASSES]; /* of 16, 21, 32, 64 bits */
    sliced_t sliced;
    fill_in_t *fill_in[FILLIN_CLASSES];
    reverse_t *reverse[FILLIN_CLASSES];
    reversible_t *reversible[FILLIN_CLASSES];
    dominated_t *dominated[FILLIN_CLASSES];
    moves_kernels_t moves;
} isa_t;

/* The best instruction set of this machine, or the one named; NULL if the machine lacks it. */
const isa_t *isa_select(const char *name);
/* The instruction sets that this machine has, the plainest first; NULL past the last one. */
const isa_t *isa_available(int index);

#endif
