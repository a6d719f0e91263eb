#include "src/tables/totals/waits/team-paths.h"

enum {
    CALLS_MAX = 4096, /* of a call path: a deeper one, which no analysis makes, is cut off */
};

bool xtf_team_paths_init(XtfTeamPaths *paths, XtfTraceContext *context, const XtfCallpaths *callpaths, GError **error)
{
    const XtfTable *table;

    *paths = (XtfTeamPaths){.callpaths = callpaths};
    if (!xtf_trace_table(context->trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    paths->n_regions = table ? table->n_rows : 0;
    paths->parallel = g_new0(bool, paths->n_regions + 1);
    for (uint64_t i = 0; i < paths->n_regions; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const char *paradigm = xtf_row_label(xtf_schema_field(table->schema, "paradigm"), row);
        const char *role = xtf_row_label(xtf_schema_field(table->schema, "role"), row);
        paths->parallel[i] = paradigm && role && g_str_equal(paradigm, "OPENMP") && g_str_equal(role, "PARALLEL");
    }
    paths->numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return true;
}

void xtf_team_paths_finish(XtfTeamPaths *paths)
{
    g_clear_pointer(&paths->parallel, g_free);
    g_clear_pointer(&paths->numbers, g_hash_table_unref);
}

static bool is_parallel(const XtfTeamPaths *paths, uint64_t context)
{
    uint32_t region = paths->callpaths->rows[context].region;

    return region < paths->n_regions && paths->parallel[region];
}

static uint64_t around(const XtfTeamPaths *paths, uint64_t context)
{
    return paths->callpaths->rows[context].parent;
}

unsigned xtf_team_paths_depth(const XtfTeamPaths *paths, uint64_t context)
{
    unsigned depth = 0;

    for (unsigned i = 0; context < paths->callpaths->n && i < CALLS_MAX; i++, context = around(paths, context))
        depth += is_parallel(paths, context);
    return depth;
}

static uint64_t number_of(XtfTeamPaths *paths, uint64_t outer, uint32_t region)
{
    const uint64_t key = outer << 32 | region;
    uint64_t number = GPOINTER_TO_SIZE(g_hash_table_lookup(paths->numbers, &key));

    if (number == 0) {
        number = g_hash_table_size(paths->numbers) + 1;
        g_hash_table_insert(paths->numbers, g_memdup2(&key, sizeof key), GSIZE_TO_POINTER(number));
    }
    return number;
}

uint64_t xtf_team_paths_number(XtfTeamPaths *paths, uint64_t context, unsigned d)
{
    unsigned n = 0, depth = xtf_team_paths_depth(paths, context);
    uint32_t calls[CALLS_MAX];
    uint64_t number = 0;

    for (; context < paths->callpaths->n && n < CALLS_MAX; context = around(paths, context)) {
        calls[n++] = paths->callpaths->rows[context].region;
        if (is_parallel(paths, context) && depth-- == d)
            break;
    }
    while (n-- > 0)
        number = number_of(paths, number, calls[n]);
    return number;
}
