/* The kernels of core, one table for each instruction set. */
#ifndef TRIVALENT_KERNELS_H
#define TRIVALENT_KERNELS_H

#include <stddef.h>

#include "core/_isa.h"
#include "core/connection/_flood.h"
#include "core/connection/_reduction.h"
#include "core/connection/_sliced.h"

typedef struct {
    reduction_t columns[COLUMN_CLASSES]; /* for columns of 16, 21, 32 and 64 bits */
    sliced_t sliced;
} core_kernels_t;

ISA_TABLES(core_kernels_t, core_kernels)

#endif
