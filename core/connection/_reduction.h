/* The reduction of a triangle of cells, compiled once for each instruction set.
 *
 * A plane holds the cells of one colour, a column of the triangle in a run of bits, the rows from the
 * least bit up.  There are classes for columns of 16, 21, 32 and 64 bits (COLUMN_CLASSES): lanes of
 * 16, 32 and 64 bits with a column each, and lanes of 64 bits with three columns of 21, which is what
 * the most played sizes beyond 15 fit in.  The layout is the same for every instruction set.
 */
#ifndef TRIVALENT_REDUCTION_H
#define TRIVALENT_REDUCTION_H

#include <stdint.h>

enum {
    COLUMN_CLASSES = 4,
    /* A pyramid needs room for LEVEL_BLOCK - 1 levels past its apex, where blocks run over. */
    LEVEL_BLOCK = 6,
    /* Bytes behind the stones of a board that have to be readable. */
    STONES_PADDING = 64,
};

/* Where the bits of a word of a plane lie on the board: four runs of 16 cells, each from a cell on,
 * or three of 21 in the class of that name, and which of these bits are cells at all. */
typedef struct {
    uint64_t cells;
    int16_t start[4];
} source_t;

typedef struct {
    /* Set n words of a plane to the template and the stones of a colour; a byte a cell. */
    void (*pack)(const uint8_t *stones, int colour, const source_t *sources, int n,
                 const uint64_t *frame, uint64_t *plane);
    /* Reduce a plane to its apex and return that; the plane holds nothing of use afterwards. */
    int (*reduce)(uint64_t *plane, int bytes, int columns, int levels);
    /* Reduce that many planes, one after the other in memory and left as they are. */
    void (*reduce_many)(const uint64_t *planes, int bytes, int columns, int levels, int count,
                        uint8_t *won);
    /* Compute all levels from level 0; level k begins k * bytes further on. */
    void (*build)(uint64_t *levels_of_plane, int bytes, int levels);
    /* Flip a bit of level 0 and bring the levels up to date, up to the first that stays the same. */
    void (*toggle)(uint64_t *levels_of_plane, int bytes, int levels, int word, uint64_t bit);
} reduction_t;

#endif
