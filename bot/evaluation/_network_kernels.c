/* The kernels of the network, compiled once for each instruction set: see core/_isa.h.
 *
 * A convolution works tile by tile: POSITIONS places and up to MAX_GROUPS groups of 16 channels,
 * whose sums stay in registers.  The places come from a list instead of rows: the rows of a Y board
 * have all lengths, and a list leaves at most one tile partly empty. */
#include <math.h>

#include "bot/evaluation/_network.h"
#include "core/_vectors.h"

#include "bot/evaluation/_network_vectors.inc.h"

/* What becomes of the sums of a convolution. */
typedef enum {
    RECTIFY,  /* bytes: the activations of the next convolution */
    BEGIN,    /* floats: they are the stream; and its bytes */
    ADD,      /* floats: they are added to the stream, which is rectified; and its bytes */
    LOGITS,   /* floats: the first two channels */
} finish_t;

typedef struct {
    const uint8_t *in;       /* [places][inputs] */
    uint8_t *out;            /* [places][outputs] */
    float *stream;           /* BEGIN, ADD: [places][outputs]; LOGITS: [places][2] */
    const float *activation; /* BEGIN, ADD: what the stream is multiplied by to get bytes */
    const int32_t *bias;     /* [outputs] */
    const ptrdiff_t *steps;  /* [taps * inputs / 4], where the next four inputs are from a place */
} run_t;

/* Add up the products for `count` places and `groups` groups of channels, from `group` on.
 * Macros instead of loops: compilers keep an array in registers only if all its indices are
 * constants before loops are unrolled. */
static ALWAYS_INLINE void accumulate(const convolution_t *layer, const run_t *run,
                                     const int32_t *places, const int count, int group,
                                     const int groups, sums_t result[POSITIONS][MAX_VECTORS]) {
    sums_t sums[POSITIONS][MAX_VECTORS];
    const uint8_t *at[POSITIONS];
    const ptrdiff_t inputs = layer->inputs, size = layer->taps * inputs * NETWORK_GROUP;
    const int8_t *weights = layer->weights + group * size;
    const int32_t *bias = run->bias + group * NETWORK_GROUP;
    const int vectors = groups * PARTS;
#define BEGIN_PLACE(p)                                                      \
    if (p < count) {                                                        \
        at[p] = run->in + places[p] * inputs;                               \
        sums[p][0] = load_sums(bias);                                       \
        if (vectors > 1) sums[p][1] = load_sums(bias + LANES);              \
        if (vectors > 2) sums[p][2] = load_sums(bias + 2 * LANES);          \
        if (vectors > 3) sums[p][3] = load_sums(bias + 3 * LANES);          \
    }
#define ADD_PRODUCTS(p)                                                     \
    if (p < count) {                                                        \
        const inputs_t x = load_inputs(at[p] + k);                          \
        sums[p][0] = multiply_add(sums[p][0], x, w[0]);                     \
        if (vectors > 1) sums[p][1] = multiply_add(sums[p][1], x, w[1]);    \
        if (vectors > 2) sums[p][2] = multiply_add(sums[p][2], x, w[2]);    \
        if (vectors > 3) sums[p][3] = multiply_add(sums[p][3], x, w[3]);    \
    }
#define END_PLACE(p)                                                        \
    if (p < count) {                                                        \
        result[p][0] = sums[p][0];                                          \
        if (vectors > 1) result[p][1] = sums[p][1];                         \
        if (vectors > 2) result[p][2] = sums[p][2];                         \
        if (vectors > 3) result[p][3] = sums[p][3];                         \
    }
#define WEIGHTS(v) \
    if (v < vectors) w[v] = load_weights(weights + v / PARTS * size + v % PARTS * 4 * LANES)
    EACH_PLACE(BEGIN_PLACE)
    const ptrdiff_t *step = run->steps, *const end = step + layer->taps * inputs / NETWORK_QUAD;
    do {
        const ptrdiff_t k = *step++;
        weights_t w[MAX_VECTORS];
        WEIGHTS(0);
        WEIGHTS(1);
        WEIGHTS(2);
        WEIGHTS(3);
        EACH_PLACE(ADD_PRODUCTS)
        weights += NETWORK_GROUP * NETWORK_QUAD;
    } while (step < end);
    EACH_PLACE(END_PLACE)
#undef BEGIN_PLACE
#undef ADD_PRODUCTS
#undef END_PLACE
#undef WEIGHTS
}

