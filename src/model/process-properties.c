#include "src/model/process-properties.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/schemas.h"

/* ---- Properties of processes. */

/* A property of a process, from a row of `definition_properties`. */
typedef struct {
    uint32_t proc;
    char *text;
} Property;

static void clear_property(gpointer data)
{
    Property *property = data;

    g_free(property->text);
}

/* Returns the number of the process in a row of the table of processes; the row if the table has no numbers. */
static uint32_t process_of_row(const XtfTable *processes, uint64_t row)
{
    const XtfField *proc = processes ? xtf_schema_field(processes->schema, "proc") : NULL;

    if (!proc || row >= processes->n_rows)
        return (uint32_t)row;
    return (uint32_t)xtf_field_get(proc, processes->rows + row * processes->schema->row_size);
}

static bool add_found_property(XtfTrace *trace, const XtfTable *processes, const XtfTable *table, const uint8_t *row,
                               const char *wanted, GArray *found, GError **error)
{
    const XtfField *name = xtf_schema_field(table->schema, "name"), *value = xtf_schema_field(table->schema, "value"),
                   *owner = xtf_schema_field(table->schema, "owner");
    const char *key, *text;

    if (!name || !value || !owner)
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, row), &key, error))
        return false;
    if (!g_str_equal(key, wanted))
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(value, row), &text, error))
        return false;
    const Property property = {.proc = process_of_row(processes, xtf_field_get(owner, row)), .text = g_strdup(text)};
    g_array_append_val(found, property);
    return true;
}

/* Returns the properties of this name as an array of Property, in the order of the table; it may be empty. The caller
 * unrefs the array. NULL with an error. */
static GArray *properties_of(XtfTrace *trace, const char *name, GError **error)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Property));
    const XtfTable *processes, *table;

    g_array_set_clear_func(found, clear_property);
    if (!xtf_trace_table(trace, XTF_TABLE_PROCESSES, &processes, error) ||
        !xtf_trace_table(trace, XTF_TABLE_DEFINITION_PROPERTIES, &table, error))
        return NULL;
    for (uint64_t i = 0; table && i < table->n_rows; i++)
        if (!add_found_property(trace, processes, table, table->rows + i * table->schema->row_size, name, found, error))
            return NULL;
    return g_steal_pointer(&found);
}

/* ---- How processes ended. */

/* The property's texts; a number follows where `has_number`. */
static const struct {
    const char *text;
    bool has_number;
} ends_of_kinds[XTF_N_END_KINDS] = {
    [XTF_END_UNKNOWN] = {"unknown"},
    [XTF_END_COLLECTOR] = {"the collector was told to end"},
    [XTF_END_FINALIZED] = {"finalized"},
    [XTF_END_EXITED] = {"exited"},
    [XTF_END_WITHOUT_FINALIZE] = {"exited without MPI_Finalize"},
    [XTF_END_STATUS] = {"status ", true},
    [XTF_END_KILLED] = {"killed by signal ", true},
};

char *xtf_end_text(XtfEndKind kind, int64_t number)
{
    return ends_of_kinds[kind].has_number ? g_strdup_printf("%s%" PRId64, ends_of_kinds[kind].text, number)
                                          : g_strdup(ends_of_kinds[kind].text);
}

static bool parse_end_as(XtfEndKind kind, const char *text, int64_t *number)
{
    *number = 0;
    if (!ends_of_kinds[kind].has_number)
        return g_str_equal(text, ends_of_kinds[kind].text);
    return g_str_has_prefix(text, ends_of_kinds[kind].text) &&
           g_ascii_string_to_signed(text + strlen(ends_of_kinds[kind].text), 10, INT64_MIN, INT64_MAX, number, NULL);
}

bool xtf_end_parse(const char *text, XtfEndKind *kind, int64_t *number)
{
    for (*kind = 0; *kind < XTF_N_END_KINDS; (*kind)++) {
        if (parse_end_as(*kind, text, number))
            return true;
    }
    *kind = XTF_END_UNKNOWN;
    *number = 0;
    return false;
}

bool xtf_end_is_failure(XtfEndKind kind)
{
    return kind == XTF_END_WITHOUT_FINALIZE || kind == XTF_END_STATUS || kind == XTF_END_KILLED;
}

