/* Clique-cutset fill-in: dead and captured cells found in the graph on which one colour plays. */
#ifndef TRIVALENT_CUTSETS_H
#define TRIVALENT_CUTSETS_H

#include <stdint.h>

#include "bot/knowledge/_bitset.h"

enum { CUTSET_SIDES = 3 };

typedef struct {
    int cells;
    int sides;                       /* a colour has to join: 2 or 3 */
    cells_t around[MAX_CELLS];       /* the neighbours of each cell */
    uint8_t along[2][MAX_CELLS];     /* by colour: a bit for each of its sides a cell is on */
} cutset_board_t;

/* Fill in cells that are dead, or captured by the opponent of `colour`, in the graph of `colour`:
 * they get stones of the opponent.  Return the number of cells filled in.  With `cutsets`, also
 * fill in what clique cutsets cut off; see _cutsets.inc.h for the methods. */
int cutsets_fill(const cutset_board_t *board, uint8_t *stones, int colour, int cutsets);

#endif
