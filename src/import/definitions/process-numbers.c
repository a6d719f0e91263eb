#include "src/import/definitions/process-numbers.h"

#include <inttypes.h>
#include <string.h>

#include "src/model/labels.h"

enum { PARADIGM_MPI = 4 }; /* index in xtf_paradigm_names */

typedef struct {
    XtfDefinitions *definitions;
    GHashTable *locations;         /* id -> row + 1 */
    const XtfGroupRow *ranks[256]; /* by paradigm: the group that lists the locations of its ranks, or NULL */
    uint64_t n_locations, n_processes;
} Numbering;

static XtfLocationRow *location_at(const Numbering *numbering, uint64_t row)
{
    return xtf_definitions_at(numbering->definitions, XTF_MODEL_LOCATIONS, row);
}

static XtfProcessRow *process_at(const Numbering *numbering, uint64_t row)
{
    return xtf_definitions_at(numbering->definitions, XTF_MODEL_PROCESSES, row);
}

static XtfGroupRow *group_at(const Numbering *numbering, uint64_t row)
{
    return xtf_definitions_at(numbering->definitions, XTF_MODEL_GROUPS, row);
}

static XtfMemberRow *member_at(const Numbering *numbering, const XtfGroupRow *group, uint64_t i)
{
    return xtf_definitions_at(numbering->definitions, XTF_MODEL_MEMBERS, group->first + i);
}

/* Returns the location of an id, or NULL. */
static XtfLocationRow *find_location(const Numbering *numbering, uint64_t id)
{
    gsize row = GPOINTER_TO_SIZE(g_hash_table_lookup(numbering->locations, &id));
    return row == 0 ? NULL : location_at(numbering, row - 1);
}

/* Keeps the first definition of each location. Returns the number of dropped definitions. */
static uint64_t drop_duplicates(Numbering *numbering)
{
    XtfDefinitionTable *table = &numbering->definitions->tables[XTF_MODEL_LOCATIONS];
    uint64_t n = xtf_definitions_n_rows(numbering->definitions, XTF_MODEL_LOCATIONS);
    g_autofree uint32_t *moved = g_new(uint32_t, (gsize)n + 1);

    numbering->locations = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, NULL);
    for (uint64_t i = 0; i < n; i++) {
        XtfLocationRow row = *location_at(numbering, i);
        const XtfLocationRow *earlier = find_location(numbering, row.id);
        moved[i] = earlier && memcmp(earlier, &row, sizeof row) != 0 ? XTF_NONE32 : (uint32_t)numbering->n_locations;
        if (earlier) {
            if (moved[i] != XTF_NONE32)
                moved[i] = (uint32_t)(earlier - location_at(numbering, 0));
            continue;
        }
        *location_at(numbering, numbering->n_locations++) = row;
        g_hash_table_insert(numbering->locations, g_memdup2(&row.id, sizeof row.id),
                            GSIZE_TO_POINTER(numbering->n_locations));
    }
    g_byte_array_set_size(table->rows, numbering->n_locations * table->schema->row_size);
    xtf_source_order_move(&numbering->definitions->order, XTF_MODEL_LOCATIONS, moved);
    return n - numbering->n_locations;
}

static uint32_t process_row(const Numbering *numbering, uint32_t id)
{
    uint32_t row = XTF_NONE32;
    xtf_id_map_find(&numbering->definitions->tables[XTF_MODEL_PROCESSES].rows_by_id, id, &row);
    return row;
}

static void add_undefined_processes(Numbering *numbering)
{
    for (uint64_t i = 0; i < numbering->n_locations; i++) {
        uint32_t id = location_at(numbering, i)->process;
        if (process_row(numbering, id) != XTF_NONE32)
            continue;
        g_autofree char *name = g_strdup_printf("(undefined process %" PRIu32 ")", id);
        XtfProcessRow row = {
            .id = id,
            .system_tree_node = XTF_NONE32,
            .creator = XTF_NONE32,
            .name = xtf_definitions_intern_string(numbering->definitions, name),
        };
        xtf_definitions_add_missing(numbering->definitions, XTF_MODEL_PROCESSES, &row);
    }
    numbering->n_processes = xtf_definitions_n_rows(numbering->definitions, XTF_MODEL_PROCESSES);
}

static void find_ranks(Numbering *numbering)
{
    for (uint64_t i = 0; i < xtf_definitions_n_rows(numbering->definitions, XTF_MODEL_GROUPS); i++) {
        const XtfGroupRow *group = group_at(numbering, i);
        if (group->type == XTF_GROUP_TYPE_COMM_LOCATIONS && !numbering->ranks[group->paradigm])
            numbering->ranks[group->paradigm] = group;
    }
}

