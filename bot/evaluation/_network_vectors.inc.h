/* The vector operations of the network for the instruction set being compiled.
 *
 * Sixteen channels are PARTS vectors of LANES sums each.  One step multiplies four inputs, the same
 * for all lanes, by four weights a lane, and adds the products to the sum; inputs are 0 to 127, so
 * that two products fit 16 bits. */

enum { MAX_VECTORS = 4 }; /* of sums that a place has at a time */

#if WIDTH == 64 && defined(__AVX512BW__)

enum { LANES = 16, PARTS = 1, MAX_GROUPS = 4 };
#define EACH_PLACE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define POSITIONS 6
typedef __m512i sums_t;
typedef __m512 floats_t;
typedef __m512i weights_t;
typedef __m512i inputs_t;

static ALWAYS_INLINE sums_t load_sums(const int32_t *from) { return _mm512_loadu_si512(from); }
static ALWAYS_INLINE weights_t load_weights(const int8_t *from) { return _mm512_load_si512(from); }
static ALWAYS_INLINE floats_t load_floats(const float *from) { return _mm512_loadu_ps(from); }
static ALWAYS_INLINE void store_floats(float *to, floats_t x) { _mm512_storeu_ps(to, x); }
static ALWAYS_INLINE floats_t to_floats(sums_t sums) { return _mm512_cvtepi32_ps(sums); }

static ALWAYS_INLINE inputs_t load_inputs(const uint8_t *from) {
    int32_t four;
    memcpy(&four, from, sizeof four);
    return _mm512_set1_epi32(four);
}

static ALWAYS_INLINE sums_t multiply_add(sums_t sums, inputs_t inputs, weights_t weights) {
#if defined(__AVX512VNNI__) /* with the intrinsic, compilers copy sums around, and spill them */
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(inputs), "v"(weights));
    return sums;
#else
    __m512i pairs = _mm512_maddubs_epi16(inputs, weights);
    return _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#endif
}

static ALWAYS_INLINE floats_t at_least_0(floats_t x) {
    return _mm512_max_ps(x, _mm512_setzero_ps());
}

/* Round 16 floats of at least 0 to bytes of at most 127, ties to even.  A float too large for 32
 * bits becomes 2^31, which unsigned saturation turns into 255. */
static ALWAYS_INLINE void store_bytes(uint8_t *to, const floats_t x[PARTS]) {
    __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(x[0]));
    _mm_storeu_si128((__m128i *)to, _mm_min_epu8(bytes, _mm_set1_epi8(NETWORK_ONE)));
}

#elif WIDTH == 32 && defined(__AVX2__)

enum { LANES = 8, PARTS = 2, MAX_GROUPS = 1 };
#define EACH_PLACE(DO) DO(0) DO(1) DO(2) DO(3)
#define POSITIONS 4
typedef __m256i sums_t;
typedef __m256 floats_t;
typedef __m256i weights_t;
typedef __m256i inputs_t;

static ALWAYS_INLINE sums_t load_sums(const int32_t *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}
static ALWAYS_INLINE weights_t load_weights(const int8_t *from) {
    return _mm256_load_si256((const __m256i *)from);
}
static ALWAYS_INLINE floats_t load_floats(const float *from) { return _mm256_loadu_ps(from); }
static ALWAYS_INLINE void store_floats(float *to, floats_t x) { _mm256_storeu_ps(to, x); }
static ALWAYS_INLINE floats_t to_floats(sums_t sums) { return _mm256_cvtepi32_ps(sums); }

static ALWAYS_INLINE inputs_t load_inputs(const uint8_t *from) {
    int32_t four;
    memcpy(&four, from, sizeof four);
    return _mm256_set1_epi32(four);
}

static ALWAYS_INLINE sums_t multiply_add(sums_t sums, inputs_t inputs, weights_t weights) {
    __m256i pairs = _mm256_maddubs_epi16(inputs, weights);
    return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

static ALWAYS_INLINE floats_t at_least_0(floats_t x) {
    return _mm256_max_ps(x, _mm256_setzero_ps());
}

static ALWAYS_INLINE void store_bytes(uint8_t *to, const floats_t x[PARTS]) {
    __m256 most = _mm256_set1_ps(NETWORK_ONE);
    __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(_mm256_min_ps(x[0], most)),
                                       _mm256_cvtps_epi32(_mm256_min_ps(x[1], most)));
    words = _mm256_permute4x64_epi64(words, 0xD8); /* packed within halves */
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(_mm256_castsi256_si128(words),
                                                     _mm256_extracti128_si256(words, 1)));
}

#elif defined(__SSE2__)

enum { LANES = 4, PARTS = 4, MAX_GROUPS = 1 };
#define EACH_PLACE(DO) DO(0) DO(1)
#define POSITIONS 2
typedef __m128i sums_t;
typedef __m128 floats_t;
typedef struct {
    __m128i even, odd; /* of four bytes the first and third, the second and fourth, in 16 bits */
} weights_t, inputs_t;

