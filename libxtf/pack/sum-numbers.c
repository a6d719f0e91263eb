/*
 * Adding up numbers. Times are sums of steps, so this is the loop that unpacks them. Most numbers have tails of at most
 * 3 bytes. Processors of x86-64 that have SSSE3 then read four numbers at once; others read one after another.
 */
#include "libxtf/pack/sampled-times.h"

#if defined __x86_64__ && defined __GNUC__
#include <tmmintrin.h>
#define HAVE_BLOCKS 1
#endif

enum {
    BLOCK = 16,               /* numbers whose heads are read at once */
    SUM_BEFORE_MAX = 1 << 30, /* a sum that still fits 32 bits after a block */
    SHORT_HEADS = 252,        /* heads below it have tails of at most 3 bytes */
};

#ifdef HAVE_BLOCKS

/*
 * Orders of bytes for reading four numbers of known classes (xtf_head_classes). The tails of class i have i bytes. Four
 * heads precede the tails. The order gives each number the bytes of its tail, and above them its head. The result
 * exceeds the number by a constant of the class, its bias. The index of the tables is the first class, plus 4 times the
 * second, and so on.
 */
#define NONE 0x80
#define NUMBER(class, head, tail)   \
    (class) > 0 ? (tail) : (head),  \
        (class) > 1    ? (tail) + 1 \
        : (class) == 1 ? (head)     \
                       : NONE,      \
        (class) > 2    ? (tail) + 2 \
        : (class) == 2 ? (head)     \
                       : NONE,      \
        (class) == 3 ? (head) : NONE
#define BIAS(class)                         \
    ((class) == 0   ? 0u                    \
     : (class) == 1 ? (192u << 8) - 192u    \
     : (class) == 2 ? (240u << 16) - 12480u \
                    : (248u << 24) - 536768u)
#define ORDER(a, b, c, d)                                                                                      \
    {                                                                                                          \
        NUMBER(a, 0, 4), NUMBER(b, 1, 4 + (a)), NUMBER(c, 2, 4 + (a) + (b)), NUMBER(d, 3, 4 + (a) + (b) + (c)) \
    }
#define BIASES(a, b, c, d)                 \
    {                                      \
        BIAS(a), BIAS(b), BIAS(c), BIAS(d) \
    }
#define TAILS(a, b, c, d)    (a) + (b) + (c) + (d)
#define ROWS_4(ROW, b, c, d) ROW(0, b, c, d), ROW(1, b, c, d), ROW(2, b, c, d), ROW(3, b, c, d)
#define ROWS_16(ROW, c, d)   ROWS_4(ROW, 0, c, d), ROWS_4(ROW, 1, c, d), ROWS_4(ROW, 2, c, d), ROWS_4(ROW, 3, c, d)
#define ROWS_64(ROW, d)      ROWS_16(ROW, 0, d), ROWS_16(ROW, 1, d), ROWS_16(ROW, 2, d), ROWS_16(ROW, 3, d)
#define ROWS_256(ROW)                                                      \
    {                                                                      \
        ROWS_64(ROW, 0), ROWS_64(ROW, 1), ROWS_64(ROW, 2), ROWS_64(ROW, 3) \
    }

static const _Alignas(16) uint8_t orders[256][16] = ROWS_256(ORDER);
static const _Alignas(16) uint32_t biases[256][4] = ROWS_256(BIASES);
static const uint8_t tails[256] = ROWS_256(TAILS);

#define BLOCKS        __attribute__((target("ssse3")))
#define BLOCKS_INLINE __attribute__((target("ssse3"), always_inline)) static inline

static bool reads_blocks(void)
{
    return __builtin_cpu_supports("ssse3");
}

/* Sets classes[i] to the classes of heads 4 i to 4 i + 3. Returns false if one is not a short head. */
BLOCKS_INLINE bool find_classes(const uint8_t *heads, uint8_t classes[BLOCK / 4])
{
    const __m128i head = _mm_loadu_si128((const __m128i_u *)heads), minus_one = _mm_set1_epi8(-1);
    const __m128i least_1 = _mm_set1_epi8((char)192), least_2 = _mm_set1_epi8((char)240),
                  least_3 = _mm_set1_epi8((char)248), least_long = _mm_set1_epi8((char)SHORT_HEADS);
    __m128i below = _mm_add_epi8(_mm_add_epi8(_mm_cmpeq_epi8(_mm_max_epu8(head, least_1), head),
                                              _mm_cmpeq_epi8(_mm_max_epu8(head, least_2), head)),
                                 _mm_cmpeq_epi8(_mm_max_epu8(head, least_3), head));
    __m128i class = _mm_sign_epi8(below, minus_one);
    __m128i pairs = _mm_maddubs_epi16(class, _mm_set1_epi16(1 | 4 << 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 16 << 16));
    uint32_t all = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(_mm_packs_epi32(fours, fours), fours));

    memcpy(classes, &all, sizeof all);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(head, least_long), head)) == 0;
}

/* Reads four numbers of known classes, and moves behind their tails. Accesses 16 bytes from the first tail on. */
BLOCKS_INLINE __m128i read_four(const uint8_t *heads, const uint8_t **tail, uint8_t classes)
{
    uint32_t four;

    memcpy(&four, heads, sizeof four);
    __m128i bytes =
        _mm_or_si128(_mm_slli_si128(_mm_loadu_si128((const __m128i_u *)*tail), 4), _mm_cvtsi32_si128((int)four));
    *tail += tails[classes];
    return _mm_sub_epi32(_mm_shuffle_epi8(bytes, *(const __m128i *)orders[classes]), *(const __m128i *)biases[classes]);
}

