/* Adding up numbers several at once gives what adding up one after another does, wherever numbers are large. */
#include "fixture.h"

#include "libxtf/pack/sampled-times.h"

/* Numbers as xtf_put_number() writes them, in allocations that end with their readable bytes. */
typedef struct {
    uint64_t *numbers;
    uint32_t count;
    uint8_t *heads, *tails;
    size_t n_tails;
} Written;

static void clear_written(Written *written)
{
    g_free(written->numbers);
    g_free(written->heads);
    g_free(written->tails);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Written, clear_written)

static void write_numbers(Written *written)
{
    size_t most = (size_t)written->count * XTF_TAIL_MAX;
    written->heads = g_malloc(written->count + XTF_READABLE_AFTER);
    written->tails = g_malloc(most + XTF_TAIL_MAX);
    XtfNumberWriter writer = {written->heads, written->tails};

    for (uint32_t i = 0; i < written->count; i++)
        xtf_put_number(&writer, written->numbers[i]);
    written->n_tails = (size_t)(writer.tail - written->tails);
    written->tails = g_realloc(written->tails, written->n_tails + XTF_READABLE_AFTER);
    memset(written->heads + written->count, 0xff, XTF_READABLE_AFTER);
    memset(written->tails + written->n_tails, 0xff, XTF_READABLE_AFTER);
}

static XtfNumberReader read_written(const Written *written)
{
    return (XtfNumberReader){.heads = xtf_heads(), .head = written->heads, .tail = written->tails};
}

/* Returns a random number, at a border of its class once in four. One in `rarity` has a tail of 4 bytes or more. */
static uint64_t random_number(GRand *random, int rarity)
{
    const uint64_t borders[] = {
        192, 12480, 536768, 67645632, UINT64_C(67645632) + (UINT64_C(1) << 32), UINT64_C(1) << 40, UINT64_C(1) << 48};
    bool large = g_rand_int_range(random, 0, rarity) == 0;
    unsigned class = (unsigned)(large ? g_rand_int_range(random, 3, 7) : g_rand_int_range(random, 0, 4));
    uint64_t bound = borders[class], bits = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);

    if (!large && class == 3)
        bound = borders[3] - 1;
    return g_rand_int_range(random, 0, 4) == 0 ? bound - (bits & 1) : bits % bound;
}

/* Compares the sums with a plain addition. Adds the numbers to *n_narrow if the sums fit 32 bits. */
static void check_sums(const Written *written, uint32_t *n_narrow)
{
    g_autofree uint32_t *sums = g_new(uint32_t, written->count + 1);
    g_autofree uint64_t *times = g_new(uint64_t, written->count + 1);
    XtfNumberReader narrow = read_written(written), wide = narrow;
    const uint64_t before = 12345;
    uint64_t sum = 0, got = xtf_sum_numbers(&narrow, written->count, sums);
    bool is_narrow = true, rises = true;

    cr_assert(xtf_sum_times(&wide, before, written->count, times));
    cr_assert(wide.head == written->heads + written->count && wide.tail == written->tails + written->n_tails);
    for (uint32_t i = 0; i < written->count; i++) {
        rises &= sum + written->numbers[i] >= sum;
        sum += written->numbers[i];
        is_narrow &= sum <= UINT32_MAX;
        cr_assert(!is_narrow || sums[i] == sum, "sum %u is %u, not %" PRIu64, i, sums[i], sum);
        cr_assert(times[i] == before + sum, "time %u", i);
    }
    cr_assert(rises);
    cr_assert(got == (is_narrow ? sum : UINT64_MAX), "%u numbers: %" PRIu64, written->count, got);
    if (is_narrow) {
        cr_assert(narrow.head == wide.head && narrow.tail == wide.tail);
        *n_narrow += written->count;
    }
}

/* Compares each sample with the numbers up to its row. */
static void check_samples(const Written *written)
{
    uint32_t n_samples = (written->count + XTF_TIMES_STEP - 1) / XTF_TIMES_STEP;
    g_autofree XtfTimeSample *samples = g_new(XtfTimeSample, n_samples);
    XtfNumberReader reader = read_written(written);
    uint64_t time = 0;

    cr_assert(xtf_sample_times(reader, written->count, samples));
    for (uint32_t i = 0; i < written->count; i++) {
        time += written->numbers[i];
        cr_assert(xtf_next_number(&reader) == written->numbers[i]);
        if (i % XTF_TIMES_STEP != 0)
            continue;
        const XtfTimeSample *sample = &samples[i / XTF_TIMES_STEP];
        cr_assert(sample->time == time && sample->tail == (uint64_t)(reader.tail - written->tails), "sample %u",
                  i / XTF_TIMES_STEP);
    }
}

Test(sum_numbers, sums_are_those_of_the_numbers)
{
    const int rarities[] = {1 << 20, 400, 40, 3};
    g_autoptr(GRand) random = g_rand_new_with_seed(36);
    uint32_t n_narrow = 0;

    for (unsigned round = 0; round < 1200; round++) {
        g_auto(Written) written = {.count = 1 + (round < 200 ? round : (uint32_t)g_rand_int_range(random, 0, 3000))};
        written.numbers = g_new(uint64_t, written.count);
        bool small = g_rand_boolean(random); /* else sums soon exceed 32 bits */
        for (uint32_t i = 0; i < written.count; i++) {
            written.numbers[i] = random_number(random, rarities[round % G_N_ELEMENTS(rarities)]);
            if (small)
                written.numbers[i] %= 20000;
        }
        write_numbers(&written);
        check_sums(&written, &n_narrow);
        check_samples(&written);
    }
    cr_assert_gt(n_narrow, 400000);
}

/* The sum exceeds 32 bits, or a time 64 bits, by one number at any place, of few or all of the bits. */
Test(sum_numbers, sums_that_do_not_fit_are_found_at_any_place)
{
    enum { COUNT = 100 };
    uint32_t sums[COUNT];
    uint64_t times[COUNT];
    XtfTimeSample samples[COUNT / XTF_TIMES_STEP + 1];

    for (uint32_t place = 0; place < COUNT; place++) {
        const uint64_t fits_exactly = UINT32_MAX - (COUNT - 1) * UINT64_C(1000);
        const uint64_t numbers[] = {fits_exactly, fits_exactly + 1, UINT64_C(1) << 32, UINT64_MAX, UINT64_MAX - 50000};
        for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
            g_auto(Written) written = {.numbers = g_new(uint64_t, COUNT), .count = COUNT};
            for (uint32_t n = 0; n < COUNT; n++)
                written.numbers[n] = n == place ? numbers[i] : 1000;
            write_numbers(&written);
            XtfNumberReader first = read_written(&written), second = first, third = first;
            bool rises = numbers[i] <= UINT64_MAX - (COUNT - 1) * UINT64_C(1000);
            cr_assert_eq(xtf_sum_numbers(&first, COUNT, sums), i == 0 ? UINT32_MAX : UINT64_MAX);
            cr_assert_eq(xtf_sum_times(&second, 0, COUNT, times), rises, "number %zu at %u", i, place);
            cr_assert_eq(xtf_sample_times(third, COUNT, samples), rises, "number %zu at %u", i, place);
        }
    }
}
