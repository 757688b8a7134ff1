/* The reduction of a triangle of cells, compiled once for each instruction set.
 *
 * A plane is the set of cells that one colour holds.  Each column of the triangle is a run of bits,
 * row 0 lowest; the columns lie in the lanes of a vector:
 *
 *     lane        0             1             2        ...
 *     bits     ...r2 r1 r0   ...r2 r1 r0   ...r2 r1 r0
 *              column 0      column 1      column 2
 *
 * There are four classes of planes (COLUMN_CLASSES).  Columns of 16, 32 and 64 bits have a lane each.
 * Columns of 21 bits share 64-bit lanes: lane i holds the columns i, i + 8 and i + 16.  That class
 * holds the most popular sizes beyond 15 in a single 512-bit register.  The layout is the same for
 * every instruction set. */
#ifndef TRIVALENT_REDUCTION_H
#define TRIVALENT_REDUCTION_H

#include <stdint.h>

enum {
    COLUMN_CLASSES = 4,
    /* Levels that a pyramid updates before it checks whether to stop.  The last block may run over,
     * so a pyramid needs room for LEVEL_BLOCK - 1 levels past its apex. */
    LEVEL_BLOCK = 6,
    /* Bytes that must be readable behind the stones of a board. */
    STONES_PADDING = 64,
};

/* Where the bits of one word of a plane come from: four runs of 16 consecutive cells, or three runs
 * of 21 in the class with columns of 21 bits. */
typedef struct {
    uint64_t cells;   /* the bits that are cells of the board */
    int16_t start[4]; /* the first cell of each run */
} source_t;

typedef struct {
    /* Set n words of a plane to the template (frame) and the stones of a colour, given a byte a
     * cell. */
    void (*pack)(const uint8_t *stones, int colour, const source_t *sources, int n,
                 const uint64_t *frame, uint64_t *plane);
    /* Reduce a plane in place and return its apex: 1 if the colour owns the triangle. */
    int (*reduce)(uint64_t *plane, int bytes, int columns, int levels);
    /* Reduce `count` planes that lie one after the other, without changing them. */
    void (*reduce_many)(const uint64_t *planes, int bytes, int columns, int levels, int count,
                        uint8_t *won);
    /* Compute all levels from level 0; level k begins at byte k * bytes. */
    void (*build)(uint64_t *levels_of_plane, int bytes, int levels);
    /* Flip a bit of level 0 and update the levels, up to the first one that stays the same. */
    void (*toggle)(uint64_t *levels_of_plane, int bytes, int levels, int word, uint64_t bit);
} reduction_t;

#endif