/* Turn the sums of `count` places and the 16 channels from `channel` on into what is stored. */
static ALWAYS_INLINE void finish(const convolution_t *layer, const run_t *run,
                                 const int32_t *places, const int count, int channel,
                                 const sums_t sums[POSITIONS][MAX_VECTORS], const int vector,
                                 const finish_t how) {
    uint8_t *const out = run->out;
    float *const stream = run->stream;
    floats_t scale[PARTS], activation[PARTS];
    for (int i = 0; i < PARTS; i++) {
        scale[i] = load_floats(layer->scale + channel + i * LANES);
        if (how == BEGIN || how == ADD)
            activation[i] = load_floats(run->activation + channel + i * LANES);
    }
    for (int p = 0; p < count; p++) {
        const ptrdiff_t at = (ptrdiff_t)places[p] * layer->outputs + channel;
        floats_t x[PARTS];
        for (int i = 0; i < PARTS; i++) {
            x[i] = to_floats(sums[p][vector + i]) * scale[i];
            if (how == LOGITS) continue;
            if (how == ADD) x[i] = load_floats(stream + at + i * LANES) + x[i];
            x[i] = at_least_0(x[i]);
            if (how == RECTIFY) continue;
            store_floats(stream + at + i * LANES, x[i]);
            x[i] *= activation[i];
        }
        if (how == LOGITS) {
            float all[LANES];
            store_floats(all, x[0]);
            memcpy(stream + 2 * places[p], all, 2 * sizeof(float));
        } else {
            store_bytes(out + at, x);
        }
    }
}

static ALWAYS_INLINE void tile(const convolution_t *layer, const run_t *run, const int32_t *places,
                               const int count, int group, const int groups, const finish_t how) {
    sums_t sums[POSITIONS][MAX_VECTORS];
    accumulate(layer, run, places, count, group, groups, sums);
    for (int g = 0; g < groups; g++)
        finish(layer, run, places, count, (group + g) * NETWORK_GROUP, sums, g * PARTS, how);
}

/* All places; what is left over at the end goes into half a tile if it fits. */
static ALWAYS_INLINE void tiles(const convolution_t *layer, const run_t *run,
                                const int32_t *places, int n, int group, const int groups,
                                const finish_t how) {
    int i = 0;
    for (; n - i > POSITIONS / 2; i += POSITIONS)
        tile(layer, run, places + i, POSITIONS, group, groups, how);
    if (i < n) tile(layer, run, places + i, POSITIONS / 2, group, groups, how);
}

static ALWAYS_INLINE void convolve(const convolution_t *layer, const run_t *run,
                                   const int32_t *places, int n, const finish_t how) {
    const int all = layer->outputs / NETWORK_GROUP;
    for (int group = 0; group < all; group += MAX_GROUPS) {
        const int groups = all - group < MAX_GROUPS ? all - group : MAX_GROUPS;
        if (groups == 1) tiles(layer, run, places, n, group, 1, how);
        if (groups == 2 && MAX_GROUPS >= 2) tiles(layer, run, places, n, group, 2, how);
        if (groups == 3 && MAX_GROUPS >= 3) tiles(layer, run, places, n, group, 3, how);
        if (groups == 4 && MAX_GROUPS >= 4) tiles(layer, run, places, n, group, 4, how);
    }
}

static __attribute__((noinline)) void convolve_rectify(const convolution_t *layer,
                                                       const run_t *run, const int32_t *places,
                                                       int n) {
    convolve(layer, run, places, n, RECTIFY);
}

static __attribute__((noinline)) void convolve_begin(const convolution_t *layer, const run_t *run,
                                                     const int32_t *places, int n) {
    convolve(layer, run, places, n, BEGIN);
}

static __attribute__((noinline)) void convolve_add(const convolution_t *layer, const run_t *run,
                                                   const int32_t *places, int n) {
    convolve(layer, run, places, n, ADD);
}

static __attribute__((noinline)) void convolve_logits(const convolution_t *layer, const run_t *run,
                                                      const int32_t *places, int n) {
    const convolution_t first_group = {layer->inputs, NETWORK_GROUP, 1,
                                       layer->weights, layer->bias, layer->scale};
    tiles(&first_group, run, places, n, 0, 1, LOGITS);
}

/* The bytes of the stream in the ring, for the next block. */
static void activate(const float *stream, const float *activation, int channels, uint8_t *out,
                     const int32_t *places, int n) {
    for (int i = 0; i < n; i++) {
        const ptrdiff_t at = (ptrdiff_t)places[i] * channels;
        for (int c = 0; c < channels; c += NETWORK_GROUP) {
            floats_t x[PARTS];
#pragma GCC unroll 8
            for (int v = 0; v < PARTS; v++)
                x[v] = load_floats(stream + at + c + v * LANES) *
                       load_floats(activation + c + v * LANES);
            store_bytes(out + at + c, x);
        }
    }
}

