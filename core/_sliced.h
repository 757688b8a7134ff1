/* Many boards at once, bit-sliced: bit k of a cell's slice belongs to board k.
 *
 * A block is 512 boards on every instruction set, so that results do not depend on it.  The cells of
 * the triangle lie in slots: slot column * rows + row.  A set bit is a Black stone.
 */
#ifndef TRIVALENT_SLICED_H
#define TRIVALENT_SLICED_H

#include <stdint.h>

enum { SLICE_WORDS = 8, SLICE_BITS = 12 /* of a count of cells */ };

typedef struct {
    uint64_t word[SLICE_WORDS];
} slice_t;

/* One stream of xoshiro256++ for each word of a slice. */
typedef struct {
    slice_t s[4];
} slice_rng_t;

/* What a reduction has to visit: rows low[c] .. high[c] - 1 of each column; all else is constant. */
typedef struct {
    int levels, columns, rows;
    const int16_t *low, *high;
} slice_shape_t;

/* Two cells next to each other, and what lies on either side of the pair: a cell or a side, which
 * may look different to the two colours. */
typedef struct {
    int16_t p, q, end, far_black, far_white;
} rhombus_t;

typedef struct {
    /* A fair coin for each of n slots and each board. */
    void (*coins)(slice_rng_t *rng, slice_t *cells, const int16_t *slots, int n);
    /* Recolour stones until each board has the given number of Black ones in the n slots.  Those of
     * the excess colour that come first change; the slots must be in random order. */
    void (*balance)(slice_t *cells, const int16_t *slots, int n, int black);
    /* With probability chance / 256, give one of a pair, by a coin, to the colour that holds both
     * ends while the other holds the pair. */
    void (*repair)(slice_rng_t *rng, slice_t *cells, const rhombus_t *pairs, int n, int chance);
    /* Reduce cells, which stay as they are, by way of work, to the boards that Black wins.  Both
     * must hold the template. */
    void (*reduce)(const slice_t *cells, slice_t *work, const slice_shape_t *shape, slice_t *wins);
    /* Add to owned and won, for each of n slots, the boards in which Black has the cell, and those
     * of them that are in wins; only the boards of the mask count. */
    void (*count)(const slice_t *cells, const int16_t *slots, int n, const slice_t *wins,
                  const slice_t *mask, int64_t *owned, int64_t *won);
} sliced_t;

#endif