static ALWAYS_INLINE sums_t load_sums(const int32_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}
static ALWAYS_INLINE floats_t load_floats(const float *from) { return _mm_loadu_ps(from); }
static ALWAYS_INLINE void store_floats(float *to, floats_t x) { _mm_storeu_ps(to, x); }
static ALWAYS_INLINE floats_t to_floats(sums_t sums) { return _mm_cvtepi32_ps(sums); }

static ALWAYS_INLINE weights_t load_weights(const int8_t *from) {
    __m128i bytes = _mm_load_si128((const __m128i *)from);
    return (weights_t){_mm_srai_epi16(_mm_slli_epi16(bytes, 8), 8), _mm_srai_epi16(bytes, 8)};
}

static ALWAYS_INLINE inputs_t load_inputs(const uint8_t *from) {
    int32_t four;
    memcpy(&four, from, sizeof four);
    __m128i bytes = _mm_set1_epi32(four);
    return (inputs_t){_mm_and_si128(bytes, _mm_set1_epi16(0xFF)), _mm_srli_epi16(bytes, 8)};
}

static ALWAYS_INLINE sums_t multiply_add(sums_t sums, inputs_t inputs, weights_t weights) {
    sums = _mm_add_epi32(sums, _mm_madd_epi16(inputs.even, weights.even));
    return _mm_add_epi32(sums, _mm_madd_epi16(inputs.odd, weights.odd));
}

static ALWAYS_INLINE floats_t at_least_0(floats_t x) { return _mm_max_ps(x, _mm_setzero_ps()); }

static ALWAYS_INLINE void store_bytes(uint8_t *to, const floats_t x[PARTS]) {
    __m128 most = _mm_set1_ps(NETWORK_ONE);
    __m128i words[2];
    for (int i = 0; i < 2; i++)
        words[i] = _mm_packs_epi32(_mm_cvtps_epi32(_mm_min_ps(x[2 * i], most)),
                                   _mm_cvtps_epi32(_mm_min_ps(x[2 * i + 1], most)));
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(words[0], words[1]));
}

#else /* any machine */

enum { LANES = 4, PARTS = 4, MAX_GROUPS = 1 };
#define EACH_PLACE(DO) DO(0) DO(1)
#define POSITIONS 2
typedef int32_t sums_t __attribute__((vector_size(16)));
typedef float floats_t __attribute__((vector_size(16)));
typedef struct {
    sums_t of[4];
} weights_t;
typedef struct {
    int32_t of[4];
} inputs_t;

static ALWAYS_INLINE sums_t load_sums(const int32_t *from) {
    sums_t sums;
    memcpy(&sums, from, sizeof sums);
    return sums;
}
static ALWAYS_INLINE floats_t load_floats(const float *from) {
    floats_t x;
    memcpy(&x, from, sizeof x);
    return x;
}
static ALWAYS_INLINE void store_floats(float *to, floats_t x) { memcpy(to, &x, sizeof x); }
static ALWAYS_INLINE floats_t to_floats(sums_t sums) {
    return __builtin_convertvector(sums, floats_t);
}

static ALWAYS_INLINE weights_t load_weights(const int8_t *from) {
    weights_t weights;
    for (int k = 0; k < 4; k++)
        for (int lane = 0; lane < LANES; lane++) weights.of[k][lane] = from[4 * lane + k];
    return weights;
}

static ALWAYS_INLINE inputs_t load_inputs(const uint8_t *from) {
    return (inputs_t){{from[0], from[1], from[2], from[3]}};
}

static ALWAYS_INLINE sums_t multiply_add(sums_t sums, inputs_t inputs, weights_t weights) {
    for (int k = 0; k < 4; k++) sums += inputs.of[k] * weights.of[k];
    return sums;
}

static ALWAYS_INLINE floats_t at_least_0(floats_t x) {
    for (int lane = 0; lane < LANES; lane++) x[lane] = x[lane] > 0 ? x[lane] : 0;
    return x;
}

static ALWAYS_INLINE void store_bytes(uint8_t *to, const floats_t x[PARTS]) {
    for (int i = 0; i < PARTS * LANES; i++) {
        float value = x[i / LANES][i % LANES];
        to[i] = (uint8_t)lrintf(value < NETWORK_ONE ? value : NETWORK_ONE);
    }
}

#endif

/* Sixteen bytes, for pooling. */
typedef uint8_t bytes_t __attribute__((vector_size(16)));

static ALWAYS_INLINE bytes_t load_bytes(const uint8_t *from) {
    bytes_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

static ALWAYS_INLINE bytes_t larger_bytes(bytes_t a, bytes_t b) {
#if defined(__SSE2__)
    return (bytes_t)_mm_max_epu8((__m128i)a, (__m128i)b);
#else
    const bytes_t more = (bytes_t)(a > b);
    return (a & more) | (b & ~more);
#endif
}
