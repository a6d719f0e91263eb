/* Views of waits and delays compared with sums over the rows that were written. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rounds.h"
#include "tests/tree/traces/waits.h"

static const char *const kinds[] = {"late_sender", "late_receiver", "wait_barrier", "wait_nxn"};

enum { KINDS = 4, PLACES = WAITS_REGIONS + 1 /* regions or call paths, then none of them */, VALUES = 3, ANY = -1 };

G_STATIC_ASSERT(WAITS_CONTEXTS == WAITS_REGIONS);

/* A random selection; its path has its parts in random order. */
typedef struct {
    GString *path; /* with the component of the type */
    gint32 proc, thread, kind, region, comm, tag, culprit;
    uint64_t a, b;
} Pick;

static uint32_t random_number(const Waits *waits, uint32_t n)
{
    return (uint32_t)g_rand_int_range(waits->random, 0, (gint32)n);
}

static gint32 pick_number(const Waits *waits, GPtrArray *parts, const char *name, uint32_t n, unsigned one_in)
{
    if (random_number(waits, one_in))
        return ANY;
    gint32 number = (gint32)random_number(waits, n);
    g_ptr_array_add(parts, g_strdup_printf("%s/%d", name, number));
    return number;
}

static gint32 pick_word(const Waits *waits, GPtrArray *parts, const char *name, const char *const *words, uint32_t n,
                        unsigned one_in)
{
    if (random_number(waits, one_in))
        return ANY;
    uint32_t i = random_number(waits, n);
    g_ptr_array_add(parts, g_strconcat(name, words[i], NULL));
    return (gint32)i;
}

static void pick_window(const Waits *waits, GPtrArray *parts, Pick *pick)
{
    uint32_t end = (uint32_t)waits->end;

    pick->a = 0;
    pick->b = end;
    if (!random_number(waits, 3))
        return;
    pick->a = random_number(waits, end);
    pick->b = pick->a + random_number(waits, random_number(waits, 2) ? 400 : end);
    pick->b = MIN(pick->b, end);
    g_ptr_array_add(parts, g_strdup_printf("time/%" PRIu64 "ns-%" PRIu64 "ns", pick->a, pick->b));
}

static Pick pick_random(const Waits *waits, const char *type)
{
    static const char *const comms[] = {"#0", "#1", "#2"};
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    Pick pick = {.path = g_string_new(NULL), .tag = ANY, .culprit = ANY, .comm = ANY};
    bool are_waits = g_str_equal(type, "waits");

    pick.proc = pick_number(waits, parts, "proc", WAITS_PROCS, 2);
    pick.thread = pick_number(waits, parts, "thread", WAITS_THREADS, 4);
    pick.region = pick_word(waits, parts, "region/", waits_regions, WAITS_REGIONS, 4);
    if (are_waits) {
        pick.comm = pick_word(waits, parts, "comm/", comms, WAITS_COMMS, 4);
        pick.tag = pick_number(waits, parts, "tag", WAITS_TAGS, 6);
        pick.culprit = pick_number(waits, parts, "culprit", WAITS_PROCS, 3);
    }
    pick_window(waits, parts, &pick);
    /* The type may be anywhere in the path. A kind may be anywhere after the type. */
    unsigned at = random_number(waits, parts->len + 1);
    for (unsigned i = parts->len; i > 1; i--) {
        unsigned j = random_number(waits, i);
        gpointer swapped = parts->pdata[j];
        parts->pdata[j] = parts->pdata[i - 1];
        parts->pdata[i - 1] = swapped;
    }
    g_ptr_array_insert(parts, (gint)at, g_strdup(type));
    pick.kind = ANY;
    if (!random_number(waits, 3)) {
        pick.kind = (gint32)random_number(waits, KINDS);
        g_ptr_array_insert(parts, (gint)(at + 1 + random_number(waits, parts->len - at)), g_strdup(kinds[pick.kind]));
    }
    for (unsigned i = 0; i < parts->len; i++)
        g_string_append_printf(pick.path, "/%s", (const char *)parts->pdata[i]);
    return pick;
}

static bool is_wanted(gint32 wanted, uint64_t value)
{
    return wanted == ANY || (uint64_t)wanted == value;
}

static bool takes_wait(const Pick *pick, const KnownWait *wait)
{
    return is_wanted(pick->proc, wait->proc) && is_wanted(pick->thread, wait->thread) &&
           is_wanted(pick->kind, wait->row.event) && is_wanted(pick->region, wait->row.region) &&
           is_wanted(pick->comm, wait->row.comm) && is_wanted(pick->tag, wait->row.tag) &&
           is_wanted(pick->culprit, wait->row.culprit);
}