GArray *xtf_stated_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) properties = properties_of(trace, XTF_RECORD_END, error);
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(XtfStatedEnd));

    for (guint i = 0; properties && i < properties->len; i++) {
        const Property *property = &g_array_index(properties, Property, i);
        XtfStatedEnd end = {.proc = property->proc};
        xtf_end_parse(property->text, &end.kind, &end.number);
        g_array_append_val(ends, end);
    }
    return properties ? g_steal_pointer(&ends) : NULL;
}

/* ---- Costs of probes. */

static void clear_probes(gpointer data)
{
    XtfStatedProbes *probes = data;

    g_free(probes->costs);
}

GArray *xtf_stated_probes(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) properties = properties_of(trace, XTF_RECORD_PROBES, error);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(XtfStatedProbes));

    g_array_set_clear_func(all, clear_probes);
    for (guint i = 0; properties && i < properties->len; i++) {
        const Property *property = &g_array_index(properties, Property, i);
        const XtfStatedProbes probes = {.proc = property->proc, .costs = g_strdup(property->text)};
        g_array_append_val(all, probes);
    }
    return properties ? g_steal_pointer(&all) : NULL;
}

/* ---- Records that end early. */

static void clear_end(gpointer data)
{
    XtfEarlyEnd *end = data;

    g_free(end->reason);
}

GArray *xtf_early_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(XtfEarlyEnd));
    g_autoptr(GArray) properties = properties_of(trace, XTF_RECORD_ENDED_EARLY, error);

    g_array_set_clear_func(ends, clear_end);
    for (guint i = 0; properties && i < properties->len; i++) {
        Property *property = &g_array_index(properties, Property, i);
        const XtfEarlyEnd end = {.proc = property->proc, .reason = g_steal_pointer(&property->text)};
        g_array_append_val(ends, end);
    }
    return properties ? g_steal_pointer(&ends) : NULL;
}

/* ---- Thread levels. */

static const char *const level_names[XTF_N_LEVELS] = {[XTF_LEVEL_SINGLE] = "MPI_THREAD_SINGLE",
                                                      [XTF_LEVEL_FUNNELED] = "MPI_THREAD_FUNNELED",
                                                      [XTF_LEVEL_SERIALIZED] = "MPI_THREAD_SERIALIZED",
                                                      [XTF_LEVEL_MULTIPLE] = "MPI_THREAD_MULTIPLE"};

#define MAIN_THREAD ", main thread "

char *xtf_thread_level_text(XtfThreadLevel level, uint32_t main_thread)
{
    return level > XTF_LEVEL_UNKNOWN && level < XTF_N_LEVELS
               ? g_strdup_printf("%s" MAIN_THREAD "%" PRIu32, level_names[level], main_thread)
               : NULL;
}

void xtf_thread_level_parse(const char *text, XtfThreadLevel *level, uint32_t *main_thread)
{
    const char *comma = strstr(text, MAIN_THREAD);
    guint64 number;

    *level = XTF_LEVEL_UNKNOWN;
    *main_thread = UINT32_MAX;
    if (!comma || !g_ascii_string_to_unsigned(comma + strlen(MAIN_THREAD), 10, 0, UINT32_MAX, &number, NULL))
        return;
    for (unsigned i = XTF_LEVEL_SINGLE; i < XTF_N_LEVELS; i++)
        if (strncmp(text, level_names[i], (size_t)(comma - text)) == 0 && !level_names[i][comma - text])
            *level = (XtfThreadLevel)i;
    *main_thread = *level == XTF_LEVEL_UNKNOWN ? UINT32_MAX : (uint32_t)number;
}

GArray *xtf_stated_levels(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) properties = properties_of(trace, XTF_RECORD_THREAD_LEVEL, error);
    g_autoptr(GArray) levels = g_array_new(FALSE, FALSE, sizeof(XtfStatedLevel));

    for (guint i = 0; properties && i < properties->len; i++) {
        const Property *property = &g_array_index(properties, Property, i);
        XtfStatedLevel stated = {.proc = property->proc};
        xtf_thread_level_parse(property->text, &stated.level, &stated.main);
        g_array_append_val(levels, stated);
    }
    return properties ? g_steal_pointer(&levels) : NULL;
}

bool xtf_any_process_states(XtfTrace *trace, const char *name, bool *any, GError **error)
{
    g_autoptr(GArray) properties = properties_of(trace, name, error);

    *any = properties && properties->len > 0;
    return properties;
}

