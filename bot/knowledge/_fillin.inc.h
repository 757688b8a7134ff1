/* Fill-in by patterns for boards whose rows have BITS bits.  _fillin_kernels.c includes this header
 * three times, once per row width.
 *
 * A plane holds one bit per cell and guard bit: stones of a colour, empty cells, or shared sides.
 * The kernels work on a PART of a plane at a time, a vector of consecutive rows that starts at any
 * row:
 *
 *      plane     row 0 | row 1 | row 2 | row 3 | row 4 | ...
 *      PART at 1         [row 1   row 2   row 3   row 4 ]
 *      PART at 1 - 1 [row 0   row 1   row 2   row 3 ]        the rows above: neighbours 0 and 1
 *
 * So one shifted load fetches the same neighbour of all cells of a PART; see _fillin.h for the
 * neighbours' numbers and the guard bits. */
#define NAME(x) JOIN3(x, _, BITS)
#define ROW JOIN3(uint, BITS, _t)
#define PART NAME(rows_part)
#define ROWS(plane, row) (*(const PART *)(const void *)((plane) + (row)))
#define ROWS_OF(plane, row) (*(PART *)(void *)((plane) + (row)))

typedef ROW PART __attribute__((vector_size(VECTOR), aligned(BITS / 8), may_alias));

#include "bot/knowledge/_fillin_patterns.inc.h"

typedef struct { /* the kernels also read rows before and after the board, which are empty */
    ROW rows[CARRIER + FILLIN_ROWS + VECTOR / (BITS / 8) + CARRIER];
} NAME(plane);

/* Return whether any row of a part has a bit set. */
static ALWAYS_INLINE int NAME(any_row)(PART x) {
    ROW all = 0;
    for (int i = 0; i < (int)(VECTOR / sizeof(ROW)); i++) all |= x[i];
    return all != 0;
}

/* Shift a plane so that bit c of ring[i] is neighbour i of the cell at bit c. */
static ALWAYS_INLINE void NAME(ring)(const ROW *plane, PART *ring) {
    ring[0] = ROWS(plane, -1);
    ring[1] = ROWS(plane, -1) >> 1;
    ring[2] = ROWS(plane, 0) >> 1;
    ring[3] = ROWS(plane, 1);
    ring[4] = ROWS(plane, 1) << 1;
    ring[5] = ROWS(plane, 0) << 1;
}

/* Return the cells that are dead, given the own stones x, the other stones o and the shared sides s
 * (or NULL) around them. */
static ALWAYS_INLINE PART NAME(dead_within)(const PART *x, const PART *o, const PART *s) {
    PART dead = NAME(dead)(x[0], x[1], x[2], x[3], x[4], x[5], o[0], o[1], o[2], o[3], o[4], o[5]);
    if (s)
        dead |= NAME(dead_beside)(x[0], x[1], x[2], x[3], x[4], x[5], o[0], o[1], o[2], o[3], o[4],
                                  o[5], s[0], s[1], s[2], s[3], s[4], s[5]);
    return dead;
}

/* Return the cells of a part that are dead. */
static ALWAYS_INLINE PART NAME(dead_cells)(const ROW *own, const ROW *other, const ROW *shared,
                                           int row) {
    PART x[6], o[6], s[6];
    NAME(ring)(own + row, x);
    NAME(ring)(other + row, o);
    if (shared) NAME(ring)(shared + row, s);
    return NAME(dead_within)(x, o, shared ? s : NULL);
}

/* Give a player the cells that he gains.  Return whether there are any. */
static int NAME(apply_gain)(ROW *own, ROW *empty, const ROW *gain, int height) {
    const int step = VECTOR / sizeof(ROW);
    PART any = {0};
    for (int row = 1; row <= height; row += step) any |= ROWS(gain, row);
    if (!NAME(any_row)(any)) return 0;
    for (int row = 1; row <= height; row += step) {
        ROWS_OF(own, row) |= ROWS(gain, row);
        ROWS_OF(empty, row) &= ~ROWS(gain, row);
    }
    return 1;
}