/* Returns the part of a wait's value before t, in proportion and rounded down. */
static uint64_t part_before(const XtfWaitsRow *row, uint64_t value, uint64_t t)
{
    uint64_t begin = row->time - row->amount, part = t <= begin ? 0 : MIN(t, row->time) - begin;
    return row->amount ? value * part / row->amount : 0;
}

typedef struct {
    bool listed;
    uint64_t rows, values[VALUES];
} Sum;

typedef struct {
    Sum of[KINDS][PLACES];
    uint64_t rows, all[VALUES];
} Sums;

static unsigned place_of(uint32_t row)
{
    return row == XTF_NONE32 ? PLACES - 1 : row;
}

static void add_waits(const Waits *waits, const Pick *pick, Sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (unsigned i = 0; i < waits->waits->len; i++) {
        const KnownWait *wait = &g_array_index(waits->waits, KnownWait, i);
        const XtfWaitsRow *row = &wait->row;
        const uint64_t values[VALUES] = {row->amount, row->indirect, row->propagating};
        Sum *sum = &sums->of[row->event][place_of(row->region)];
        sum->listed |= is_wanted(pick->kind, row->event) && is_wanted(pick->region, row->region);
        if (!takes_wait(pick, wait))
            continue;
        bool inside = row->time >= pick->a && row->time < pick->b;
        sum->rows += inside;
        sums->rows += inside;
        for (unsigned v = 0; v < VALUES; v++) {
            uint64_t part = part_before(row, values[v], pick->b) - part_before(row, values[v], pick->a);
            sum->values[v] += part;
            sums->all[v] += part;
        }
    }
}

static void add_delays(const Waits *waits, const Pick *pick, bool by_callpath, Sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (unsigned i = 0; i < waits->delays->len; i++) {
        const KnownDelay *delay = &g_array_index(waits->delays, KnownDelay, i);
        const XtfDelaysRow *row = &delay->row;
        Sum *sum = &sums->of[row->event][place_of(by_callpath ? row->context : row->region)];
        bool fit = is_wanted(pick->kind, row->event) && is_wanted(pick->region, row->region);
        sum->listed |= fit;
        if (!fit || !is_wanted(pick->proc, delay->proc) || !is_wanted(pick->thread, delay->thread) ||
            row->time < pick->a || row->time >= pick->b)
            continue;
        sum->rows++;
        sums->rows++;
        sum->values[0] += row->short_term;
        sum->values[1] += row->long_term;
    }
}

static GString *read_at(const Waits *waits, const Pick *pick, const char *file)
{
    g_autofree char *path = g_strdup_printf("%s/%s", pick->path->str, file);
    return written_read(&waits->written, path);
}

static void check_count(const Waits *waits, const Pick *pick, uint64_t expected)
{
    GString *text = read_at(waits, pick, "count");
    cr_assert_eq(g_ascii_strtoull(text->str, NULL, 10), expected, "%s: %s not %" PRIu64, pick->path->str, text->str,
                 expected);
    g_string_free(text, TRUE);
}

static uint64_t ticks_of(const char *text)
{
    char *end;
    uint64_t s = g_ascii_strtoull(text, &end, 10);
    return s * 1000000000 + (*end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0);
}