/* ---- Losses. */

bool xtf_stated_losses(XtfTrace *trace, XtfStatedLosses *losses, GError **error)
{
    static const char *const names[] = {XTF_RECORD_LOST, XTF_RECORD_DROPPED, XTF_RECORD_WITHOUT_RING};

    *losses = (XtfStatedLosses){0};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GArray) stated = properties_of(trace, names[i], error);
        if (!stated)
            return false;
        for (guint j = 0; j < stated->len; j++)
            losses->any |= !g_str_equal(g_array_index(stated, Property, j).text, "0");
        if (i == 0)
            losses->n_stated = stated->len;
    }
    return true;
}

/* ---- What is missing. */

static const char *const missing_words[XTF_N_MISSING] = {
    [XTF_MISSING_LIBGOMP] = "libgomp", [XTF_MISSING_LIBOMP] = "libomp", [XTF_MISSING_LIBIOMP5] = "libiomp5",
    [XTF_MISSING_TEAMS] = "teams",     [XTF_MISSING_LOCKS] = "locks",   [XTF_MISSING_FUNCTIONS] = "functions",
};

char *xtf_missing_words_of(unsigned missing)
{
    const char *words[XTF_N_MISSING + 1] = {NULL};
    unsigned n = 0;

    for (unsigned i = 0; i < XTF_N_MISSING; i++) {
        if (missing & XTF_MISSING_BIT(i))
            words[n++] = missing_words[i];
    }
    return n > 0 ? g_strjoinv(" ", (char **)words) : NULL;
}

unsigned xtf_missing_parse(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", XTF_N_MISSING + 1);
    unsigned missing = 0;

    for (unsigned i = 0; i < XTF_N_MISSING; i++)
        if (g_strv_contains((const char *const *)words, missing_words[i]))
            missing |= XTF_MISSING_BIT(i);
    return missing;
}

GArray *xtf_stated_missing(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) properties = properties_of(trace, XTF_RECORD_MISSING, error);
    g_autoptr(GArray) stated = g_array_new(FALSE, FALSE, sizeof(XtfStatedMissing));

    for (guint i = 0; properties && i < properties->len; i++) {
        const Property *property = &g_array_index(properties, Property, i);
        const XtfStatedMissing missing = {.proc = property->proc, .missing = xtf_missing_parse(property->text)};
        g_array_append_val(stated, missing);
    }
    return properties ? g_steal_pointer(&stated) : NULL;
}

bool xtf_missing_of(XtfTrace *trace, unsigned *missing, GError **error)
{
    g_autoptr(GArray) stated = xtf_stated_missing(trace, error);

    *missing = 0;
    for (guint i = 0; stated && i < stated->len; i++)
        *missing |= g_array_index(stated, XtfStatedMissing, i).missing;
    return stated != NULL;
}

static void add_part(GString *text, const char *part)
{
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", part);
}

char *xtf_missing_text(unsigned missing)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < XTF_MISSING_TEAMS; i++) {
        g_autofree char *part = g_strdup_printf("OpenMP (%s is loaded)", missing_words[i]);
        if (missing & XTF_MISSING_BIT(i))
            add_part(text, part);
    }
    if (!text->len && (missing & XTF_MISSING_BIT(XTF_MISSING_TEAMS)))
        add_part(text, "OpenMP");
    if (missing & XTF_MISSING_BIT(XTF_MISSING_LOCKS))
        add_part(text, "locks of threads (xtf record --locks)");
    if (missing & XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS))
        add_part(text, "functions of the program (-finstrument-functions, <xtf/user.h>)");
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

/* ---- CPUs that processes share. */

enum { CPUS_MAX = 8192 }; /* greatest number of a CPU, as Linux allows them */

/* A process and its CPUs. */
typedef struct {
    const char *host;     /* an interned string */
    const char *affinity; /* borrowed from the properties */
    uint64_t cpus[CPUS_MAX / 64];
} Placement;

/* Parses a list of CPUs, "0-3,8". Returns false if it is not one. */
static bool parse_cpus(const char *text, uint64_t cpus[static CPUS_MAX / 64])
{
    do {
        char *end;
        uint64_t first = g_ascii_strtoull(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-') {
            text = end + 1;
            last = g_ascii_strtoull(text, &end, 10);
        }
        if (end == text || last < first || last >= CPUS_MAX)
            return false;
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
        text = end;
    } while (*text++ == ',');
    return text[-1] == '\0';
}

