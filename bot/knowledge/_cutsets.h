/* Cells that can be filled in for what the whole board looks like from one colour's side. */
#ifndef TRIVALENT_REGIONS_H
#define TRIVALENT_REGIONS_H

#include <stdint.h>

enum { REGIONS_CELLS = 256, REGIONS_WORDS = REGIONS_CELLS / 64, REGIONS_SIDES = 3 };

typedef struct {
    int cells;
    int sides;                                     /* that a colour has to join: 2 or 3 */
    uint64_t around[REGIONS_CELLS][REGIONS_WORDS]; /* the neighbours of each cell */
    uint8_t along[2][REGIONS_CELLS]; /* by colour: a bit for each of its sides that a cell is on */
} regions_board_t;

/* Give the opponent of a colour the cells that are dead, or that he captures by making them dead;
 * return how many.  The methods are those of _cutsets.inc.h; cutsets are looked for if wanted. */
int regions_fill(const regions_board_t *board, uint8_t *stones, int colour, int cutsets);

#endif
