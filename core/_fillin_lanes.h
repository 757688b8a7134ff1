/* Filling in for boards whose rows have BITS bits.  Some rows, a PART, are worked on at a time. */
#define NAME(x) JOIN3(x, _, BITS)
#define ROW JOIN3(uint, BITS, _t)
#define PART NAME(rows_part)
#define ROWS(plane, row) (*(const PART *)(const void *)((plane) + (row)))
#define ROWS_OF(plane, row) (*(PART *)(void *)((plane) + (row)))

typedef ROW PART __attribute__((vector_size(VECTOR), aligned(BITS / 8), may_alias));

#include "_fillin_patterns.h"

typedef struct { /* rows before and behind the board are read, and hold nothing */
    ROW rows[CARRIER + FILLIN_ROWS + VECTOR / (BITS / 8) + CARRIER];
} NAME(plane);

static ALWAYS_INLINE int NAME(any_row)(PART x) {
    ROW all = 0;
    for (int i = 0; i < (int)(VECTOR / sizeof(ROW)); i++) all |= x[i];
    return all != 0;
}

/* Give a player the cells that he captures, and both what else is dead; return whether any. */
static int NAME(fill_round)(ROW *own, ROW *other, ROW *empty, const ROW *shared, ROW *gain,
                            int height, int dead) {
    const int step = VECTOR / sizeof(ROW);
    PART any = {0};
    memset(gain, 0, (height + step + CARRIER) * sizeof(ROW));
    for (int row = 1; row <= height; row += step)
        NAME(capture)(own + row, other + row, empty + row, gain + row);
    for (int row = 1; shared && row <= height; row += step)
        NAME(capture_beside)(own + row, other + row, shared + row, empty + row, gain + row);
    for (int row = 1; row <= height; row += step) {
        PART fill = ROWS(gain, row);
        if (dead)
            fill |= ROWS(empty, row) &
                    NAME(dead)(ROWS(own, row - 1), ROWS(own, row - 1) >> 1, ROWS(own, row) >> 1,
                               ROWS(own, row + 1), ROWS(own, row + 1) << 1, ROWS(own, row) << 1,
                               ROWS(other, row - 1), ROWS(other, row - 1) >> 1,
                               ROWS(other, row) >> 1, ROWS(other, row + 1),
                               ROWS(other, row + 1) << 1, ROWS(other, row) << 1);
        ROWS_OF(gain, row) = fill;
        any |= fill;
    }
    if (!NAME(any_row)(any)) return 0;
    for (int row = 1; row <= height; row += step) {
        PART fill = ROWS(gain, row);
        ROWS_OF(own, row) |= fill;
        ROWS_OF(empty, row) &= ~fill;
    }
    return 1;
}

/* The empty cells that are dead once the opponent has replied at one of their neighbours. */
static ALWAYS_INLINE PART NAME(killed)(const ROW *own, const ROW *other, const ROW *empty) {
    PART x[6] = {ROWS(own, -1),      ROWS(own, -1) >> 1, ROWS(own, 0) >> 1,
                 ROWS(own, 1),       ROWS(own, 1) << 1,  ROWS(own, 0) << 1};
    PART o[6] = {ROWS(other, -1),    ROWS(other, -1) >> 1, ROWS(other, 0) >> 1,
                 ROWS(other, 1),     ROWS(other, 1) << 1,  ROWS(other, 0) << 1};
    PART e[6] = {ROWS(empty, -1),    ROWS(empty, -1) >> 1, ROWS(empty, 0) >> 1,
                 ROWS(empty, 1),     ROWS(empty, 1) << 1,  ROWS(empty, 0) << 1};
    PART found = {0};
    for (int i = 0; i < 6; i++) {
        PART was = o[i];
        o[i] |= e[i];
        found |= NAME(dead)(x[0], x[1], x[2], x[3], x[4], x[5], o[0], o[1], o[2], o[3], o[4], o[5]);
        o[i] = was;
    }
    return found & ROWS(empty, 0);
}

static ROW NAME(row_of)(const fillin_board_t *board, const uint8_t *stones, int colour, int row) {
    uint64_t bits = 0;
    for (int at = 0; at < board->length[row]; at += 16)
        bits |= cells_of(stones + board->start[row] + at, colour) << at;
    return (ROW)(bits << board->shift[row] & board->cells[row]);
}

typedef struct { /* a position */
    NAME(plane) planes[5];
    ROW *held[2], *empty, *gain, *shared;
} NAME(view);

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

