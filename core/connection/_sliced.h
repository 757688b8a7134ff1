/* Many boards at once, bit-sliced: bit k of a cell's slice belongs to board k.
 *
 * A block is 512 boards on every instruction set, so that results do not depend on it; every kernel
 * can do with its first words only, and what the others then hold means nothing.  The cells of the
 * triangle lie in slots: slot column * rows + row.  A set bit is a Black stone.
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

/* Where to reply when the opponent enters a bridge: at its other cell, if both ends are ours. */
typedef struct {
    int16_t partner, end, far;
} reply_t;

typedef struct {
    /* A fair coin for each of n slots and each board. */
    void (*coins)(slice_rng_t *rng, slice_t *cells, const int16_t *slots, int n, int words);
    /* Fill n empty slots one after the other, the colours by coins that alternate, and let the
     * opponent of each stone answer at once if it enters a bridge: one answer to a stone, the first
     * found from a place on that is as random as the order.  The replies to a stone on slot s are
     * replies[first[s]] and so on up to first[s + 1].  black and white hold the stones of either
     * colour, sides of both in both.  If last is not negative, the stone there has just been
     * played. */
    void (*fill)(slice_rng_t *rng, slice_t *black, slice_t *white, const int16_t *slots, int n,
                 const reply_t *replies, const int32_t *first, int last, int words);
    /* Recolour stones until each board has the given number of Black ones in the n slots.  Those of
     * the excess colour that come first change; the slots must be in random order. */
    void (*balance)(slice_t *cells, const int16_t *slots, int n, int black, int words);
    /* With probability chance / 256, give one of a pair, by a coin, to the colour that holds both
     * ends while the other holds the pair. */
    void (*repair)(slice_rng_t *rng, slice_t *cells, const rhombus_t *pairs, int n, int chance,
                   int words);
    /* Reduce cells, which stay as they are, by way of work, to the boards that Black wins.  Both
     * must hold the template. */
    void (*reduce)(const slice_t *cells, slice_t *work, const slice_shape_t *shape, slice_t *wins,
                   int words);
    /* Add to owned and won, for each of n slots, the boards in which Black has the cell, and those
     * of them that are in wins; only the boards of the mask count, and none beyond the words. */
    void (*count)(const slice_t *cells, const int16_t *slots, int n, const slice_t *wins,
                  const slice_t *mask, int64_t *owned, int64_t *won, int words);
} sliced_t;

#endif