/* Give a player the cells that he captures and, with `dead`, all dead cells.  Return whether there
 * are any. */
static int NAME(fill_round)(ROW *own, ROW *other, ROW *empty, const ROW *shared, ROW *gain,
                            int height, int dead) {
    const int step = VECTOR / sizeof(ROW);
    memset(gain, 0, (height + step + CARRIER) * sizeof(ROW));
    for (int row = 1; row <= height; row += step)
        NAME(capture)(own + row, other + row, empty + row, gain + row);
    for (int row = 1; shared && row <= height; row += step)
        NAME(capture_beside)(own + row, other + row, shared + row, empty + row, gain + row);
    for (int row = 1; dead && row <= height; row += step)
        ROWS_OF(gain, row) |= ROWS(empty, row) & NAME(dead_cells)(own, other, shared, row);
    return NAME(apply_gain)(own, empty, gain, height);
}

/* Give a player the cells that are permanently inferior for the other.  Return whether there are
 * any. */
static int NAME(fill_inferior)(ROW *own, ROW *other, ROW *empty, const ROW *shared, ROW *gain,
                               int height) {
    const int step = VECTOR / sizeof(ROW);
    memset(gain, 0, (height + step + CARRIER) * sizeof(ROW));
    for (int row = 1; row <= height; row += step) {
        NAME(inferior)(own + row, other + row, empty + row, gain + row);
        if (shared)
            NAME(inferior_beside)(own + row, other + row, shared + row, empty + row, gain + row);
    }
    return NAME(apply_gain)(own, empty, gain, height);
}

/* Return the empty cells on which a stone of `own` would be dead once the opponent has replied on
 * one of their neighbours. */
static ALWAYS_INLINE PART NAME(killed)(const ROW *own, const ROW *other, const ROW *shared,
                                       const ROW *empty, int row) {
    PART x[6], o[6], s[6], e[6], found = {0};
    NAME(ring)(own + row, x);
    NAME(ring)(other + row, o);
    NAME(ring)(empty + row, e);
    if (shared) NAME(ring)(shared + row, s);
    for (int i = 0; i < 6; i++) {
        PART was = o[i];
        o[i] |= e[i];
        found |= NAME(dead_within)(x, o, shared ? s : NULL);
        o[i] = was;
    }
    return found & ROWS(empty, row);
}

/* Load a row of a plane from the stones of one colour. */
static ROW NAME(row_of)(const fillin_board_t *board, const uint8_t *stones, int colour, int row) {
    uint64_t bits = 0;
    for (int at = 0; at < board->length[row]; at += 16)
        bits |= cells_of(stones + board->start[row] + at, colour) << at;
    return (ROW)(bits << board->shift[row] & board->cells[row]);
}

typedef struct { /* a position as planes */
    NAME(plane) planes[5];
    ROW *held[2], *empty, *gain, *shared;
} NAME(view);

/* Load a position.  The sides count as stones of their owners. */
static void NAME(load)(NAME(view) *v, const fillin_board_t *board, const uint8_t *stones) {
    const int height = board->height, step = VECTOR / sizeof(ROW);
    const size_t bytes = (CARRIER + height + 2 + step + CARRIER) * sizeof(ROW);
    v->empty = v->planes[2].rows + CARRIER;
    v->gain = v->planes[3].rows + CARRIER;
    v->shared = NULL;
    for (int i = 0; i < 3; i++) memset(v->planes[i].rows, 0, bytes);
    for (int i = 0; i < 2; i++) {
        v->held[i] = v->planes[i].rows + CARRIER;
        v->held[i][0] = (ROW)board->side[i][0];
        v->held[i][height + 1] = (ROW)board->side[i][height + 1];
        for (int row = 1; row <= height; row++)
            v->held[i][row] = (ROW)board->side[i][row] | NAME(row_of)(board, stones, i + 1, row);
    }
    for (int row = 1; row <= height; row++)
        v->empty[row] = (ROW)board->cells[row] & ~(v->held[0][row] | v->held[1][row]);
    if (board->has_shared) {
        v->shared = v->planes[4].rows + CARRIER;
        memset(v->planes[4].rows, 0, bytes);
        for (int row = 0; row <= height + 1; row++) v->shared[row] = (ROW)board->shared[row];
    }
}

