/* Fill-in by patterns: dead and captured cells of the whole board at once. */
#ifndef TRIVALENT_FILLIN_H
#define TRIVALENT_FILLIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/_isa.h"

enum { FILLIN_ROWS = 65, FILLIN_CLASSES = 3 };

/* A board as rows of bits.  The neighbours of a cell, numbered from 0 to 5, are at fixed places, so
 * that a plane shifted by a row and a bit brings one neighbour of every cell to the cell's place:
 *
 *       bit   c-1   c   c+1
 *   row r-1         0    1
 *   row r      5  cell   2
 *   row r+1    4    3
 *
 * Guard rows and bits around the cells hold the sides.  Hex 3x3, with Black's (b) and White's (w)
 * sides, and Y 3, whose sides (s) belong to both players:
 *
 *     bit   0 1 2 3 4                 bit   0 1 2 3 4
 *   row 0   w b b b w               row 0   - - - - -
 *   row 1   w . . . w               row 1   - - s . s
 *   row 2   w . . . w               row 2   - s . . s
 *   row 3   w . . . w               row 3   s . . . s
 *   row 4   w b b b w               row 4   s s s s -
 *
 * In Y every row begins one bit before the one above, so that its neighbours are those of Hex. */
typedef struct {
    int height;                    /* rows of cells, from 1; rows 0 and height + 1 are guards */
    int16_t start[FILLIN_ROWS];    /* the first cell of each row, */
    int16_t length[FILLIN_ROWS];   /* how many cells it has, */
    int16_t shift[FILLIN_ROWS];    /* and the bit of its first cell */
    uint64_t cells[FILLIN_ROWS];   /* bits that are cells */
    uint64_t side[2][FILLIN_ROWS]; /* bits that are a side of Black alone, of White alone */
    uint64_t shared[FILLIN_ROWS];  /* bits that are sides of both players */
    int has_shared;                /* whether there are any */
} fillin_board_t;

/* Fill in dead and captured cells until none is left; return the number of cells filled in.  With
 * `permanently_inferior`, also fill in permanently inferior cells: these keep the winner of this
 * position, but not necessarily of later ones, where somebody may have played next to them.  Unless
 * `inferior` is NULL, set it to 1 for every empty cell on which a stone of the side to move would
 * be dead after some reply, and to 0 for all other cells. */
typedef int fill_in_t(const fillin_board_t *board, uint8_t *stones, int to_play,
                      int permanently_inferior, uint8_t *inferior);

/* Return whether the opponent can answer a move of the side to move on an empty cell so that its
 * stone is dead, counting what he captures then.  If so, set `needs` to 2 for the cell of his
 * reply, to 1 for the cells that are filled in for it, and to 0 for all others. */
typedef int reverse_t(const fillin_board_t *board, const uint8_t *stones, int to_play, int cell,
                      uint8_t *needs);

/* Of the marked empty cells, keep marked those for which the opponent has such a reply that also
 * captures something; this misses a few.  `cells` needs room for STONES_PADDING more bytes. */
typedef void reversible_t(const fillin_board_t *board, const uint8_t *stones, int to_play,
                          uint8_t *cells);

/* Of the marked empty cells, keep marked those that another marked cell dominates: a stone of the
 * side to move on the other one would have them filled in.  From every cell that stays marked, a
 * chain of better moves leads to one that was marked and no longer is.  `cells` needs room for
 * STONES_PADDING more bytes. */
typedef void dominated_t(const fillin_board_t *board, const uint8_t *stones, int to_play,
                         uint8_t *cells);

typedef struct { /* the kernels for one row width */
    fill_in_t *fill_in;
    reverse_t *reverse;
    reversible_t *reversible;
    dominated_t *dominated;
} fillin_class_t;

typedef struct {
    fillin_class_t rows[FILLIN_CLASSES]; /* for rows of 16, 32 and 64 bits */
} fillin_kernels_t;

ISA_TABLES(fillin_kernels_t, fillin_kernels)

#endif
