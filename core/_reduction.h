/* The reduction of a triangle of cells, compiled once for each instruction set.
 *
 * A plane holds the cells of one colour: column i of the triangle is lane i, row j its bit j.  The
 * lanes are 16, 32 or 64 bits wide (LANE_CLASSES), whatever is the least that holds a column.  The
 * layout is the same for every instruction set; planes need no alignment.
 */
#ifndef TRIVALENT_REDUCTION_H
#define TRIVALENT_REDUCTION_H

#include <stdint.h>

enum {
    LANE_CLASSES = 3,
    /* A pyramid needs room for LEVEL_BLOCK - 1 levels past its apex, where blocks run over. */
    LEVEL_BLOCK = 6,
};

typedef struct {
    /* Reduce a plane to its apex and return that; the plane holds nothing of use afterwards. */
    int (*reduce)(uint64_t *plane, int bytes, int columns, int levels);
    /* Compute all levels from level 0; level k begins k * bytes further on. */
    void (*build)(uint64_t *levels_of_plane, int bytes, int levels);
    /* Flip a bit of level 0 and bring the levels up to date, up to the first that stays the same. */
    void (*toggle)(uint64_t *levels_of_plane, int bytes, int levels, int word, uint64_t bit);
} reduction_t;

#endif
