/* H-search between all points of a position: what a colour can connect, whatever happens.
 *
 * A point is an empty cell, a chain of stones, or a side with the stones connected to it.  A full
 * connection of two points holds if the opponent moves first, a semi connection if its owner does;
 * either needs the cells of its carrier only.  Two fulls that share no cell make a full if they
 * meet in a chain, and a semi if they meet in an empty cell, its key.  Semis that have no cell in
 * common to all of them make a full.
 */
#ifndef TRIVALENT_HSEARCH_H
#define TRIVALENT_HSEARCH_H

#include <stdint.h>

enum { HSEARCH_CELLS = 256, HSEARCH_WORDS = 4, HSEARCH_SEMIS = 24 };

typedef struct {
    int cells;
    const int16_t *around; /* six neighbours of each cell in their order; -1 - side for a side */
    int most_fulls;        /* of two points */
    int most_semis;        /* at most HSEARCH_SEMIS */
    int most_size;         /* of a carrier */
    int most_between;      /* of the carrier of two empty cells */
    int most_ors;          /* semis that are combined for a full */
    void *memory;
} hsearch_all_t;

/* Return the bytes that `memory` needs on a board of so many cells. */
int64_t hsearch_bytes(int cells);
/* Find connections of a colour until the sides are joined so far: 1 by a semi, 2 by a full.  Return
 * how far they are. */
int hsearch_find(const hsearch_all_t *h, const uint8_t *stones, int colour, int enough);
/* Give the carriers of the fulls, or of the semis, between the sides, and the keys of the semis, the
 * smallest one first; return their number. */
int hsearch_between_sides(const hsearch_all_t *h, int full, uint64_t (*carriers)[HSEARCH_WORDS],
                          int16_t *keys);
/* Set how much each empty cell matters for the connection of the sides, 0 for the others. */
void hsearch_currents(const hsearch_all_t *h, float *currents);
#endif