/* Mean and maximum of each channel over the cells, in 64ths: first all means, then all maxima. */
static void pool(const uint8_t *in, int channels, const int32_t *places, int n, int16_t *pooled) {
    typedef uint16_t words_t __attribute__((vector_size(32)));
    enum { CHUNK = 512 }; /* 512 times 127 fits 16 bits */
    const uint32_t cells = (uint32_t)n;
    for (int c = 0; c < channels; c += NETWORK_GROUP) {
        uint32_t total[NETWORK_GROUP] = {0};
        bytes_t most = {0};
        for (int begin = 0; begin < n; begin += CHUNK) {
            words_t sum = {0};
            const int end = begin + CHUNK < n ? begin + CHUNK : n;
            for (int i = begin; i < end; i++) {
                const bytes_t x = load_bytes(in + (ptrdiff_t)places[i] * channels + c);
                most = larger_bytes(x, most);
                sum += __builtin_convertvector(x, words_t);
            }
            for (int j = 0; j < NETWORK_GROUP; j++) total[j] += sum[j];
        }
        for (int j = 0; j < NETWORK_GROUP; j++) {
            pooled[c + j] = (int16_t)((total[j] * NETWORK_POOLED + cells / 2) / cells);
            pooled[channels + c + j] = (int16_t)(most[j] * NETWORK_POOLED);
        }
    }
}

static int32_t product(const int16_t *a, const int16_t *b, int n) {
    int32_t sum = 0;
    for (int i = 0; i < n; i++) sum += (int32_t)a[i] * b[i];
    return sum;
}

static float clip(float x, float least, float most) {
    return x < least ? least : x > most ? most : x;
}

/* The biases of a convolution with what pooled values add. */
static void pooled_bias(const dense_t *layer, const int16_t *pooled, const int32_t *bias,
                        int32_t *to) {
    const float limit = 1 << 24;
    for (int i = 0; i < layer->outputs; i++) {
        int32_t sum = product(layer->weights + (ptrdiff_t)i * layer->inputs, pooled, layer->inputs);
        to[i] = bias[i] + (int32_t)lrintf(clip((float)sum * layer->scale[i], -limit, limit));
    }
}

/* 1 / (1 + exp(-x)) by integers, which are the same on every machine: 2^-f is a polynomial between
 * whole powers.  At most 0.0001 off. */
static float sigmoid(float x) {
    const int64_t one = 1 << 30;
    const int32_t z = (int32_t)lrintf(clip(x, -16, 16) * 4096);
    const int64_t t = ((int64_t)(z < 0 ? -z : z) * 94548) >> 16; /* times log2(e), 4096 to one */
    const int64_t f = t & 4095;
    int64_t power = -42544209;
    power = 248356148 + ((power * f) >> 12);
    power = -742682851 + ((power * f) >> 12);
    power = (one + ((power * f) >> 12)) >> (t >> 12);
    const int64_t upper = ((one << 16) + (one + power) / 2) / (one + power);
    return (float)(z < 0 ? 65536 - upper : upper) / 65536;
}

static float value_of(const network_t *network, const uint8_t *head) {
    int16_t pooled[2 * NETWORK_MAX_CHANNELS], hidden[NETWORK_MAX_HIDDEN];
    const dense_t *layer = &network->hidden;
    pool(head, network->head.outputs, network->board, network->cells, pooled);
    for (int i = 0; i < layer->outputs; i++) {
        int32_t sum = product(layer->weights + (ptrdiff_t)i * layer->inputs, pooled, layer->inputs);
        float x = ((float)(sum + layer->bias[i])) * layer->scale[i];
        hidden[i] = (int16_t)lrintf(clip(x, 0, NETWORK_ONE * NETWORK_POOLED));
    }
    layer = &network->value;
    int32_t sum = product(layer->weights, hidden, layer->inputs) + layer->bias[0];
    return sigmoid((float)sum * layer->scale[0]);
}

