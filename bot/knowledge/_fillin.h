/* Cells that can be filled in, of all the board at once. */
#ifndef TRIVALENT_FILLIN_H
#define TRIVALENT_FILLIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/_isa.h"

enum { FILLIN_ROWS = 65, FILLIN_CLASSES = 3 /* of rows of 16, 32, 64 bits */ };

/* How a board lies in rows of bits.  The first row and the one behind the last are sides.  Next to a
 * bit are those to its left and right, the one above it and the one to the right of that, the one
 * below it and the one to the left of that. */
typedef struct {
    int height;                    /* rows of cells, numbered from 1 */
    int16_t start[FILLIN_ROWS];    /* the first cell of each row */
    int16_t length[FILLIN_ROWS];   /* cells in it */
    int16_t shift[FILLIN_ROWS];    /* the bit of the first one */
    uint64_t cells[FILLIN_ROWS];   /* bits that are cells */
    uint64_t side[2][FILLIN_ROWS]; /* bits that are sides of Black's and of White's alone */
    uint64_t shared[FILLIN_ROWS];  /* bits that are sides of both, */
    int has_shared;                /* if there are any */
} fillin_board_t;

/* Give the dead and captured cells of a position stones until there are none; return how many.  With
 * more, give those stones, too, that are permanently inferior: this holds for the position itself,
 * but not for those after it, where somebody may have played beside them.  Then, unless inferior is
 * NULL, mark there the empty cells where a stone of the side to move would be dead after some reply,
 * and clear all others. */
typedef int fill_in_t(const fillin_board_t *board, uint8_t *stones, int to_play, int more,
                      uint8_t *inferior);

/* Whether the opponent has a reply to a stone of the side to move on an empty cell that makes it
 * dead, with what he captures then.  If so mark the cell of his reply by 2, those that are filled in
 * for that by 1, and all others by 0. */
typedef int reverse_t(const fillin_board_t *board, const uint8_t *stones, int to_play, int cell,
                      uint8_t *needs);

/* Of the empty cells that are marked keep those marked for which he has such a reply, with something
 * captured; all but a few of them.  There must be room for STONES_PADDING more. */
typedef void reversible_t(const fillin_board_t *board, const uint8_t *stones, int to_play,
                          uint8_t *cells);

/* Of the empty cells that are marked keep those marked to which another marked one is preferable:
 * where the side to move would get them by the other one.  From each of them better ones lead to one
 * that was marked and is no longer.  There must be as much room, too. */
typedef void dominated_t(const fillin_board_t *board, const uint8_t *stones, int to_play,
                         uint8_t *cells);

typedef struct { /* the kernels for rows of some width */
    fill_in_t *fill_in;
    reverse_t *reverse;
    reversible_t *reversible;
    dominated_t *dominated;
} fillin_class_t;

typedef struct {
    fillin_class_t rows[FILLIN_CLASSES];
} fillin_kernels_t;

ISA_TABLES(fillin_kernels_t, fillin_kernels)

#endif
