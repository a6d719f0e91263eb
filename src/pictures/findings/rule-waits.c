/* The kind of waits with most time, from an analysis. */
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"
#include "src/pictures/findings/finding-rule.h"

enum { KIND, WAITS, AMOUNT_PERCENT, REGION };
static const char *const profile_columns[] = {"kind", "waits", "amount%", "region"};

enum {
    KINDS_MAX = 64,
    BYTES_MAX = 64 << 20, /* most bytes of the table of call paths */
};

typedef struct {
    char *name, *region; /* the region with most of the time */
    uint64_t waits, percent;
} Kind;

typedef struct {
    Kind kinds[KINDS_MAX];
    unsigned n;
} Kinds;

static void kinds_clear(Kinds *kinds)
{
    for (unsigned i = 0; i < kinds->n; i++) {
        g_free(kinds->kinds[i].name);
        g_free(kinds->kinds[i].region);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kinds, kinds_clear)

/* Adds a line to its kind. The first line of a kind has the longest time, so its region is the kind's. */
static bool add_kind_line(const XtfRowCell *cells, void *data, GError **error)
{
    Kinds *kinds = data;
    unsigned i = 0;

    while (i < kinds->n && !g_str_equal(kinds->kinds[i].name, cells[KIND].text))
        i++;
    if (i == KINDS_MAX)
        return true;
    Kind *kind = &kinds->kinds[i];
    if (i == kinds->n) {
        kinds->n++;
        kind->name = g_strdup(cells[KIND].text);
        kind->region = g_strdup(cells[REGION].text);
    }
    kind->waits += xtf_row_number(&cells[WAITS]);
    kind->percent += xtf_row_number(&cells[AMOUNT_PERCENT]);
    return true;
}

/* Returns the kind with most time; NULL: there is none. */
static const Kind *find_longest_kind(const Kinds *kinds)
{
    const Kind *most = NULL;

    for (unsigned i = 0; i < kinds->n; i++) {
        if (!most || kinds->kinds[i].percent > most->percent)
            most = &kinds->kinds[i];
    }
    return most;
}

enum { CALLPATH_KIND, AMOUNT, CALLPATH_ROW, CALLPATH };
static const char *const callpaths_columns[] = {"kind", "amount", "call_path", "callpath"};

/* The call path with most time that ends in a kind's region. */
typedef struct {
    const XtfFindingJob *job;
    const Kind *kind;
    double amount;
    uint64_t row;
    char *name; /* NULL: there is none */
} Callpath;

static void callpath_clear(Callpath *callpath)
{
    g_clear_pointer(&callpath->name, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Callpath, callpath_clear)

static bool add_callpath(const XtfRowCell *cells, void *data, GError **error)
{
    Callpath *callpath = data;
    double amount = xtf_finding_cell_seconds(callpath->job, &cells[AMOUNT]);
    const char *text = cells[CALLPATH].text, *region = callpath->kind->region;

    if (amount <= callpath->amount || !g_str_equal(cells[CALLPATH_KIND].text, callpath->kind->name))
        return true;
    size_t length = strlen(text), end = strlen(region);
    if (length <= end || text[length - end - 1] != '/' || !g_str_equal(text + length - end, region))
        return true;
    callpath_clear(callpath);
    callpath->amount = amount;
    callpath->row = xtf_row_number(&cells[CALLPATH_ROW]);
    callpath->name = g_strdup(text);
    return true;
}

/* Sets *place to a call path that ends in a kind's region if the source of a function on it is known, else to the
 * region. */
static bool find_wait_place(XtfFindingJob *job, XtfSelection *waits, const Kind *kind, char **place, GError **error)
{
    const XtfShownTable table = {.view = xtf_view_by_name(job->views, "callpaths", waits), .selection = waits};
    g_auto(Callpath) most = {.job = job, .kind = kind};
    XtfRowPicker picker = XTF_ROW_PICKER(callpaths_columns, add_callpath, &most);
    g_autofree char *source = NULL;
    uint64_t bytes = 0;

    *place = NULL;
    if (xtf_finding_has(job, waits, "callpaths") && !xtf_view_size(job->views, &table, &bytes, error))
        return false;
    if (bytes > 0 && bytes <= BYTES_MAX && !xtf_view_pick(job->views, "callpaths", waits, &picker, error))
        return false;
    if (most.name && !xtf_finding_callpath_source(job, most.row, &source, error))
        return false;
    g_autofree char *path = source && source[0] ? xtf_finding_place(most.name) : NULL;
    *place = path ? g_strdup_printf("%s%s", path, source) : xtf_finding_name(kind->region);
    return true;
}

/* Adds the sites of a kind's waits to *place, if the place is a region alone. Sets *until to the calls that end these
 * waits. */
static bool add_sites(const XtfFindingJob *job, const XtfSelection *waits, const Kind *kind, char **place, char **until,
                      GError **error)
{
    g_autoptr(XtfSelection) of_kind = xtf_finding_select_waits(waits, kind->name, XTF_NO_PROCESS);
    g_autofree char *region = xtf_finding_name(kind->region), *words = NULL, *before = NULL;
    bool is_region = g_str_equal(*place, region);

    if (!xtf_finding_wait_sites(job, of_kind, region, &words, until, &before, error))
        return false;
    if (is_region && words[0]) {
        g_free(*place);
        *place = g_steal_pointer(&words);
    }
    return true;
}

char *xtf_finding_wait_words(const char *kind)
{
    const XtfWaitKind *known = xtf_wait_kind_named(kind);

    if (!known)
        return g_strdup_printf("waits of kind %s", kind);
    return g_strdup_printf("%c%s (%s)", g_ascii_tolower(*known->sentence), known->sentence + 1, kind);
}

/* Returns the words for a kind. Waits for conditions are of the kind of locks, as in Scalasca, though no thread holds a
 * lock there. */
static char *words_of(const Kind *kind)
{
    if (g_str_equal(kind->name, "lock_contention") && strstr(kind->region, "cond_"))
        return g_strdup_printf("a thread waits for a condition (%s)", kind->name);
    return xtf_finding_wait_words(kind->name);
}

/* Reports the kind with most time, if that is at least the threshold's part of all time. */
bool xtf_rule_waits(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) waits = xtf_finding_select_derived(job, XTF_DERIVED_WAITS, &failed);
    g_auto(Kinds) kinds = {0};
    XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, add_kind_line, &kinds);

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!waits || !xtf_finding_has(job, waits, "profile"))
        return true;
    if (!xtf_view_pick(job->views, "profile", waits, &picker, error))
        return false;
    const Kind *most = find_longest_kind(&kinds);
    double percent = most ? (double)xtf_finding_of_threads(job, most->percent) : 0;
    if (!most || percent < rule->threshold * XTF_HUNDREDTHS)
        return true;
    g_autofree char *words = words_of(most), *place = NULL, *until = NULL;
    if (!find_wait_place(job, waits, most, &place, error) || !add_sites(job, waits, most, &place, &until, error))
        return false;
    xtf_finding_add(job, rule, percent / XTF_HUNDREDTHS, &(XtfFinding){.type = XTF_DERIVED_WAITS, .table = "profile"},
                    "%s of %s: %s, mostly in %s%s", xtf_word_percent(percent).text, xtf_finding_whole(job), words,
                    place, until);
    return true;
}
