/* The network: its layers, the board that it is bound to, and the kernels of one instruction set.
 *
 * The arithmetic is defined to the bit, see network_file.py; nothing here may be fused or reordered
 * where rounding would show (the build passes -ffp-contract=off). */
#ifndef TRIVALENT_NETWORK_H
#define TRIVALENT_NETWORK_H

#include <stdint.h>

#include "core/_isa.h"

enum {
    NETWORK_GROUP = 16,    /* channels come in multiples of this */
    NETWORK_QUAD = 4,      /* inputs that one step of a kernel multiplies */
    NETWORK_TAPS = 7,      /* a place and its six neighbours */
    NETWORK_RINGS = 2,     /* of places around the board, which hold the sides as stones */
    NETWORK_MAX_SIDE = 31, /* cells */
    NETWORK_MAX_CHANNELS = 128,
    NETWORK_MAX_PLANES = 32,
    NETWORK_MAX_BLOCKS = 64,
    NETWORK_MAX_HIDDEN = 256,  /* of the value */
    NETWORK_MAX_PLACES = (NETWORK_MAX_SIDE + 7) * (NETWORK_MAX_SIDE + 4),
    NETWORK_MAX_SYMMETRIES = 6,
    NETWORK_TILE = 12,     /* padding of lists of places; no tile has more places */
    NETWORK_ONE = 127,     /* the byte for 1 in planes, and the largest activation */
    NETWORK_POOLED = 64,   /* the unit of pooled values is 1/64 of that of activations */
};

/* What an input plane holds; the names are those of network_file.PLANES, in this order. */
enum {
    PLANE_OWN,
    PLANE_OPPONENT,
    PLANE_LAST,
    PLANE_LAST_BUT_ONE,
    PLANE_OWN_FILLED,
    PLANE_OPPONENT_FILLED,
    PLANE_PRUNED,
    PLANE_BOARD,
    PLANE_ROWS,
    PLANE_COLUMNS,
    PLANE_GIVEN, /* this one and all that follow: bytes by cell that the caller provides */
    NETWORK_GIVEN = 3,
};

/* Seven taps, or one that sees the place alone.  A sum is bias plus all products, in 32 bits. */
typedef struct {
    int inputs;            /* a multiple of 4 */
    int outputs;           /* a multiple of 16 */
    int taps;
    const int8_t *weights; /* [outputs / 16][taps][inputs / 4][16][4], aligned to 64 bytes */
    const int32_t *bias;   /* [outputs] */
    const float *scale;    /* [outputs], what a sum is multiplied by */
} convolution_t;

/* Every output from every input; |weight| <= 1023, |input| <= 8128: no sum leaves 32 bits. */
typedef struct {
    int inputs, outputs;
    const int16_t *weights; /* [outputs][inputs] */
    const int32_t *bias;    /* [outputs], or NULL */
    const float *scale;     /* [outputs] */
} dense_t;

typedef struct {
    const float *activation; /* [channels], what the stream is multiplied by to get bytes */
    convolution_t first, second;
    dense_t pool;            /* weights NULL: the block does not pool */
} block_t;

typedef struct network network_t;
typedef struct network_scratch network_scratch_t;
typedef struct network_position network_position_t;

typedef struct {
    /* Logits of all cells, the chance of the side to move to win, and, unless NULL, to own each
     * cell in the end. */
    void (*evaluate)(const network_t *network, network_scratch_t *scratch,
                     const network_position_t *position, float *policy, float *value,
                     float *ownership);
} network_kernels_t;

ISA_TABLES(network_kernels_t, network_kernels)

struct network {
    const network_kernels_t *kernels;
    int channels, planes, plane_stride, block_count, has_ownership;
    int plane[NETWORK_MAX_PLANES]; /* what each holds */
    convolution_t input;
    block_t block[NETWORK_MAX_BLOCKS];
    const float *activation; /* of the head */
    convolution_t head;
    dense_t head_pool;
    convolution_t outputs;   /* channel 0: policy, 1: ownership */
    dense_t hidden, value;

    /* The board.  A place is an index into rows of `stride`, with two rings around the cells. */
    int cells, places, stride, symmetries;
    int ring;                                /* places next to a cell that are none */
    int taps[2][NETWORK_TAPS];               /* for Black and for White: steps between places */
    const uint8_t *empty[2];                 /* the planes of the empty board, to either colour */
    int16_t place[NETWORK_MAX_SYMMETRIES][NETWORK_MAX_SIDE * NETWORK_MAX_SIDE];
    int32_t board[NETWORK_MAX_PLACES];       /* the places of the cells, padded */
    int32_t trunk[NETWORK_MAX_PLACES];       /* the same and then the ring, padded */
};

/* What a thread needs while it evaluates; made for one network by network_scratch_new. */
struct network_scratch {
    uint8_t *planes;    /* [places][plane_stride] */
    uint8_t *trunk;     /* [places][channels], the stream as bytes */
    uint8_t *inner;     /* [places][channels], within a block; zero off the board */
    uint8_t *head;      /* [places][head channels] */
    float *stream;      /* [places][channels] */
    float *outputs;     /* [places][2] */
};

struct network_position {
    const uint8_t *stones;  /* by cell: 0, or a colour */
    int to_play;
    int last[2];            /* cells of the last moves, the latest first; -1: none */
    const uint8_t *filled;  /* the stones after fill-in, or NULL */
    const uint8_t *pruned;  /* not 0: need not be tried; or NULL */
    const uint8_t *given[NETWORK_GIVEN]; /* 0 to 127 by cell as the side to move sees it, or NULL */
    int symmetry;           /* of the board, 0: as it is */
};

/* The kernels by index: those of each instruction set (see core/_isa.h), then one more for machines
 * that have AVX-512 VNNI besides. */
const network_kernels_t *network_kernels_at(int index);
int network_has_vnni(void);

/* Memory for evaluations by one thread at a time, NULL if there is none left; and give it back. */
network_scratch_t *network_scratch_new(const network_t *network);
void network_scratch_free(network_scratch_t *scratch);

static inline void network_evaluate(const network_t *network, network_scratch_t *scratch,
                                    const network_position_t *position, float *policy,
                                    float *value, float *ownership) {
    network->kernels->evaluate(network, scratch, position, policy, value, ownership);
}

#endif
