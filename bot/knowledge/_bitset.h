/* Sets of cells of any board that we have connections for: _bitset.inc.h with four words, as
 * cells_t, cells_add(), cells_join(), ... */
#ifndef TRIVALENT_BITSET_H
#define TRIVALENT_BITSET_H

#include <stdint.h>

enum { CELL_WORDS = 4, MAX_CELLS = 64 * CELL_WORDS };

#define WORDS CELL_WORDS
#define NAME(x) cells_##x
#include "bot/knowledge/_bitset.inc.h"
#undef WORDS
#undef NAME

typedef cells_set cells_t;

#endif
