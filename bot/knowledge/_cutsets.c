/* Clique-cutset fill-in, compiled for sets of one, two and four words. */
#include "bot/knowledge/_cutsets.h"
#include "core/_colours.h"

#include "core/_colours.h"

#include <string.h>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(x) JOIN(x, WORDS)

#define WORDS 1
#include "bot/knowledge/_cutsets.inc.h"
#define WORDS 2
#include "bot/knowledge/_cutsets.inc.h"
#define WORDS 4
#include "bot/knowledge/_cutsets.inc.h"

int cutsets_fill(const cutset_board_t *board, uint8_t *stones, int colour, int cutsets) {
    return (board->cells <= 64    ? fill_1
            : board->cells <= 128 ? fill_2
                                  : fill_4)(board, stones, colour, cutsets);
}