static unsigned word_in(const char *word, const char *const *words, unsigned n)
{
    unsigned i = 0;

    while (i < n && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* Compares a table of sums: each sum has one line, and the lines are in order. Columns: kind rows values... place */
static void check_lines(const Waits *waits, const Pick *pick, const char *file, Sums *sums, unsigned n_values,
                        bool by_sum)
{
    const char *const *places = g_str_equal(file, "profile") ? waits_regions : waits_contexts;
    GString *text = read_at(waits, pick, file);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    uint64_t last = UINT64_MAX;

    for (unsigned i = 1; lines[i]; i++) {
        g_auto(GStrv) cells = g_regex_split_simple(" +", g_strstrip(lines[i]), 0, 0);
        unsigned kind = word_in(cells[0], kinds, KINDS), n = g_strv_length(cells);
        unsigned place = word_in(cells[n - 1], places, PLACES - 1);
        uint64_t first = 0;
        cr_assert(kind < KINDS, "%s: %s", pick->path->str, lines[i]);
        Sum *sum = &sums->of[kind][place];
        cr_assert(sum->listed, "%s: %s", pick->path->str, lines[i]);
        sum->listed = false;
        cr_assert_eq(g_ascii_strtoull(cells[1], NULL, 10), sum->rows, "%s: %s", pick->path->str, lines[i]);
        for (unsigned v = 0; v < n_values; v++) {
            cr_assert_eq(ticks_of(cells[2 + v]), sum->values[v], "%s: %s: %" PRIu64, pick->path->str, lines[i],
                         sum->values[v]);
            first += v == 0 || by_sum ? sum->values[v] : 0;
        }
        cr_assert_leq(first, last, "%s: %s", pick->path->str, lines[i]);
        last = first;
    }
    for (unsigned i = 0; i < KINDS * PLACES; i++)
        cr_assert_not(sums->of[i / PLACES][i % PLACES].listed, "%s: %u", pick->path->str, i);
    g_string_free(text, TRUE);
}

/* Compares a matrix with a line for each pair that waits anywhere: waiter, culprit, waits, amount. */
static void check_matrix(const Waits *waits, const Pick *pick)
{
    struct {
        bool listed;
        uint64_t waits, amount;
    } pairs[WAITS_PROCS][WAITS_PROCS] = {0};
    GString *expected = g_string_new(NULL), *text = read_at(waits, pick, "matrix");

    for (unsigned i = 0; i < waits->waits->len; i++) {
        const KnownWait *wait = &g_array_index(waits->waits, KnownWait, i);
        const XtfWaitsRow *row = &wait->row;
        if (row->culprit == XTF_NONE32 || !is_wanted(pick->culprit, row->culprit) || !is_wanted(pick->proc, wait->proc))
            continue;
        pairs[wait->proc][row->culprit].listed = true;
        if (!takes_wait(pick, wait))
            continue;
        pairs[wait->proc][row->culprit].waits += row->time >= pick->a && row->time < pick->b;
        pairs[wait->proc][row->culprit].amount +=
            part_before(row, row->amount, pick->b) - part_before(row, row->amount, pick->a);
    }
    for (unsigned i = 0; i < WAITS_PROCS * WAITS_PROCS; i++)
        if (pairs[i / WAITS_PROCS][i % WAITS_PROCS].listed)
            g_string_append_printf(expected, "%u %u %" PRIu64 " %" PRIu64 "\n", i / WAITS_PROCS, i % WAITS_PROCS,
                                   pairs[i / WAITS_PROCS][i % WAITS_PROCS].waits,
                                   pairs[i / WAITS_PROCS][i % WAITS_PROCS].amount);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    GString *shown = g_string_new(NULL);
    for (unsigned i = 1; lines[i]; i++) {
        g_auto(GStrv) cells = g_regex_split_simple(" +", g_strstrip(lines[i]), 0, 0);
        g_string_append_printf(shown, "%s %s %s %" PRIu64 "\n", cells[0], cells[1], cells[2], ticks_of(cells[3]));
    }
    cr_assert_str_eq(shown->str, expected->str, "%s", pick->path->str);
    g_string_free(text, TRUE);
    g_string_free(shown, TRUE);
    g_string_free(expected, TRUE);
}

/* Compares a histogram with a line for each of 100 slices of the window: from to waits amount indirect propagating. */
static void check_histogram(const Waits *waits, const Pick *pick)
{
    GString *text = read_at(waits, pick, "histogram");
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    Pick slice = *pick;
    Sums sums;

    cr_assert_eq(g_strv_length(lines), 101);
    for (unsigned i = 1; i <= 100; i++) {
        g_auto(GStrv) cells = g_regex_split_simple(" +", g_strstrip(lines[i]), 0, 0);
        slice.a = ticks_of(cells[0]);
        slice.b = ticks_of(cells[1]);
        cr_assert(i > 1 || slice.a == pick->a);
        cr_assert(i < 100 || slice.b == pick->b);
        add_waits(waits, &slice, &sums);
        cr_assert_eq(g_ascii_strtoull(cells[2], NULL, 10), sums.rows, "%s: %s", pick->path->str, lines[i]);
        for (unsigned v = 0; v < VALUES; v++)
            cr_assert_eq(ticks_of(cells[3 + v]), sums.all[v], "%s: %s: %" PRIu64, pick->path->str, lines[i],
                         sums.all[v]);
    }
    g_string_free(text, TRUE);
}

Test(waits, selections_of_all_kinds_are_counted_and_added_up)
{
    for (uint32_t seed = 0; seed < 3; seed++) {
        g_autoptr(Waits) waits = waits_new(seed, seed == 2 ? 20000 : 900);
        Sums sums;
        for (unsigned i = 0; i < TEST_ROUNDS(120); i++) {
            Pick pick = pick_random(waits, i % 4 ? "waits" : "delays");
            if (i % 4)
                add_waits(waits, &pick, &sums);
            else
                add_delays(waits, &pick, false, &sums);
            check_count(waits, &pick, sums.rows);
            check_lines(waits, &pick, "profile", &sums, i % 4 ? 3 : 2, i % 4 == 0);
            if (i % 4) {
                check_matrix(waits, &pick);
            } else {
                add_delays(waits, &pick, true, &sums);
                check_lines(waits, &pick, "callpaths", &sums, 2, true);
            }
            if (i % 16 == 1)
                check_histogram(waits, &pick);
            g_string_free(pick.path, TRUE);
        }
    }
}

Test(waits, histograms_of_very_many_waits_match)
{
    g_autoptr(Waits) waits = waits_new(8, 20000);

    for (unsigned i = 0; i < 3; i++) {
        Pick pick = pick_random(waits, "waits");
        check_histogram(waits, &pick);
        g_string_free(pick.path, TRUE);
    }
    Pick all = {.path = g_string_new("/waits"), .proc = ANY, .thread = ANY, .kind = ANY, .region = ANY};
    all.comm = all.tag = all.culprit = ANY;
    all.b = waits->end;
    check_histogram(waits, &all);
    g_string_free(all.path, TRUE);
}

/* Returns the sum of a column over all lines. */
static uint64_t column_sum(const Waits *waits, const char *path, unsigned column)
{
    GString *text = written_read(&waits->written, path);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    uint64_t sum = 0;

    for (unsigned i = 1; lines[i]; i++) {
        g_auto(GStrv) cells = g_regex_split_simple(" +", g_strstrip(lines[i]), 0, 0);
        sum += ticks_of(cells[column]);
    }
    g_string_free(text, TRUE);
    return sum;
}

Test(waits, any_partition_of_time_adds_up)
{
    g_autoptr(Waits) waits = waits_new(7, 500);

    for (unsigned column = 2; column < 5; column++) {
        uint64_t whole = column_sum(waits, "waits/profile", column), parts = 0;
        for (uint64_t a = 0, b; a < waits->end; a = b) {
            b = MIN(a + 1 + random_number(waits, random_number(waits, 2) ? 5000 : 60), waits->end);
            g_autofree char *path = g_strdup_printf("time/%" PRIu64 "ns-%" PRIu64 "ns/waits/profile", a, b);
            parts += column_sum(waits, path, column);
        }
        cr_assert_eq(parts, whole);
        cr_assert_gt(whole, 0);
    }
}

static void assert_missing(const Waits *waits, const char *path, const char *says)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(waits->written.tree, path, &error);

    cr_assert(!node && g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s", path);
    cr_assert(strstr(error->message, says), "%s: %s", path, error->message);
    g_error_free(error);
}

Test(waits, invalid_names_are_explained)
{
    g_autoptr(Waits) waits = waits_new(3, 50);

    assert_missing(waits, "waits/late_bird", "kind");
    assert_missing(waits, "late_sender", "kind of waits");
    assert_missing(waits, "culprit/99", "process");
    assert_missing(waits, "waits/num/0-5/profile", "num/");
    assert_missing(waits, "culprit/1/profile", "culprit/");
    assert_missing(waits, "enters_leaves/culprit/1/profile", "culprit/");
    cr_assert_eq(column_sum(waits, "waits/late_sender,late_receiver/profile", 2),
                 column_sum(waits, "waits/late_sender/profile", 2) +
                     column_sum(waits, "waits/late_receiver/profile", 2));
    cr_assert_eq(column_sum(waits, "waits/late_*/profile", 2),
                 column_sum(waits, "waits/late_sender,late_receiver/profile", 2));
}

/* A wait that begins before the trace is damage, and views print no figure. */
Test(waits, waits_that_begin_before_the_trace_are_damage)
{
    static const uint64_t lengths[] = {201, UINT64_MAX - 1};

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_auto(Written) written = {0};
        Writing writing = {0};
        GError *error = NULL;
        writing_begin(&writing);
        writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = 1});
        writing_append(&writing, 1, XTF_MODEL_ENTERS_LEAVES, &(XtfEntersLeavesRow){.time = 100, .outermost = 1});
        writing_append(&writing, 1, XTF_MODEL_ENTERS_LEAVES, &(XtfEntersLeavesRow){.time = 200, .seq = 1, .event = 1});
        writing_append(&writing, 1, XTF_MODEL_WAITS, &(XtfWaitsRow){.time = 150, .amount = lengths[i]});
        writing_end(&writing, &written);
        g_autoptr(XtfNode) node = xtf_tree_resolve(written.tree, "waits/profile", &error);
        char byte;
        size_t length;
        cr_assert_not(node && xtf_node_read(node, xtf_node_size(node) - 1, &byte, 1, &length, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
        g_error_free(error);
    }
}