static void fill_plane(const network_t *n, const network_position_t *position, int kind,
                       uint8_t *to) {
    const int16_t *place = n->place[position->symmetry];
    const int stride = n->plane_stride, own = position->to_play;
    const uint8_t *stones = position->stones, *filled = position->filled, *given;
    int cell;
    switch (kind) {
    case PLANE_OWN:
    case PLANE_OPPONENT: {
        const int colour = kind == PLANE_OWN ? own : 3 - own;
        for (int i = 0; i < n->cells; i++)
            to[place[i] * stride] = stones[i] == colour ? NETWORK_ONE : 0;
        break;
    }
    case PLANE_LAST:
    case PLANE_LAST_BUT_ONE:
        cell = position->last[kind - PLANE_LAST];
        if (cell >= 0) to[place[cell] * stride] = NETWORK_ONE;
        break;
    case PLANE_OWN_FILLED:
    case PLANE_OPPONENT_FILLED: {
        const int colour = kind == PLANE_OWN_FILLED ? own : 3 - own;
        for (int i = 0; filled && i < n->cells; i++)
            to[place[i] * stride] = stones[i] == 0 && filled[i] == colour ? NETWORK_ONE : 0;
        break;
    }
    case PLANE_PRUNED:
        for (int i = 0; position->pruned && i < n->cells; i++)
            to[place[i] * stride] = position->pruned[i] ? NETWORK_ONE : 0;
        break;
    case PLANE_BOARD:
    case PLANE_ROWS:
    case PLANE_COLUMNS:
        break; /* the same in every position */
    default:
        given = position->given[kind - PLANE_GIVEN];
        for (int i = 0; given && i < n->cells; i++)
            to[place[i] * stride] = given[i] < NETWORK_ONE ? given[i] : NETWORK_ONE;
    }
}

static void list_steps(const int *taps, int n, int inputs, ptrdiff_t *steps) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < inputs; k += NETWORK_QUAD) *steps++ = (ptrdiff_t)taps[i] * inputs + k;
}

/* All layers; leaves the activations of the head and its outputs. */
static void forward(const network_t *n, network_scratch_t *s, const int *taps) {
    int16_t pooled[2 * NETWORK_MAX_CHANNELS];
    int32_t bias[NETWORK_MAX_CHANNELS];
    ptrdiff_t steps[NETWORK_TAPS * NETWORK_MAX_CHANNELS / NETWORK_QUAD];
    const int alone[1] = {0};
    const block_t *block = n->block, *end = n->block + n->block_count;
    run_t run = {s->planes, s->trunk, s->stream, block < end ? block->activation : n->activation,
                 n->input.bias, steps};
    list_steps(taps, NETWORK_TAPS, n->plane_stride, steps);
    convolve_begin(&n->input, &run, n->trunk, n->cells + n->ring);
    list_steps(taps, NETWORK_TAPS, n->channels, steps);
    for (; block < end; block++) {
        if (block > n->block)
            activate(s->stream, block->activation, n->channels, s->trunk, n->trunk + n->cells,
                     n->ring);
        run.in = s->trunk;
        run.out = s->inner;
        run.bias = block->first.bias;
        if (block->pool.weights) {
            pool(s->trunk, n->channels, n->board, n->cells, pooled);
            pooled_bias(&block->pool, pooled, block->first.bias, bias);
            run.bias = bias;
        }
        convolve_rectify(&block->first, &run, n->board, n->cells);
        run.in = s->inner;
        run.out = s->trunk;
        run.bias = block->second.bias;
        run.activation = block + 1 < end ? block[1].activation : n->activation;
        convolve_add(&block->second, &run, n->board, n->cells);
    }
    pool(s->trunk, n->channels, n->board, n->cells, pooled);
    pooled_bias(&n->head_pool, pooled, n->head.bias, bias);
    list_steps(alone, 1, NETWORK_MAX_CHANNELS, steps);
    run = (run_t){s->trunk, s->head, NULL, NULL, bias, steps};
    convolve_rectify(&n->head, &run, n->board, n->cells);
    run = (run_t){s->head, NULL, s->outputs, NULL, n->outputs.bias, steps};
    convolve_logits(&n->outputs, &run, n->board, n->cells);
}

static void evaluate(const network_t *n, network_scratch_t *s, const network_position_t *position,
                     float *policy, float *value, float *ownership) {
    const int colour = position->to_play - 1;
    const int16_t *place = n->place[position->symmetry];
    memcpy(s->planes, n->empty[colour], (size_t)n->places * (size_t)n->plane_stride);
    for (int i = 0; i < n->planes; i++) fill_plane(n, position, n->plane[i], s->planes + i);
    forward(n, s, n->taps[colour]);
    for (int i = 0; i < n->cells; i++) policy[i] = s->outputs[2 * place[i]];
    if (ownership)
        for (int i = 0; i < n->cells; i++)
            ownership[i] = sigmoid(s->outputs[2 * place[i] + 1]);
    *value = value_of(n, s->head);
}

const network_kernels_t ISA_TABLE(network_kernels) = {evaluate};