static int NAME(fill_in)(const fillin_board_t *board, uint8_t *stones, int to_play,
                         uint8_t *inferior) {
    const int height = board->height, step = VECTOR / sizeof(ROW);
    NAME(view) v;
    const ROW *own, *other;
    int filled = 0;
    NAME(load)(&v, board, stones);
    own = v.held[to_play - 1];
    other = v.held[2 - to_play];
    for (int changed = 1; changed;) {
        changed = NAME(fill_round)(v.held[0], v.held[1], v.empty, v.shared, v.gain, height, 0);
        changed |= NAME(fill_round)(v.held[1], v.held[0], v.empty, v.shared, v.gain, height, 1);
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
            ROWS_OF(v.gain, row) = NAME(killed)(own + row, other + row, v.empty + row);
    for (int row = 1; inferior && row <= height; row++)
        for (int i = 0; i < board->length[row]; i++)
            inferior[board->start[row] + i] = v.gain[row] >> (board->shift[row] + i) & 1;
    return filled;
}

/* Whether a cell is dead. */
static int NAME(is_dead)(const ROW *own, const ROW *other, int row, int bit) {
    const ROW *x = own + row, *o = other + row;
    PART dead = NAME(dead)(ROWS(x, -1), ROWS(x, -1) >> 1, ROWS(x, 0) >> 1, ROWS(x, 1),
                           ROWS(x, 1) << 1, ROWS(x, 0) << 1, ROWS(o, -1), ROWS(o, -1) >> 1,
                           ROWS(o, 0) >> 1, ROWS(o, 1), ROWS(o, 1) << 1, ROWS(o, 0) << 1);
    return dead[0] >> bit & 1;
}

/* The bit of a cell of a row, 0 beyond it. */
static inline ROW NAME(bit)(const fillin_board_t *board, int row, int bit) {
    if (row < 1 || row > board->height || bit < 0 || bit >= BITS) return 0;
    return (ROW)((uint64_t)1 << bit);
}

static void NAME(copy)(NAME(view) *to, const NAME(view) *from, const fillin_board_t *board) {
    const size_t bytes = (2 * CARRIER + board->height + 2 + VECTOR / sizeof(ROW)) * sizeof(ROW);
    for (int i = 0; i < 3; i++) memcpy(to->planes[i].rows, from->planes[i].rows, bytes);
    to->held[0] = to->planes[0].rows + CARRIER;
    to->held[1] = to->planes[1].rows + CARRIER;
    to->empty = to->planes[2].rows + CARRIER;
    to->gain = to->planes[3].rows + CARRIER;
    to->shared = from->shared;
}

/* Give the side that is not to move what it captures, and what is dead; return whether any. */
static int NAME(fill)(NAME(view) *v, const fillin_board_t *board, int to_play) {
    return NAME(fill_round)(v->held[2 - to_play], v->held[to_play - 1], v->empty, v->shared,
                            v->gain, board->height, 1);
}

static void NAME(put)(NAME(view) *v, int colour, int row, int bit) {
    ROW stone = (ROW)((uint64_t)1 << bit);
    v->held[colour - 1][row] |= stone;
    v->empty[row] &= ~stone;
}

/* Whether a stone of the side to move is dead once the other has replied; if so that one has all that
 * it needs. */
static int NAME(kills)(NAME(view) *v, const fillin_board_t *board, int to_play, int row, int bit,
                       int reply_row, int reply_bit) {
    NAME(put)(v, to_play, row, bit);
    NAME(put)(v, 3 - to_play, reply_row, reply_bit);
    while (!NAME(is_dead)(v->held[to_play - 1], v->held[2 - to_play], row, bit))
        if (!NAME(fill)(v, board, to_play)) return 0;
    return 1;
}

static int NAME(reverse)(const fillin_board_t *board, const uint8_t *stones, int to_play, int cell,
                         uint8_t *needs) {
    NAME(view) before, v;
    int row = 1, bit;
    NAME(load)(&before, board, stones);
    while (cell >= board->start[row] + board->length[row]) row++;
    bit = cell - board->start[row] + board->shift[row];
    for (int i = 0; i < REPLIES; i++) {
        int at = row + replies[i].rows, column = bit + replies[i].columns;
        if (!(NAME(bit)(board, at, column) & before.empty[at])) continue;
        NAME(copy)(&v, &before, board);
        if (!NAME(kills)(&v, board, to_play, row, bit, at, column)) continue;
        for (int j = 1; j <= board->height; j++)
            for (int k = 0; k < board->length[j]; k++)
                needs[board->start[j] + k] = (before.empty[j] & v.held[2 - to_play][j]) >>
                                                 (board->shift[j] + k) & 1;
        needs[board->start[at] + column - board->shift[at]] = 2;
        return 1;
    }
    return 0;
}

static void NAME(reversible)(const fillin_board_t *board, const uint8_t *stones, int to_play,
                             uint8_t *cells) {
    NAME(view) before, v, w;
    NAME(load)(&before, board, stones);
    for (int row = 1; row <= board->height; row++)
        for (ROW left = before.empty[row]; left; left &= left - 1) {
            int bit = __builtin_ctzll(left), gains = -1;
            for (int i = 0; i < REPLIES; i++) {
                int at = row - replies[i].rows, column = bit - replies[i].columns;
                uint8_t *cell;
                if (!(NAME(bit)(board, at, column) & before.empty[at])) continue;
                cell = cells + board->start[at] + column - board->shift[at];
                if (*cell != 1) continue;
                if (gains < 0) { /* most replies capture nothing, whatever they answer */
                    NAME(copy)(&v, &before, board);
                    NAME(put)(&v, 3 - to_play, row, bit);
                    gains = NAME(fill)(&v, board, to_play);
                    while (gains && NAME(fill)(&v, board, to_play)) {}
                }
                if (!gains) break;
                if (!NAME(is_dead)(v.held[to_play - 1], v.held[2 - to_play], at, column)) continue;
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