/* See fill_in_t. */
static int NAME(fill_in)(const fillin_board_t *board, uint8_t *stones, int to_play,
                         int permanently_inferior, uint8_t *inferior) {
    const int height = board->height, step = VECTOR / sizeof(ROW);
    NAME(view) v;
    const ROW *own, *other;
    int filled = 0;
    NAME(load)(&v, board, stones);
    own = v.held[colour_index(to_play)];
    other = v.held[colour_index(opponent(to_play))];
    for (int changed = 1; changed;) {
        changed = NAME(fill_round)(v.held[0], v.held[1], v.empty, v.shared, v.gain, height, 0);
        changed |= NAME(fill_round)(v.held[1], v.held[0], v.empty, v.shared, v.gain, height, 1);
        for (int i = 0; i < 2 && permanently_inferior && !changed; i++)
            changed = NAME(fill_inferior)(v.held[i], v.held[1 - i], v.empty, v.shared, v.gain,
                                          height);
    }
    for (int row = 1; row <= height; row++) {
        uint8_t *first = stones + board->start[row];
        for (int i = 0; i < 2; i++) {
            ROW fill = v.held[i][row] & (ROW)board->cells[row] &
                       ~NAME(row_of)(board, stones, i + 1, row);
            for (; fill; fill &= fill - 1) {
                first[__builtin_ctzll(fill) - board->shift[row]] = (uint8_t)(i + 1);
                filled++;
            }
        }
    }
    if (inferior)
        for (int row = 1; row <= height; row += step)
            ROWS_OF(v.gain, row) = NAME(killed)(own, other, v.shared, v.empty, row);
    for (int row = 1; inferior && row <= height; row++)
        for (int i = 0; i < board->length[row]; i++)
            inferior[board->start[row] + i] = v.gain[row] >> (board->shift[row] + i) & 1;
    return filled;
}

/* Return whether one cell is dead. */
static int NAME(is_dead)(const NAME(view) *v, int row, int bit) {
    return NAME(dead_cells)(v->held[0], v->held[1], v->shared, row)[0] >> bit & 1;
}

/* Return the bit of a cell in its row, or 0 if there is no such cell. */
static inline ROW NAME(bit)(const fillin_board_t *board, int row, int bit) {
    if (row < 1 || row > board->height || bit < 0 || bit >= BITS) return 0;
    return (ROW)((uint64_t)1 << bit);
}

/* Copy a position; the copy shares the plane of shared sides. */
static void NAME(copy)(NAME(view) *to, const NAME(view) *from, const fillin_board_t *board) {
    const size_t bytes = (2 * CARRIER + board->height + 2 + VECTOR / sizeof(ROW)) * sizeof(ROW);
    for (int i = 0; i < 3; i++) memcpy(to->planes[i].rows, from->planes[i].rows, bytes);
    to->held[0] = to->planes[0].rows + CARRIER;
    to->held[1] = to->planes[1].rows + CARRIER;
    to->empty = to->planes[2].rows + CARRIER;
    to->gain = to->planes[3].rows + CARRIER;
    to->shared = from->shared;
}

/* Give the side that isn't to move what it captures, and all dead cells.  Return whether there are
 * any. */
static int NAME(fill)(NAME(view) *v, const fillin_board_t *board, int to_play) {
    return NAME(fill_round)(v->held[colour_index(opponent(to_play))],
                            v->held[colour_index(to_play)], v->empty, v->shared, v->gain,
                            board->height, 1);
}

/* Put a stone on an empty cell. */
static void NAME(put)(NAME(view) *v, int colour, int row, int bit) {
    ROW stone = (ROW)((uint64_t)1 << bit);
    v->held[colour_index(colour)][row] |= stone;
    v->empty[row] &= ~stone;
}