static void number_processes(Numbering *numbering, const XtfGroupRow *ranks)
{
    uint32_t next = ranks ? ranks->count : 0;

    for (uint64_t i = 0; i < numbering->n_processes; i++)
        process_at(numbering, i)->proc = XTF_NONE32;
    for (uint64_t rank = 0; ranks && rank < ranks->count; rank++) {
        const XtfLocationRow *location = find_location(numbering, member_at(numbering, ranks, rank)->member);
        uint32_t process = location ? process_row(numbering, location->process) : XTF_NONE32;
        if (process != XTF_NONE32 && process_at(numbering, process)->proc == XTF_NONE32)
            process_at(numbering, process)->proc = rank;
    }
    for (uint64_t i = 0; i < numbering->n_processes; i++)
        if (process_at(numbering, i)->proc == XTF_NONE32)
            process_at(numbering, i)->proc = next++;
}

static void number_threads(Numbering *numbering, const XtfGroupRow *ranks)
{
    g_autofree uint32_t *next = g_new0(uint32_t, numbering->n_processes + 1);

    for (uint64_t i = 0; i < numbering->n_locations; i++)
        location_at(numbering, i)->thread = XTF_NONE32;
    for (uint64_t rank = 0; ranks && rank < ranks->count; rank++) {
        XtfLocationRow *location = find_location(numbering, member_at(numbering, ranks, rank)->member);
        if (location && location->thread == XTF_NONE32)
            location->thread = next[process_row(numbering, location->process)]++;
    }
    for (uint64_t i = 0; i < numbering->n_locations; i++) {
        XtfLocationRow *location = location_at(numbering, i);
        uint32_t process = process_row(numbering, location->process);
        location->proc = process_at(numbering, process)->proc;
        if (location->thread == XTF_NONE32)
            location->thread = next[process]++;
    }
}

static uint32_t proc_of_location(const Numbering *numbering, uint64_t id)
{
    const XtfLocationRow *location = find_location(numbering, id);
    return location ? location->proc : XTF_NONE32;
}

static void number_members(Numbering *numbering)
{
    for (uint64_t i = 0; i < xtf_definitions_n_rows(numbering->definitions, XTF_MODEL_GROUPS); i++) {
        const XtfGroupRow *group = group_at(numbering, i);
        const XtfGroupRow *ranks = group->type == XTF_GROUP_TYPE_COMM_GROUP ? numbering->ranks[group->paradigm] : NULL;
        for (uint64_t j = 0; j < group->count; j++) {
            XtfMemberRow *member = member_at(numbering, group, j);
            if (group->type == XTF_GROUP_TYPE_COMM_LOCATIONS || group->type == XTF_GROUP_TYPE_LOCATIONS)
                member->proc = proc_of_location(numbering, member->member);
            else if (ranks && member->member < ranks->count)
                member->proc = proc_of_location(numbering, member_at(numbering, ranks, member->member)->member);
        }
    }
}

static gint compare_processes(gconstpointer a, gconstpointer b, gpointer data)
{
    const XtfProcessRow *p = xtf_definitions_at(data, XTF_MODEL_PROCESSES, *(const uint32_t *)a);
    const XtfProcessRow *q = xtf_definitions_at(data, XTF_MODEL_PROCESSES, *(const uint32_t *)b);
    return (p->proc > q->proc) - (p->proc < q->proc);
}

static gint compare_threads(gconstpointer a, gconstpointer b, gpointer data)
{
    const XtfLocationRow *p = xtf_definitions_at(data, XTF_MODEL_LOCATIONS, *(const uint32_t *)a);
    const XtfLocationRow *q = xtf_definitions_at(data, XTF_MODEL_LOCATIONS, *(const uint32_t *)b);
    if (p->proc != q->proc)
        return p->proc < q->proc ? -1 : 1;
    return (p->thread > q->thread) - (p->thread < q->thread);
}

static void sort_rows(XtfDefinitions *definitions, unsigned table, GCompareDataFunc compare)
{
    uint32_t n = xtf_definitions_n_rows(definitions, table);
    g_autofree uint32_t *order = g_new(uint32_t, (gsize)n + 1);

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    g_qsort_with_data(order, n, sizeof *order, compare, definitions);
    xtf_definitions_reorder(definitions, table, order);
}

uint64_t xtf_number_processes(XtfDefinitions *definitions)
{
    Numbering numbering = {.definitions = definitions};
    uint64_t n_duplicates = drop_duplicates(&numbering);

    add_undefined_processes(&numbering);
    find_ranks(&numbering);
    const XtfGroupRow *ranks = numbering.ranks[PARADIGM_MPI];
    number_processes(&numbering, ranks);
    number_threads(&numbering, ranks);
    number_members(&numbering);
    g_hash_table_unref(numbering.locations);
    sort_rows(definitions, XTF_MODEL_PROCESSES, compare_processes);
    sort_rows(definitions, XTF_MODEL_LOCATIONS, compare_threads);
    return n_duplicates;
}
