/* Who has won on 512 boards at once, by bit-sliced flood fill, on boards that can't be reduced.
 *
 * A node is a cell, or one of the two polygons of a cell where a loop wins: node c and node c + cells
 * belong to cell c. */
#ifndef TRIVALENT_FLOOD_H
#define TRIVALENT_FLOOD_H

#include <stdint.h>

enum { AIM_JOIN, AIM_LOOP, AIM_SCORE }; /* as `Aim` of core/board.py */

enum { MAX_SEEDS = 128 };

typedef struct {
    int aim, cells, nodes;
    const int32_t *first; /* the neighbours of node v: neighbours[first[v]] to [first[v + 1] - 1] */
    const int16_t *neighbours;
    const uint8_t *touches; /* for each cell, the sides that it touches, a bit for each */
    uint8_t goal[2];        /* the sides that each colour has to join */
    const int16_t *seeds;   /* loop: cells of which every loop has one; score: the border in order */
    int seed_count;
    const uint8_t *is_corner; /* for each cell */
} flood_t;

#endif