/* Return whether a stone of the side to move is dead once the other side has replied.  If so, `v`
 * holds everything that the other side needs for it. */
static int NAME(kills)(NAME(view) *v, const fillin_board_t *board, int to_play, int row, int bit,
                       int reply_row, int reply_bit) {
    NAME(put)(v, to_play, row, bit);
    NAME(put)(v, opponent(to_play), reply_row, reply_bit);
    while (!NAME(is_dead)(v, row, bit))
        if (!NAME(fill)(v, board, to_play)) return 0;
    return 1;
}

/* See reverse_t: try every empty cell nearby as the reply. */
static int NAME(reverse)(const fillin_board_t *board, const uint8_t *stones, int to_play, int cell,
                         uint8_t *needs) {
    NAME(view) before, v;
    int row = 1, bit;
    NAME(load)(&before, board, stones);
    while (cell >= board->start[row] + board->length[row]) row++;
    bit = cell - board->start[row] + board->shift[row];
    for (int i = 0; i < NEAR; i++) {
        int at = row + near[i].rows, column = bit + near[i].columns;
        if (!(NAME(bit)(board, at, column) & before.empty[at])) continue;
        NAME(copy)(&v, &before, board);
        if (!NAME(kills)(&v, board, to_play, row, bit, at, column)) continue;
        const ROW *his = v.held[colour_index(opponent(to_play))];
        for (int j = 1; j <= board->height; j++)
            for (int k = 0; k < board->length[j]; k++)
                needs[board->start[j] + k] =
                    (before.empty[j] & his[j]) >> (board->shift[j] + k) & 1;
        needs[board->start[at] + column - board->shift[at]] = 2;
        return 1;
    }
    return 0;
}

/* Load a plane, given by its memory, with the marked ones among the empty cells. */
static void NAME(load_moves)(const NAME(view) *v, const fillin_board_t *board, const uint8_t *cells,
                             ROW *rows) {
    memset(rows, 0, (2 * CARRIER + board->height + 2 + VECTOR / sizeof(ROW)) * sizeof(ROW));
    for (int row = 1; row <= board->height; row++)
        rows[CARRIER + row] = v->empty[row] & NAME(row_of)(board, cells, 1, row);
}

/* Find the cells that a colour would have filled in after one more stone.  `moves` are the cells
 * where it may put that stone; worse[i] gets the cells for which a stone on their near[i] does it.
 * Only carriers of one or two cells are tried; larger ones would add next to nothing. */
static void NAME(find_worse)(const NAME(view) *v, int colour, int height, const ROW *moves,
                             NAME(plane) worse_planes[NEAR], ROW *worse[NEAR]) {
    const ROW *own = v->held[colour_index(colour)];
    const ROW *other = v->held[colour_index(opponent(colour))];
    const int step = VECTOR / sizeof(ROW);
    for (int i = 0; i < NEAR; i++) {
        worse[i] = worse_planes[i].rows + CARRIER;
        memset(worse_planes[i].rows, 0, (2 * CARRIER + height + 2 + step) * sizeof(ROW));
    }
    for (int row = 1; row <= height; row += step)
        NAME(better)(own + row, other + row, v->empty + row, moves + row, worse, row);
    for (int row = 1; v->shared && row <= height; row += step)
        NAME(better_beside)(own + row, other + row, v->shared + row, v->empty + row, moves + row,
                            worse, row);
}

/* Shift a plane so that its bit at near[i] of a cell comes to the cell; with sign -1, the bit of
 * the cell whose near[i] the cell is. */
static ALWAYS_INLINE PART NAME(at_near)(const ROW *plane, int row, int i, int sign) {
    const int columns = sign * near[i].columns;
    PART rows = ROWS(plane, row + sign * near[i].rows);
    return columns > 0 ? rows >> columns : rows << -columns;
}

/* See dominated_t.  From every dropped cell a better move leads on; at the end of a path of better
 * moves is a cell that nothing dominates, or the last cell of a cycle, which is kept. */