/* Reads whole blocks of short heads as xtf_sum_numbers() does, from *sum on. Returns the number of numbers. */
BLOCKS static uint32_t sum_blocks(XtfNumberReader *numbers, uint32_t count, uint32_t *sum, uint32_t *sums)
{
    const uint8_t *head = numbers->head, *tail = numbers->tail;
    __m128i before = _mm_set1_epi32((int)*sum);
    uint8_t classes[BLOCK / 4];
    uint32_t n = 0;

    for (; count - n >= BLOCK && *sum <= SUM_BEFORE_MAX && find_classes(head, classes); n += BLOCK, head += BLOCK) {
        for (unsigned i = 0; i < BLOCK / 4; i++) {
            __m128i four = read_four(head + 4 * i, &tail, classes[i]);
            four = _mm_add_epi32(four, _mm_slli_si128(four, 4));
            four = _mm_add_epi32(_mm_add_epi32(four, _mm_slli_si128(four, 8)), before);
            before = _mm_shuffle_epi32(four, 0xff);
            _mm_storeu_si128((__m128i_u *)(sums + n + 4 * i), four);
        }
        *sum = (uint32_t)_mm_cvtsi128_si32(before);
    }
    numbers->head = head;
    numbers->tail = tail;
    return n;
}

/* Reads whole steps of short heads as xtf_sample_times() does. Returns the number of numbers. */
BLOCKS static uint32_t sample_blocks(XtfNumberReader *numbers, uint32_t count, uint64_t *time,
                                     const uint8_t *first_tail, XtfTimeSample *samples)
{
    const uint8_t *head = numbers->head, *tail = numbers->tail;
    uint8_t classes[XTF_TIMES_STEP / 4];
    uint32_t n = 0;

    for (; count - n >= XTF_TIMES_STEP && *time <= UINT64_MAX - UINT32_MAX;
         n += XTF_TIMES_STEP, head += XTF_TIMES_STEP) {
        __m128i sum = _mm_setzero_si128();
        if (!find_classes(head, classes) || !find_classes(head + BLOCK, classes + BLOCK / 4))
            break;
        for (unsigned i = 0; i < XTF_TIMES_STEP / 4; i++)
            sum = _mm_add_epi32(sum, read_four(head + 4 * i, &tail, classes[i]));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
        *time += (uint32_t)_mm_cvtsi128_si32(sum);
        *samples++ = (XtfTimeSample){.time = *time, .tail = (uint64_t)(tail - first_tail)};
    }
    numbers->head = head;
    numbers->tail = tail;
    return n;
}

#else

static bool reads_blocks(void)
{
    return false;
}

static uint32_t sum_blocks(XtfNumberReader *numbers, uint32_t count, uint32_t *sum, uint32_t *sums)
{
    (void)numbers, (void)count, (void)sum, (void)sums;
    return 0;
}

static uint32_t sample_blocks(XtfNumberReader *numbers, uint32_t count, uint64_t *time, const uint8_t *first_tail,
                              XtfTimeSample *samples)
{
    (void)numbers, (void)count, (void)time, (void)first_tail, (void)samples;
    return 0;
}

#endif

uint64_t xtf_sum_numbers(XtfNumberReader *numbers, uint32_t count, uint32_t *sums)
{
    const bool blocks = reads_blocks();
    uint64_t highest = 0;
    uint32_t sum = 0;

    for (uint32_t n = 0; n < count && highest <= UINT32_MAX;) {
        n += blocks ? sum_blocks(numbers, count - n, &sum, sums + n) : 0;
        uint64_t total = sum;
        for (uint32_t end = n + MIN(count - n, BLOCK); n < end; n++) {
            uint64_t number = xtf_next_number(numbers);
            total += number;
            highest |= number | total; /* of bits, so of at least 33 if one is */
            sums[n] = sum = (uint32_t)total;
        }
    }
    return highest <= UINT32_MAX ? sum : UINT64_MAX;
}

bool xtf_sample_times(XtfNumberReader numbers, uint32_t count, XtfTimeSample *samples)
{
    const uint8_t *first_tail = numbers.tail;
    const bool blocks = reads_blocks();
    uint64_t time = xtf_next_number(&numbers);
    bool fits = true;

    samples[0] = (XtfTimeSample){.time = time, .tail = (uint64_t)(numbers.tail - first_tail)};
    for (uint32_t n = 1; n < count;) {
        n += blocks ? sample_blocks(&numbers, count - n, &time, first_tail, samples + n / XTF_TIMES_STEP + 1) : 0;
        for (uint32_t end = MIN(count, n + XTF_TIMES_STEP); n < end; n++) {
            uint64_t number = xtf_next_number(&numbers);
            time += number;
            fits &= time >= number;
            if (n % XTF_TIMES_STEP == 0)
                samples[n / XTF_TIMES_STEP] =
                    (XtfTimeSample){.time = time, .tail = (uint64_t)(numbers.tail - first_tail)};
        }
    }
    return fits;
}

bool xtf_sum_times(XtfNumberReader *numbers, uint64_t before, uint32_t count, uint64_t *times)
{
    enum { AT_ONCE = 512 };
    uint32_t sums[AT_ONCE];
    bool fits = true;

    for (uint32_t n = 0, some; n < count; n += some) {
        XtfNumberReader start = *numbers;
        some = MIN(count - n, AT_ONCE);
        uint64_t sum = xtf_sum_numbers(numbers, some, sums);
        if (sum <= UINT32_MAX && sum <= UINT64_MAX - before) {
            for (uint32_t i = 0; i < some; i++)
                times[n + i] = before + sums[i];
        } else {
            *numbers = start;
            for (uint32_t i = 0; i < some; i++) {
                uint64_t time = before, number = xtf_next_number(numbers);
                times[n + i] = before += number;
                fits &= before >= time;
            }
        }
        before = times[n + some - 1];
    }
    return fits;
}
