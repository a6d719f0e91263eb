/* Tests the walk of the critical path: over waits that are known in closed form, over random ones, and over
 * impossible ones. */
#include <criterion/criterion.h>
#include <glib.h>

#include "src/analysis/path/critical-path.h"

enum { LOCATIONS_MAX = 8 };

typedef struct {
    XtfPathWait wait;
    uint64_t seq;
} Row;

typedef struct {
    GArray *rows[LOCATIONS_MAX]; /* Row, by ascending end */
    GArray *segments;            /* XtfPathSegment, the latest first */
    uint32_t n;
    uint64_t circles;
} Program;

static void program_init(Program *program, uint32_t n)
{
    *program = (Program){.n = n, .segments = g_array_new(FALSE, FALSE, sizeof(XtfPathSegment))};
    for (uint32_t i = 0; i < n; i++)
        program->rows[i] = g_array_new(FALSE, FALSE, sizeof(Row));
}

static void program_finish(Program *program)
{
    for (uint32_t i = 0; i < program->n; i++)
        g_array_unref(program->rows[i]);
    g_array_unref(program->segments);
}

static void add_wait(Program *program, uint32_t location, uint64_t end, uint64_t seq, uint32_t culprit, uint64_t before)
{
    Row row = {.wait = {.end = end, .culprit = culprit, .culprit_seq = before}, .seq = seq};
    g_array_append_val(program->rows[location], row);
}

static bool find_wait(void *data, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait, bool *found,
                      GError **error)
{
    const Program *program = data;

    *found = false;
    for (guint i = program->rows[location]->len; i-- > 0 && !*found;) {
        const Row *row = &g_array_index(program->rows[location], Row, i);
        *found = row->wait.end <= end && row->seq < seq;
        *wait = row->wait;
    }
    return true;
}

static bool add_segment(void *data, const XtfPathSegment *segment, GError **error)
{
    Program *program = data;
    g_array_append_val(program->segments, *segment);
    return true;
}

static const XtfPathSegment *walk_path(Program *program, uint32_t last, uint64_t end)
{
    static const uint64_t starts[LOCATIONS_MAX];
    const XtfPathWalk walk = {.n_locations = program->n,
                              .starts = starts,
                              .last = last,
                              .end = end,
                              .seq = UINT64_MAX,
                              .find_wait = find_wait,
                              .add_segment = add_segment,
                              .data = program};
    GError *error = NULL;

    cr_assert(xtf_path_walk(&walk, &program->circles, &error));
    return (const XtfPathSegment *)(void *)program->segments->data;
}

/* Checks that the segments lie side by side from 0 to `end`, that none is empty, and that each names the location
 * after it. */
static void check_tiles(const Program *program, uint64_t end)
{
    uint32_t next = XTF_PATH_NOWHERE;

    for (guint i = 0; i < program->segments->len; i++) {
        const XtfPathSegment *segment = &g_array_index(program->segments, XtfPathSegment, i);
        cr_assert_eq(segment->end, end);
        cr_assert_lt(segment->begin, segment->end);
        cr_assert_eq(segment->next, next);
        end = segment->begin;
        next = segment->location;
    }
    cr_assert_eq(end, 0);
}

/* A chain of three causes: 0 computes until 100 and sends to 1, which computes 50 and sends to 2, which computes 25. */
Test(path, chain)
{
    Program program;

    program_init(&program, 3);
    add_wait(&program, 1, 100, 5, 0, 3);
    add_wait(&program, 2, 150, 5, 1, 9);
    const XtfPathSegment *segments = walk_path(&program, 2, 175);
    cr_assert_eq(program.segments->len, 3);
    cr_assert_eq(segments[0].location, 2);
    cr_assert_eq(segments[1].location, 1);
    cr_assert_eq(segments[2].location, 0);
    cr_assert_eq(segments[0].begin, 150);
    cr_assert_eq(segments[1].begin, 100);
    cr_assert_eq(segments[1].seq, 9);
    cr_assert_eq(segments[2].seq, 3);
    check_tiles(&program, 175);
    cr_assert_eq(program.circles, 0);
    program_finish(&program);
}

/* A wait after the record that was waited for is not on the path, even if it ended by that time. */
Test(path, record_before_time)
{
    Program program;

    program_init(&program, 3);
    add_wait(&program, 1, 40, 4, 2, 1);
    add_wait(&program, 1, 100, 8, 2, 1); /* record 6 is the ENTER of this call; location 0 waited for that record */
    add_wait(&program, 0, 100, 2, 1, 6);
    const XtfPathSegment *segments = walk_path(&program, 0, 120);
    cr_assert_eq(program.segments->len, 3);
    cr_assert_eq(segments[1].location, 1);
    cr_assert_eq(segments[1].begin, 40);
    check_tiles(&program, 120);
    program_finish(&program);
}

/* The path crosses a location without activity: no segment is empty. */
Test(path, passing_through)
{
    Program program;

    program_init(&program, 3);
    add_wait(&program, 1, 100, 2, 2, 5);
    add_wait(&program, 0, 100, 2, 1, 4);
    const XtfPathSegment *segments = walk_path(&program, 0, 130);
    cr_assert_eq(program.segments->len, 2);
    cr_assert_eq(segments[0].location, 0);
    cr_assert_eq(segments[1].location, 2);
    cr_assert_eq(segments[1].next, 0);
    check_tiles(&program, 130);
    program_finish(&program);
}

/* Two locations that wait for each other at one time: the path still ends, and is as long as the run. */
Test(path, circle)
{
    Program program;

    program_init(&program, 2);
    add_wait(&program, 0, 50, 2, 1, 9);
    add_wait(&program, 1, 50, 2, 0, 9);
    walk_path(&program, 0, 80);
    cr_assert_gt(program.circles, 0);
    check_tiles(&program, 80);
    program_finish(&program);
}

/* Contradictory clocks: whichever location is the culprit, the segments lie side by side. */
Test(path, random_waits)
{
    g_autoptr(GRand) dice = g_rand_new_with_seed(4711);

    for (unsigned round = 0; round < 2000; round++) {
        Program program;
        uint32_t n = (uint32_t)g_rand_int_range(dice, 1, LOCATIONS_MAX + 1);
        program_init(&program, n);
        for (uint32_t location = 0; location < n; location++) {
            uint64_t end = 0;
            for (uint64_t seq = 0; seq < 30; seq++) {
                end += (uint64_t)g_rand_int_range(dice, 1, round % 2 ? 3 : 20);
                add_wait(&program, location, end, seq, (uint32_t)g_rand_int_range(dice, 0, (int)n),
                         (uint64_t)g_rand_int_range(dice, 0, 40));
            }
        }
        uint64_t end = (uint64_t)g_rand_int_range(dice, 1, 600);
        walk_path(&program, (uint32_t)g_rand_int_range(dice, 0, (int)n), end);
        check_tiles(&program, end);
        program_finish(&program);
    }
}