static void NAME(dominated)(const fillin_board_t *board, const uint8_t *stones, int to_play,
                            uint8_t *cells) {
    const int height = board->height, step = VECTOR / sizeof(ROW);
    NAME(view) v;
    NAME(plane) moves_plane, any_plane, worse_planes[NEAR];
    ROW *moves = moves_plane.rows + CARRIER, *any = any_plane.rows + CARRIER, *worse[NEAR];
    const size_t bytes = (2 * CARRIER + height + 2 + step) * sizeof(ROW);
    NAME(load)(&v, board, stones);
    memset(any_plane.rows, 0, bytes);
    NAME(load_moves)(&v, board, cells, moves_plane.rows);
    NAME(find_worse)(&v, to_play, height, moves, worse_planes, worse);
    for (int row = 1; row <= height; row += step)
        for (int i = 0; i < NEAR; i++) ROWS_OF(any, row) |= ROWS(worse[i], row);
    for (int row = 1; row <= height; row += step) {
        PART drop = {0};
        for (int i = 0; i < NEAR; i++) {
            /* Drop a cell only for a better one that is later in the order or not dominated
             * itself: so the last cell of a cycle is kept. */
            int later = near[i].rows > 0 || (near[i].rows == 0 && near[i].columns > 0);
            PART found = ROWS(worse[i], row);
            if (!later) found &= ~NAME(at_near)(any, row, i, 1);
            drop |= found;
        }
        ROWS_OF(v.gain, row) = drop & ROWS(moves, row);
    }
    for (int row = 1; row <= height; row++)
        for (int i = 0; i < board->length[row]; i++)
            cells[board->start[row] + i] = v.gain[row] >> (board->shift[row] + i) & 1;
}

/* See reversible_t: try the replies that capture something next to a marked cell. */
static void NAME(reversible)(const fillin_board_t *board, const uint8_t *stones, int to_play,
                             uint8_t *cells) {
    const int step = VECTOR / sizeof(ROW);
    NAME(view) before, v, w;
    NAME(plane) worse_planes[NEAR], moves_plane;
    ROW *worse[NEAR], *moves = moves_plane.rows + CARRIER;
    NAME(load)(&before, board, stones);
    NAME(load_moves)(&before, board, cells, moves_plane.rows);
    NAME(find_worse)(&before, opponent(to_play), board->height, before.empty, worse_planes, worse);
    /* Find the replies near marked moves that capture something. */
    for (int row = 1; row <= board->height; row += step) {
        PART gaining = {0}, close = {0};
        for (int i = 0; i < NEAR; i++) {
            gaining |= NAME(at_near)(worse[i], row, i, -1);
            close |= NAME(at_near)(moves, row, i, -1);
        }
        ROWS_OF(before.gain, row) = gaining & close & ROWS(before.empty, row);
    }
    for (int row = 1; row <= board->height; row++)
        for (ROW left = before.gain[row]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left);
            NAME(copy)(&v, &before, board);
            NAME(put)(&v, opponent(to_play), row, bit);
            while (NAME(fill)(&v, board, to_play)) {}
            for (int at = 1; at <= board->height; at += step)
                ROWS_OF(v.gain, at) = NAME(dead_cells)(v.held[0], v.held[1], v.shared, at);
            for (int i = 0; i < NEAR; i++) {
                int at = row - near[i].rows, column = bit - near[i].columns;
                uint8_t *cell;
                if (!(NAME(bit)(board, at, column) & before.empty[at] & v.gain[at])) continue;
                cell = cells + board->start[at] + column - board->shift[at];
                if (*cell != 1) continue;
                NAME(copy)(&w, &before, board);
                if (NAME(kills)(&w, board, to_play, at, column, row, bit)) *cell = 2;
            }
        }
    for (int cell = 0; cell < board->start[board->height] + board->length[board->height]; cell++)
        cells[cell] = cells[cell] == 2;
}

#undef NAME
#undef ROW
#undef PART
#undef ROWS
#undef ROWS_OF
#undef BITS
#undef VECTOR
