/* What an analysis found: kinds of waits, and who makes others wait. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    MATRIX_BYTES_MOST = 32 << 20,
};

typedef unsigned __int128 Wide;

/* ---- Kinds of waits. */

enum { KIND, WAITS, AMOUNT_PERCENT, REGION };
static const char *const profile_columns[] = {"kind", "waits", "amount%", "region"};

enum { KINDS_MAX = 64 };

typedef struct {
    char *name, *region; /* the region with most */
    uint64_t waits, percent;
} Kind;

typedef struct {
    Kind kinds[KINDS_MAX];
    unsigned n;
    uint64_t percent; /* of all kinds */
} Kinds;

static void kinds_clear(Kinds *kinds)
{
    for (unsigned i = 0; i < kinds->n; i++) {
        g_free(kinds->kinds[i].name);
        g_free(kinds->kinds[i].region);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kinds, kinds_clear)

/* The longest comes first. */
static bool take_kind(const XtfRowCell *cells, void *data, GError **error)
{
    Kinds *kinds = data;
    unsigned i = 0;

    kinds->percent += xtf_row_number(&cells[AMOUNT_PERCENT]);
    while (i < kinds->n && !g_str_equal(kinds->kinds[i].name, cells[KIND].text))
        i++;
    if (i == KINDS_MAX)
        return true;
    Kind *kind = &kinds->kinds[i];
    if (i == kinds->n) {
        kinds->n++;
        kind->name = g_strdup(cells[KIND].text);
        kind->region = xtf_finding_name(cells[REGION].text);
    }
    kind->waits += xtf_row_number(&cells[WAITS]);
    kind->percent += xtf_row_number(&cells[AMOUNT_PERCENT]);
    return true;
}

static bool read_kinds(XtfFindingJob *job, Kinds *kinds, bool *exist, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) waits = xtf_finding_select_derived(job, XTF_DERIVED_WAITS, &failed);
    XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, take_kind, kinds);

    *exist = waits && xtf_finding_has(job, waits, "profile");
    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    return !*exist || xtf_view_pick(job->views, "profile", waits, &picker, error);
}

/* The kind with most of all time; NULL: there is none. */
static const Kind *find_most(const Kinds *kinds)
{
    const Kind *most = NULL;

    for (unsigned i = 0; i < kinds->n; i++) {
        if (!most || kinds->kinds[i].percent > most->percent)
            most = &kinds->kinds[i];
    }
    return most;
}

/* "waiting for a message that is sent late (late_sender), mostly in MPI_Recv". The caller frees it. */
static char *words_of(const Kind *kind)
{
    const XtfWaitKind *known = xtf_wait_kind_named(kind->name);

    if (!known)
        return g_strdup_printf("waits of kind %s, mostly in %s", kind->name, kind->region);
    return g_strdup_printf("%c%s (%s), mostly in %s", g_ascii_tolower(*known->sentence), known->sentence + 1,
                           kind->name, kind->region);
}

/* The kind with most of all time has at least the threshold. */
bool xtf_rule_waits(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Kinds) kinds = {0};
    bool exist;

    if (!read_kinds(job, &kinds, &exist, error))
        return false;
    const Kind *most = find_most(&kinds);
    if (!most || (double)most->percent < rule->threshold * XTF_HUNDREDTHS)
        return true;
    g_autofree char *words = words_of(most);
    xtf_finding_add(job, rule, (double)most->percent / XTF_HUNDREDTHS,
                    &(XtfFinding){.type = XTF_DERIVED_WAITS, .table = "profile"}, "%s of all time: %s",
                    xtf_word_percent((double)most->percent).text, words);
    return true;
}

/* ---- Culprits. */

enum { WAITER, CULPRIT, PAIR_AMOUNT };
static const char *const matrix_columns[] = {"waiter", "culprit", "amount"};

typedef struct {
    const XtfFindingJob *job;
    GHashTable *by_culprit; /* Wide, of others' waits */
    Wide all;
} Culprits;

static bool take_pair(const XtfRowCell *cells, void *data, GError **error)
{
    Culprits *culprits = data;
    uint64_t culprit = xtf_row_number(&cells[CULPRIT]);
    Wide amount = xtf_finding_cell_units(culprits->job, &cells[PAIR_AMOUNT]);
    Wide *sum = g_hash_table_lookup(culprits->by_culprit, &culprit);

    culprits->all += amount;
    if (xtf_row_number(&cells[WAITER]) == culprit)
        return true;
    if (!sum) {
        sum = g_new0(Wide, 1);
        g_hash_table_insert(culprits->by_culprit, g_memdup2(&culprit, sizeof culprit), sum);
    }
    *sum += amount;
    return true;
}

static void report_culprit(XtfFindingJob *job, const XtfFindingRule *rule, const Culprits *culprits, const Kinds *kinds)
{
    uint64_t *culprit, most = 0;
    Wide *sum, amount = 0;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, culprits->by_culprit);
    while (g_hash_table_iter_next(&iter, (void **)&culprit, (void **)&sum)) {
        if (*sum > amount || (*sum == amount && *culprit < most)) {
            most = *culprit;
            amount = *sum;
        }
    }
    double share = culprits->all ? (double)amount / (double)culprits->all : 0;
    double score = share * (double)kinds->percent / XTF_HUNDREDTHS;
    if (score < rule->threshold || share * job->locations.n_procs < 1.5)
        return;
    double seconds = (double)amount / pow(10, job->views->context->scale.digits);
    g_autofree char *words = words_of(find_most(kinds));
    XtfFinding *finding =
        xtf_finding_add(job, rule, score, &(XtfFinding){.type = XTF_DERIVED_WAITS, .table = "matrix"},
                        "others wait %s for process %" PRIu64 ", %s of all waiting for a process: %s",
                        xtf_word_seconds(seconds).text, most, xtf_word_percent(share * XTF_HUNDREDTHS).text, words);
    finding->culprit = most;
}

/* The process that others wait for longest: at least the threshold's part of all time, and half as much again as each
 * would have if all were equal. */
bool xtf_rule_culprit(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Kinds) kinds = {0};
    bool exist;
    uint64_t size;

    if (job->locations.n_procs < 2)
        return true;
    if (!read_kinds(job, &kinds, &exist, error))
        return false;
    g_autoptr(XtfSelection) waits = exist ? xtf_finding_select_derived(job, XTF_DERIVED_WAITS, error) : NULL;
    if (!waits || !xtf_finding_has(job, waits, "matrix"))
        return true;
    const XtfShownTable table = {.view = xtf_view_find_for(job->views, "matrix", waits), .selection = waits};
    if (!xtf_view_size(job->views, &table, &size, error))
        return false;
    if (size > MATRIX_BYTES_MOST) {
        xtf_finding_leave_out(job, "culprits", size, "bytes of pairs");
        return true;
    }
    g_autoptr(GHashTable) by_culprit = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    Culprits culprits = {job, by_culprit, 0};
    XtfRowPicker picker = XTF_ROW_PICKER(matrix_columns, take_pair, &culprits);
    if (!xtf_view_pick(job->views, "matrix", waits, &picker, error))
        return false;
    report_culprit(job, rule, &culprits, &kinds);
    return true;
}
