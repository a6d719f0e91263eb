/* Walks of the stack, compared with backtrace() of the C library; and unwind information of random bytes. */
#include <criterion/criterion.h>
#include <execinfo.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/record/stack/frame-program.h"
#include "src/record/stack/walk.h"
#include "tests/rounds.h"

enum {
    TRAIL_FRAMES = 8,
    FRAMES = 32,
    FRAMES_ABOVE = 8
}; /* FRAMES_ABOVE: frames of this test, and of a sanitizer that replaces backtrace() */

static unsigned n_compared, n_repeated;

/* Remembered walks of the first TRAIL_FRAMES frames. */
static struct {
    XtfStackTrail trail;
    uintptr_t from, addresses[TRAIL_FRAMES];
    unsigned n;
} remembered[16];

/* Checks that each remembered walk that the trail says is the same has the addresses of this one. Then remembers this
 * one. */
static void compare_trails(const XtfStackBounds *bounds, const void *frame, uintptr_t from, const uintptr_t *walked,
                           unsigned n)
{
    static unsigned next;

    for (size_t i = 0; i < G_N_ELEMENTS(remembered); i++) {
        if (remembered[i].from != from || !xtf_stack_is_same(bounds, frame, &remembered[i].trail))
            continue;
        cr_assert_eq(remembered[i].n, MIN(n, TRAIL_FRAMES));
        for (unsigned k = 0; k < remembered[i].n; k++)
            cr_assert_eq(remembered[i].addresses[k], walked[k], "frame %u", k);
        n_repeated++;
    }
    size_t place = next++ % G_N_ELEMENTS(remembered);
    remembered[place].from = from;
    remembered[place].n =
        xtf_stack_walk(bounds, frame, from, TRAIL_FRAMES, remembered[place].addresses, &remembered[place].trail);
}

/* Compares the return addresses of this function and of its callers with the result of backtrace(). */
static __attribute__((noinline)) int compare(void)
{
    XtfStackBounds bounds = xtf_stack_bounds();
    uintptr_t walked[FRAMES];
    void *expected[FRAMES + FRAMES_ABOVE];
    const void *frame = __builtin_frame_address(0);
    uintptr_t from = (uintptr_t)__builtin_return_address(0);
    XtfStackTrail trail;
    unsigned n = xtf_stack_walk(&bounds, frame, from, FRAMES, walked, &trail);
    unsigned n_expected = (unsigned)backtrace(expected, FRAMES + FRAMES_ABOVE), first = 0;

    while (first < n_expected && first < FRAMES_ABOVE && (uintptr_t)expected[first] != walked[0])
        first++;
    cr_assert_eq(n, MIN(n_expected - first, FRAMES));
    for (unsigned i = 0; i < n; i++)
        cr_assert_eq(walked[i], (uintptr_t)expected[first + i], "frame %u", i);
    cr_assert_geq(n, 3);
    n_compared++;
    compare_trails(&bounds, frame, from, walked, n);
    return (int)n;
}

/* Calls functions of all kinds, in any order. The result of a call is used, so that none is a tail call. */
static int descend_to(unsigned depth);

static __attribute__((noinline, optimize("omit-frame-pointer"))) int call_without_pointer(unsigned depth)
{
    return descend_to(depth) + 1;
}

static __attribute__((noinline, optimize("no-omit-frame-pointer"))) int call_with_pointer(unsigned depth)
{
    return descend_to(depth) + 1;
}

static __attribute__((noinline)) int call_with_space(unsigned depth)
{
    volatile char *space = __builtin_alloca(16 * depth + 1);

    space[0] = 1;
    return descend_to(depth) + space[0];
}

static __attribute__((noinline)) int call_aligned(unsigned depth)
{
    volatile _Alignas(64) char aligned[128] = {1};

    return descend_to(depth) + aligned[0];
}

static int compare_in_sort(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b + 0 * compare();
}

static __attribute__((noinline)) int call_from_library(unsigned depth)
{
    int numbers[] = {3, 1, 2};

    qsort(numbers, G_N_ELEMENTS(numbers), sizeof *numbers, compare_in_sort);
    return descend_to(depth) + numbers[0];
}

static int descend_to(unsigned depth)
{
    static int (*const kinds[])(unsigned) = {call_without_pointer, call_with_pointer, call_with_space, call_aligned,
                                             call_from_library};

    if (depth == 0)
        return compare() + 1;
    return kinds[g_random_int_range(0, G_N_ELEMENTS(kinds))](depth - 1) + 1;
}

static void *descend_often(void *unused)
{
    for (unsigned i = 0; i < TEST_ROUNDS(400); i++)
        descend_to(i % 20);
    return unused;
}

Test(walk, agrees_with_the_c_library)
{
    pthread_t thread;

    g_random_set_seed(1);
    descend_often(NULL);
    cr_assert_eq(pthread_create(&thread, NULL, descend_often, NULL), 0);
    pthread_join(thread, NULL);
    cr_assert_geq(n_compared, 2 * TEST_ROUNDS(400));
    cr_assert_gt(n_repeated, 0);
    cr_assert_lt(n_repeated, n_compared);
}

/* Returns the number of addresses of a walk whose bounds or start do not fit the stack. */
static __attribute__((noinline)) unsigned walk_elsewhere(XtfStackBounds bounds, uintptr_t from, uintptr_t *addresses)
{
    XtfStackTrail trail;
    unsigned n = xtf_stack_walk(&bounds, __builtin_frame_address(0), from, FRAMES, addresses, &trail);

    cr_assert_eq(trail.n, 0);
    return n;
}

Test(walk, writes_one_address_on_an_unknown_stack)
{
    uintptr_t addresses[FRAMES];
    XtfStackBounds bounds = xtf_stack_bounds(), low = {1, 4096};

    cr_assert_eq(walk_elsewhere(low, 77, addresses), 1);
    cr_assert_eq(walk_elsewhere((XtfStackBounds){0}, 78, addresses), 1);
    cr_assert_eq(walk_elsewhere(bounds, 79, addresses), 1); /* no frame returns to 79 */
    cr_assert_eq(addresses[0], 79);
}

/* Returns random instructions in memory of their exact size, so that a sanitizer sees a read beyond the end. */
static XtfStackBytes make_instructions(GRand *random)
{
    size_t n = (size_t)g_rand_int_range(random, 0, 16);
    uint8_t *bytes = g_malloc(n);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)g_rand_int_range(random, 0, g_rand_boolean(random) ? 256 : 0x17);
    return (XtfStackBytes){.at = bytes, .end = bytes + n};
}

Test(walk, survives_random_instructions)
{
    /* The CFA is the stack pointer + 8, and the return address is in the word below. */
    static const uint8_t usual[] = {0x0c, 7, 8, 0x90, 1};
    GRand *random = g_rand_new_with_seed(2);
    unsigned known = 0, n = TEST_ROUNDS(200000);

    for (unsigned i = 0; i < n; i++) {
        XtfFrameProgram program = {.begin = 1000, .code_unit = 1, .data_unit = -8, .own = make_instructions(random)};
        XtfStackBytes common = make_instructions(random);
        program.common = i % 2 ? common : (XtfStackBytes){.at = usual, .end = usual + sizeof usual};
        known += xtf_stack_cfa(xtf_frame_rule(&program, 1010)) != XTF_STACK_UNKNOWN;
        g_free((void *)program.own.at);
        g_free((void *)common.at);
    }
    g_rand_free(random);
    cr_assert_gt(known, 0);
    cr_assert_lt(known, n);
}