/* True if process a runs on CPUs of process b only. */
static bool is_within(const Placement *a, const Placement *b)
{
    for (unsigned i = 0; a->host == b->host && i < CPUS_MAX / 64; i++)
        if (a->cpus[i] & ~b->cpus[i])
            return false;
    return a->host == b->host;
}

static void clear_shared(gpointer data)
{
    XtfSharedCpus *shared = data;

    g_free(shared->host);
    g_free(shared->cpus);
}

/* Returns the placements of MPI processes that state host and affinity, by number. Other processes, such as a script's
 * commands, may run one after the other. */
static GHashTable *list_placements(const GArray *hosts, const GArray *affinities, const GArray *world_sizes)
{
    GHashTable *placements = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) host_of = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < hosts->len; i++) {
        const Property *host = &g_array_index(hosts, Property, i);
        g_hash_table_insert(host_of, GUINT_TO_POINTER(host->proc), (char *)g_intern_string(host->text));
    }
    for (guint i = 0; i < world_sizes->len; i++) {
        const Property *size = &g_array_index(world_sizes, Property, i);
        if (g_str_equal(size->text, "0"))
            g_hash_table_remove(host_of, GUINT_TO_POINTER(size->proc));
    }
    for (guint i = 0; i < affinities->len; i++) {
        const Property *affinity = &g_array_index(affinities, Property, i);
        g_autofree Placement *placement = g_new0(Placement, 1);
        placement->host = g_hash_table_lookup(host_of, GUINT_TO_POINTER(affinity->proc));
        placement->affinity = affinity->text;
        if (placement->host && parse_cpus(affinity->text, placement->cpus))
            g_hash_table_insert(placements, GUINT_TO_POINTER(affinity->proc), g_steal_pointer(&placement));
    }
    return placements;
}

/* Adds the host of a set of CPUs to `all` if the set has fewer CPUs than processes. A host that is in `all` keeps the
 * set of the most processes a CPU. */
static void add_shared_set(GArray *all, const Placement *set, uint32_t n_procs)
{
    XtfSharedCpus *known = NULL;
    uint32_t n_cpus = 0;

    for (unsigned i = 0; i < CPUS_MAX / 64; i++)
        n_cpus += (uint32_t)__builtin_popcountll(set->cpus[i]);
    for (guint i = 0; i < all->len && !known; i++)
        if (g_str_equal(g_array_index(all, XtfSharedCpus, i).host, set->host))
            known = &g_array_index(all, XtfSharedCpus, i);
    if (n_procs <= n_cpus || (known && (uint64_t)known->n_procs * n_cpus >= (uint64_t)n_procs * known->n_cpus))
        return;
    const XtfSharedCpus shared = {
        .host = g_strdup(set->host), .cpus = g_strdup(set->affinity), .n_procs = n_procs, .n_cpus = n_cpus};
    if (known) {
        clear_shared(known);
        *known = shared;
    } else {
        g_array_append_val(all, shared);
    }
}

GArray *xtf_shared_cpus(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) hosts = properties_of(trace, XTF_RECORD_HOST, error);
    g_autoptr(GArray) affinities = hosts ? properties_of(trace, XTF_RECORD_AFFINITY, error) : NULL;
    g_autoptr(GArray) world_sizes = affinities ? properties_of(trace, XTF_RECORD_WORLD_SIZE, error) : NULL;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(XtfSharedCpus));

    g_array_set_clear_func(all, clear_shared);
    if (!world_sizes)
        return NULL;
    g_autoptr(GHashTable) placements = list_placements(hosts, affinities, world_sizes);
    g_autoptr(GList) values = g_hash_table_get_values(placements);
    g_autoptr(GHashTable) judged = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (const GList *set = values; set; set = set->next) {
        const Placement *placement = set->data;
        uint32_t n = 0;
        if (!g_hash_table_add(judged, g_strconcat(placement->host, " ", placement->affinity, NULL)))
            continue;
        for (const GList *candidate = values; candidate; candidate = candidate->next)
            n += is_within(candidate->data, placement);
        add_shared_set(all, placement, n);
    }
    return g_steal_pointer(&all);
}
