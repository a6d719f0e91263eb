#include "libxtf/pack/read-planes.h"

enum { LANES = 16 }; /* bytes of a vector: one of each of 16 numbers */

typedef uint8_t Bytes __attribute__((vector_size(LANES)));
typedef uint16_t Pairs __attribute__((vector_size(LANES)));
typedef uint32_t Quads __attribute__((vector_size(LANES)));

/* Returns the vector of the given elements of two vectors, which are numbered one after the other. */
#ifdef __clang__
#define CHOOSE(Vector, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CHOOSE(Vector, a, b, ...) __builtin_shuffle(a, b, (Vector){__VA_ARGS__})
#endif

/* A plane: LANES bytes at `at`, and the next ones `step` bytes further. The step is 0 if all bytes are equal. */
typedef struct {
    const uint8_t *at;
    size_t step;
} Plane;

/* Joins the bytes of the first halves of two vectors in turn; the next function joins the second halves. */
static inline Pairs join_first_bytes(Bytes a, Bytes b)
{
    return (Pairs)CHOOSE(Bytes, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static inline Pairs join_last_bytes(Bytes a, Bytes b)
{
    return (Pairs)CHOOSE(Bytes, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

static inline Quads join_first_pairs(Pairs a, Pairs b)
{
    return (Quads)CHOOSE(Pairs, a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline Quads join_last_pairs(Pairs a, Pairs b)
{
    return (Quads)CHOOSE(Pairs, a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* Sets four numbers from their low and their high 32 bits. */
static inline void join_quads(Quads low, Quads high, uint64_t *numbers)
{
    const Quads first = CHOOSE(Quads, low, high, 0, 4, 1, 5), last = CHOOSE(Quads, low, high, 2, 6, 3, 7);

    memcpy(numbers, &first, sizeof first);
    memcpy(numbers + 2, &last, sizeof last);
}

/* Sets 16 numbers, whose bytes are in the planes at `n`. Each of three steps makes the elements of vectors twice as
 * wide. `planes` begins with the bytes that have the lowest address in a number. */
static void join_planes(const Plane planes[sizeof(uint64_t)], uint32_t n, uint64_t numbers[LANES])
{
    Pairs first[4], last[4];

    for (unsigned i = 0; i < 4; i++) {
        Bytes a, b;
        memcpy(&a, planes[2 * i].at + n * planes[2 * i].step, sizeof a);
        memcpy(&b, planes[2 * i + 1].at + n * planes[2 * i + 1].step, sizeof b);
        first[i] = join_first_bytes(a, b);
        last[i] = join_last_bytes(a, b);
    }
    join_quads(join_first_pairs(first[0], first[1]), join_first_pairs(first[2], first[3]), numbers);
    join_quads(join_last_pairs(first[0], first[1]), join_last_pairs(first[2], first[3]), numbers + 4);
    join_quads(join_first_pairs(last[0], last[1]), join_first_pairs(last[2], last[3]), numbers + 8);
    join_quads(join_last_pairs(last[0], last[1]), join_last_pairs(last[2], last[3]), numbers + 12);
}

/* Sets at most 16 numbers that are not side by side, or are the last ones. */
static void spread_numbers(const Plane planes[sizeof(uint64_t)], uint32_t n, uint32_t count, uint64_t *to,
                           uint32_t stride)
{
    uint64_t numbers[LANES];

    join_planes(planes, n, numbers);
    for (uint32_t i = 0; i < count; i++, to += stride)
        *to = numbers[i];
}

/* Reads a plane to `bytes`, which has space for LANES more than `count`. */
static bool read_plane(XtfPackReader *reader, uint32_t count, uint8_t *bytes, Plane *plane)
{
    bool repeats;

    if (!xtf_read_stream_to(reader, bytes, count, &repeats))
        return false;
    if (repeats)
        memset(bytes, bytes[0], LANES);
    else
        memset(bytes + count, 0, LANES);
    *plane = (Plane){bytes, repeats ? 0 : 1};
    return true;
}

bool xtf_read_planes(XtfPackReader *reader, uint32_t count, unsigned n_planes, uint64_t *to, uint32_t stride)
{
    static const uint8_t zeros[LANES];
    const size_t room = (size_t)count + LANES;
    uint8_t *bytes = xtf_scratch(XTF_SCRATCH_PLANES, n_planes * room);
    Plane planes[sizeof(uint64_t)];

    for (unsigned i = 0; i < sizeof(uint64_t); i++) {
        Plane *plane = &planes[G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : sizeof(uint64_t) - 1 - i];
        *plane = (Plane){zeros, 0}; /* of the upper bytes of a narrower field */
        if (i < n_planes && !read_plane(reader, count, bytes + i * room, plane))
            return false;
    }
    for (uint32_t n = 0; n < count; n += LANES, to += LANES * (size_t)stride)
        if (stride == 1 && count - n >= LANES)
            join_planes(planes, n, to);
        else
            spread_numbers(planes, n, MIN(count - n, (uint32_t)LANES), to, stride);
    return true;
}
