/* H-search: what a colour can connect, whatever its opponent does.
 *
 * A full connection holds if the opponent moves first, a semi connection if its owner does.  Each
 * needs the cells of its carrier only.  At either end is a chain, or a side, or an empty cell, where
 * they count on a stone.  Neighbours and bridges are steps from one empty cell to another.  These
 * rules make connections of others [ANS; HAH]:
 *
 * - AND: two fulls that share no cell and meet in a chain make a full, and a full and a semi make a
 *   semi; two fulls that share no cell and meet in an empty cell, its key, make a semi;
 * - OR: semis that have no cell in common to all of them make a full;
 * - CROSS, the crossing rule: of two empty cells each has a full connection with one of two chains
 *   and a semi with the other one, and there is a semi between them; if no two of these five share a
 *   cell, the chains have a semi whose key is either cell.
 *
 * Two connections may share cells that a stone at their common end, or at the key, captures.
 *
 * In Y the sides are both players' and join nothing; who connects one point to all three sides by
 * connections that share no cell (a TRIPOD) has won, and such tripods make others by OR.
 *
 * Where that does not join the sides, some cells are tried: one of them is a KEY if with a stone there
 * a full joins them.
 *
 * Small carriers come first.  Of each two ends only some connections are kept.
 */
#ifndef TRIVALENT_HSEARCH_H
#define TRIVALENT_HSEARCH_H

#include <stdint.h>

enum {
    HSEARCH_CELLS = 256,
    HSEARCH_WORDS = 4,
    HSEARCH_CHAINS = 96, /* with the sides; what stones there are beyond is not connected */
    HSEARCH_SEMIS = 64,
};

enum { HSEARCH_BASE, HSEARCH_AND, HSEARCH_OR, HSEARCH_CROSS, HSEARCH_TRIPOD, HSEARCH_KEY };

typedef struct {
    int cells;
    const int16_t *around; /* six neighbours of each cell in their order; -1 - side for a side */
    const int16_t *far;    /* behind each neighbour and the next one: the far end of a bridge */
    int shared;            /* whether sides are both players' and there are three of them */
    int max_fulls;        /* of two points */
    int max_semis;        /* of two points, at most HSEARCH_SEMIS */
    int narrow;            /* keep fulls only if they do without a cell that all before need, */
    int alike;             /* but for so many with each side */
    int max_ors;          /* semis that are combined for a full, unless it is narrow */
    int max_size;         /* of a carrier */
    int max_between;      /* of that of two cells, -1: these are not connected but by steps */
    int over_sides;        /* whether connections may meet in a side */
    int over_chains;       /* the largest full with a cell that makes a semi longer; -1: none does */
    int captures;          /* whether connections may share what is captured */
    int crossings;         /* how often the crossing rule is tried */
    int tries;             /* of keys in Hex, where the sides are not joined */
    void *memory;
} hsearch_t;

typedef struct {
    uint64_t carrier[HSEARCH_WORDS];
    int end[2];       /* points: cells and, numbered behind them, chains: first the sides */
    int size;         /* of the carrier */
    int key;          /* of a semi: where to play; -1 for a full */
    int rule;         /* that has made it */
    int parts;        /* the number of connections that it is made of; */
    const int32_t *part; /* -1 is a step from the key */
    int next;         /* another one of the same two points and kind, or -1 */
} hsearch_link_t;

/* Return the bytes that `memory` needs on a board of so many cells. */
int64_t hsearch_bytes(int cells);
/* Find connections of a colour until the sides are joined so far: 1 by a semi, 2 by a full.  Return
 * how far they are. */
int hsearch_build(const hsearch_t *h, const uint8_t *stones, int colour, int enough);
/* Find those after some moves of either side from those of the position before, which stay as they are
 * in a memory of their own.  Of what has changed it is not known any more what it is made of. */
int hsearch_follow(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones, int enough);
/* Return how far the sides are joined. */
int hsearch_joined(const hsearch_t *h);
/* Give the carriers of the fulls, or of the semis, between the sides, and the keys of the semis, the
 * smallest one first; return their number.  With max_fulls and max_semis there is room enough. */
int hsearch_between_sides(const hsearch_t *h, int full, uint64_t (*carriers)[HSEARCH_WORDS],
                          int16_t *keys);
/* Set how much each empty cell matters for the connection of the sides, 0 for the others. */
void hsearch_currents(const hsearch_t *h, float *currents);

/* Return the colour that connections have been found of. */
int hsearch_colour(const hsearch_t *h);
/* Return the number of chains, with the sides. */
int hsearch_chains(const hsearch_t *h);
/* Return the point that a cell belongs to, -1 if it is the opponent's. */
int hsearch_point(const hsearch_t *h, int cell);
/* Return the first connection of two points, -1 if there is none. */
int hsearch_first(const hsearch_t *h, int first, int last, int full);
/* Tell of a connection by its number; return how many have been made. */
int hsearch_link(const hsearch_t *h, int number, hsearch_link_t *link);
#endif
