/* H-search: which points a colour can connect, whatever its opponent does.
 *
 * A full connection holds even if the opponent moves first, a semi connection if its owner moves
 * first.  Each needs only the cells of its carrier.  Its ends are chains, sides of the board, or
 * empty cells, which then count as the owner's stones.  Steps lead from one empty cell to another:
 * to a neighbour, or by a bridge.  These rules make connections out of others [ANS; HAH]:
 *
 * - AND: two fulls with disjoint carriers that meet in a chain make a full; a full and a semi make
 *   a semi.  Two fulls with disjoint carriers that meet in an empty cell make a semi, whose key is
 *   that cell.
 * - OR: semis whose carriers have no cell common to all make a full.
 * - CROSS, the crossing rule: each of two empty cells has a full to one of two chains and a semi to
 *   the other, and there is a semi between the cells.  If no two of these five carriers share a
 *   cell, the chains have a semi, and either cell is its key.
 *
 * Two connections may share cells that a stone on their common end, or on the key, captures.
 *
 * In Y the sides belong to both players and join nothing.  A player who connects a point to all
 * three sides by disjoint connections (a TRIPOD) has won; such tripods make others by OR.
 *
 * Where the rules don't join the sides, the search probes some cells: a cell is a KEY if, with a
 * stone on it, a full joins the sides.
 *
 * Small carriers come first.  For each pair of points only some connections are kept. */
#ifndef TRIVALENT_HSEARCH_H
#define TRIVALENT_HSEARCH_H

#include <stdint.h>

#include "bot/knowledge/_bitset.h"

enum {
    HSEARCH_CHAINS = 96, /* at most, with the sides; stones of further chains aren't connected */
    HSEARCH_SEMIS = 64, /* at most, between two points */
};

enum { HSEARCH_BASE, HSEARCH_AND, HSEARCH_OR, HSEARCH_CROSS, HSEARCH_TRIPOD, HSEARCH_KEY };

typedef struct { /* a board, the limits of the search, and its memory */
    int cells;
    const int16_t *around; /* the six neighbours of each cell in order; -1 - side for a side */
    const int16_t *far;    /* beyond each neighbour and the next one: the far end of a bridge */
    int shared;            /* whether there are three sides that belong to both players, as in Y */
    int max_fulls;         /* between two points */
    int max_semis;         /* between two points, at most HSEARCH_SEMIS */
    int greedy_fulls;      /* keep a further full only if it avoids a cell that all others need, */
    int max_equal_fulls;   /* except for this number of fulls between a point and a side */
    int max_ors;           /* semis that OR combines, unless greedy_fulls is set */
    int max_size;          /* cells of a carrier */
    int max_between;       /* cells of a carrier between two cells; -1: only steps connect cells */
    int and_over_edge;     /* whether AND may join connections that meet in a side */
    int max_extension;     /* cells of a full to a cell that AND may append to a semi over a chain;
                              -1: none */
    int share_captured;    /* whether connections may share captured cells */
    int crossing_rounds;   /* how often the crossing rule is applied to all connections */
    int key_probes;        /* cells probed as keys in Hex, if the sides aren't joined */
    void *memory;          /* hsearch_bytes(cells) bytes */
} hsearch_t;

typedef struct { /* a connection */
    cells_t carrier;
    int end[2];          /* points: cells, and chains, numbered after them with the sides first */
    int size;            /* cells of the carrier */
    int key;             /* of a semi: where its owner plays first; -1 for a full */
    int rule;            /* the rule that made it */
    int parts;           /* how many connections it is made of, */
    const int32_t *part; /* and their numbers; -1 is a step from the key */
    int next;            /* another connection of the same kind between the same points, or -1 */
} hsearch_link_t;

/* How a network of resistors is made of connections.  The conductance is 1 between neighbours, and 2
 * for the fulls between a chain and a cell.  Where all connections between two points need n common
 * cells, or a bridge two, it is divided by 1 + n or 3. */
typedef struct {
    int bridges;   /* whether bridges between empty cells conduct */
    double cells;  /* the conductance, divided likewise, of other fulls between two empty cells, */
    double semis;  /* of the semis between a chain and a cell that no full connects, */
    double chains; /* and of the fulls between two chains */
} hsearch_wires_t;

#define HSEARCH_CONTACT 1e6 /* the conductance between a chain and a side of Y that it touches */

/* Return the size of `memory` for a board, in bytes. */
int64_t hsearch_bytes(int cells);
/* Find connections of a colour until the sides are joined as far as `enough`: 1 by a semi, 2 by a
 * full, 3 never.  Return how far they are joined: 0, 1 or 2. */
int hsearch_build(const hsearch_t *h, const uint8_t *stones, int colour, int enough);
/* Find the connections after further moves of either side, starting from those of an earlier
 * position, which stays as it is and has memory of its own.  Connections that the moves changed no
 * longer know their parts.  Return how far the sides are joined. */
int hsearch_follow(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones, int enough);
/* Return how far the sides are joined: 0, 1 by a semi, or 2 by a full. */
int hsearch_joined(const hsearch_t *h);
/* Copy the carriers of the fulls (or of the semis, with their keys) between the sides, the smallest
 * first; return their number.  The arrays need room for max_fulls (max_semis) elements. */
int hsearch_between_sides(const hsearch_t *h, int full, cells_t *carriers,
                          int16_t *keys);
/* Return the resistance between the sides in the network of the connections (see _resistance.h), and
 * set the current through each empty cell: how much it matters.  Other cells get 0. */
double hsearch_resistance(const hsearch_t *h, const hsearch_wires_t *wires, float *currents);

/* Return the colour that was searched for. */
int hsearch_colour(const hsearch_t *h);
/* Return the number of chains, including the sides. */
int hsearch_chains(const hsearch_t *h);
/* Return the point that a cell belongs to, or -1 for an opponent's stone. */
int hsearch_point(const hsearch_t *h, int cell);
/* Return the number of the first connection between two points, or -1. */
int hsearch_first(const hsearch_t *h, int first, int last, int full);
/* Look up a connection by its number; return how many have been made. */
int hsearch_link(const hsearch_t *h, int number, hsearch_link_t *link);
#endif
