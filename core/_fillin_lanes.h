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

static int NAME(fill_in)(const fillin_board_t *board, uint8_t *stones, int to_play,
                         uint8_t *inferior) {
    const int height = board->height, step = VECTOR / sizeof(ROW);
    NAME(plane) planes[5];
    ROW *held[2], *empty = planes[2].rows + CARRIER, *gain = planes[3].rows + CARRIER;
    ROW *shared = NULL;
    int filled = 0;
    for (int i = 0; i < 3; i++)
        memset(planes[i].rows, 0, (CARRIER + height + 2 + step + CARRIER) * sizeof(ROW));
    for (int i = 0; i < 2; i++) {
        held[i] = planes[i].rows + CARRIER;
        held[i][0] = (ROW)board->side[i][0];
        held[i][height + 1] = (ROW)board->side[i][height + 1];
        for (int row = 1; row <= height; row++)
            held[i][row] = (ROW)board->side[i][row] | NAME(row_of)(board, stones, i + 1, row);
    }
    for (int row = 1; row <= height; row++)
        empty[row] = (ROW)board->cells[row] & ~(held[0][row] | held[1][row]);
    if (board->has_shared) {
        shared = planes[4].rows + CARRIER;
        memset(planes[4].rows, 0, (CARRIER + height + 2 + step + CARRIER) * sizeof(ROW));
        for (int row = 0; row <= height + 1; row++) shared[row] = (ROW)board->shared[row];
    }
    for (int changed = 1; changed;) {
        changed = NAME(fill_round)(held[0], held[1], empty, shared, gain, height, 0);
        changed |= NAME(fill_round)(held[1], held[0], empty, shared, gain, height, 1);
    }
    for (int row = 1; row <= height; row++) {
        uint8_t *first = stones + board->start[row];
        for (int i = 0; i < 2; i++) {
            ROW fill = held[i][row] & (ROW)board->cells[row] &
                       ~NAME(row_of)(board, stones, i + 1, row);
            for (; fill; fill &= fill - 1) {
                first[__builtin_ctzll(fill) - board->shift[row]] = (uint8_t)(i + 1);
                filled++;
            }
        }
    }
    if (inferior)
        for (int row = 1; row <= height; row += step) {
            ROW *own = held[to_play - 1] + row, *other = held[2 - to_play] + row;
            ROWS_OF(gain, row) = NAME(killed)(own, other, empty + row);
        }
    for (int row = 1; inferior && row <= height; row++)
        for (int i = 0; i < board->length[row]; i++)
            inferior[board->start[row] + i] = gain[row] >> (board->shift[row] + i) & 1;
    return filled;
}

#undef NAME
#undef ROW
#undef PART
#undef ROWS
#undef ROWS_OF
#undef BITS
#undef VECTOR
