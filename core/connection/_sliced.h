/* Many boards at once, bit-sliced: a slice holds one cell of 512 boards, a bit for each board.
 *
 *     board     511 ...  3  2  1  0
 *     cell a1     0 ...  1  0  1  1     a slice: bit k is board k, a set bit is a black stone
 *     cell b1     1 ...  1  0  0  1
 *     cell c1     0 ...  0  1  0  1
 *
 * One operation on slices does the same to a cell of all boards.  Cells of the triangle have slots:
 * (column, row) is slot column * rows + row.
 *
 * A batch is 512 boards on every instruction set, so results don't depend on the machine.  Every
 * kernel can be told to use the first words of the slices only; the other words are then undefined. */
#ifndef TRIVALENT_SLICED_H
#define TRIVALENT_SLICED_H

#include <stdint.h>

#include "core/connection/_flood.h"

enum { SLICE_WORDS = 8, COUNT_BITS = 12 /* enough to count the cells of a board */ };

typedef struct {
    uint64_t word[SLICE_WORDS];
} slice_t;

/* A stream of xoshiro256++ for each word of a slice. */
typedef struct {
    slice_t s[4];
} slice_rng_t;

/* What a reduction has to visit: rows low[c] to high[c] - 1 of each column c.  The other cells never
 * change: the template alone decides them. */
typedef struct {
    int levels, columns, rows;
    const int16_t *low, *high;
} slice_shape_t;

/* A possible bridge: the cells p and q between its two ends.
 *
 *         p
 *     end   far      far is a cell, or a side of the board, which the two colours may find in
 *         q          different slots */
typedef struct {
    int16_t p, q, end, far_black, far_white;
} rhombus_t;

/* Where to reply to an intrusion into a bridge: at the other cell, if we hold both ends. */
typedef struct {
    int16_t partner, end, far;
} reply_t;

/* Where to reply to an intrusion into a 4-3-2 edge template, see edge_templates.py: at the other
 * way to the side, if we hold the stone and all other cells are empty. */
typedef struct {
    int16_t reply, stone, others[6];
    int16_t colours; /* whose side it is: bit 0 Black's, bit 1 White's */
} edge_reply_t;

typedef struct {
    /* Give n slots fair coins, on each board. */
    void (*coins)(slice_rng_t *rng, slice_t *cells, const int16_t *slots, int n, int words);
    /* Fill n empty slots one after the other, with alternating colours from a random start.  If a
     * stone intrudes into bridges of the opponent, the opponent replies in one of them at once; the
     * search for it starts at a place that is as random as the order of the slots.  The possible
     * replies to a stone in slot s are replies[first[s]] to replies[first[s + 1] - 1].  black and
     * white hold the stones of each colour; a side that belongs to both is in both.  If last isn't
     * negative, the stone in that slot has just been played.
     *
     * With edge_replies, a stone that isn't answered in a bridge is answered in an edge template
     * that it intrudes into, found in the same way by first_edge.
     *
     * With weights, 0 to 16 for each slot, a stone is black with that chance in sixteenths.  The
     * random number that decides on a slot, complemented, decides on the next one: colours balance,
     * and with weights of 8 they alternate. */
    void (*fill)(slice_rng_t *rng, slice_t *black, slice_t *white, const int16_t *slots, int n,
                 const uint8_t *weights, const reply_t *replies, const int32_t *first,
                 const edge_reply_t *edge_replies, const int32_t *first_edge, int last, int words);
    /* Recolour stones until each board has `black` black ones in the n slots.  The first stones of
     * the colour in excess change, so the slots must be in random order. */
    void (*balance)(slice_t *cells, const int16_t *slots, int n, int black, int words);
    /* If a colour holds both ends of a pair and the opponent holds both its cells, give one of the
     * cells back, at random, with probability chance / 256. */
    void (*repair)(slice_rng_t *rng, slice_t *cells, const rhombus_t *pairs, int n, int chance,
                   int words);
    /* Write to wins the boards that Black wins.  cells stays as it is, work is scratch; both must
     * hold the template. */
    void (*reduce)(const slice_t *cells, slice_t *work, const slice_shape_t *shape, slice_t *wins,
                   int words);
    /* The same for boards that can't be reduced, whose slots are the cells: write to wins the boards
     * on which a colour has won, whose stones are in cells, if the opponent gets all other cells.
     * work is scratch for two slices per node. */
    void (*flood)(const slice_t *cells, slice_t *work, const flood_t *flood, int colour,
                  slice_t *wins, int words);
    /* For each of n slots, add to owned the number of boards in which Black owns the cell, and to won
     * the number of those that are in wins.  Only boards in the mask and in the first words count. */
    void (*count)(const slice_t *cells, const int16_t *slots, int n, const slice_t *wins,
                  const slice_t *mask, int64_t *owned, int64_t *won, int words);
} sliced_t;

#endif
