#include "src/import/process-numbers.h"

#include <inttypes.h>

/* Of xtf_group_types and xtf_paradigm_names. */
enum { GROUP_LOCATIONS = 1, GROUP_COMM_LOCATIONS = 4, GROUP_COMM_GROUP = 5 };
enum { PARADIGM_MPI = 4 };

typedef struct {
    XtfDefinitions *definitions;
    GHashTable *locations;         /* from ids to row + 1 */
    uint32_t *proc_of;             /* of processes, by row; XTF_NONE32: not numbered yet */
    const XtfGroupRow *ranks[256]; /* by paradigm: the group that lists the locations of its ranks, or NULL */
    uint64_t n_locations, n_processes;
} Places;

static XtfLocationRow *location_at(const Places *places, uint64_t row)
{
    return xtf_definitions_at(places->definitions, XTF_MODEL_LOCATIONS, row);
}

static XtfGroupRow *group_at(const Places *places, uint64_t row)
{
    return xtf_definitions_at(places->definitions, XTF_MODEL_GROUPS, row);
}

static XtfMemberRow *member_at(const Places *places, const XtfGroupRow *group, uint64_t i)
{
    return xtf_definitions_at(places->definitions, XTF_MODEL_MEMBERS, group->first + i);
}

/* NULL if there is none. */
static XtfLocationRow *find_location(const Places *places, uint64_t id)
{
    gsize row = GPOINTER_TO_SIZE(g_hash_table_lookup(places->locations, &id));
    return row == 0 ? NULL : location_at(places, row - 1);
}

/* Of each location the first definition stays. Returns how many went. */
static uint64_t drop_doubles(Places *places)
{
    XtfDefinitionTable *table = &places->definitions->tables[XTF_MODEL_LOCATIONS];
    uint64_t n = xtf_definitions_n_rows(places->definitions, XTF_MODEL_LOCATIONS);

    places->locations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t i = 0; i < n; i++) {
        XtfLocationRow row = *location_at(places, i);
        if (find_location(places, row.id))
            continue;
        *location_at(places, places->n_locations++) = row;
        g_hash_table_insert(places->locations, g_memdup2(&row.id, sizeof row.id),
                            GSIZE_TO_POINTER(places->n_locations));
    }
    g_byte_array_set_size(table->rows, places->n_locations * table->schema->row_size);
    return n - places->n_locations;
}

static uint32_t process_row(const Places *places, uint32_t id)
{
    uint32_t row = XTF_NONE32;
    xtf_ref_map_find(&places->definitions->tables[XTF_MODEL_PROCESSES].known, id, &row);
    return row;
}

static void make_up_processes(Places *places)
{
    for (uint64_t i = 0; i < places->n_locations; i++) {
        uint32_t id = location_at(places, i)->process;
        if (process_row(places, id) != XTF_NONE32)
            continue;
        g_autofree char *name = g_strdup_printf("(undefined process %" PRIu32 ")", id);
        XtfProcessRow row = {
            .id = id,
            .system_tree_node = XTF_NONE32,
            .creator = XTF_NONE32,
            .name = xtf_definitions_own_string(places->definitions, name),
        };
        xtf_definitions_add(places->definitions, XTF_MODEL_PROCESSES, &row);
    }
    places->n_processes = xtf_definitions_n_rows(places->definitions, XTF_MODEL_PROCESSES);
}

static void find_ranks(Places *places)
{
    for (uint64_t i = 0; i < xtf_definitions_n_rows(places->definitions, XTF_MODEL_GROUPS); i++) {
        const XtfGroupRow *group = group_at(places, i);
        if (group->type == GROUP_COMM_LOCATIONS && !places->ranks[group->paradigm])
            places->ranks[group->paradigm] = group;
    }
}

static void number_processes(Places *places, const XtfGroupRow *ranks)
{
    uint32_t next = ranks ? ranks->count : 0;

    places->proc_of = g_new(uint32_t, places->n_processes + 1);
    for (uint64_t i = 0; i < places->n_processes; i++)
        places->proc_of[i] = XTF_NONE32;
    for (uint64_t rank = 0; ranks && rank < ranks->count; rank++) {
        const XtfLocationRow *location = find_location(places, member_at(places, ranks, rank)->member);
        uint32_t process = location ? process_row(places, location->process) : XTF_NONE32;
        if (process != XTF_NONE32 && places->proc_of[process] == XTF_NONE32)
            places->proc_of[process] = rank;
    }
    for (uint64_t i = 0; i < places->n_processes; i++) {
        XtfProcessRow *process = xtf_definitions_at(places->definitions, XTF_MODEL_PROCESSES, i);
        if (places->proc_of[i] == XTF_NONE32)
            places->proc_of[i] = next++;
        process->proc = places->proc_of[i];
    }
}

static void number_threads(Places *places, const XtfGroupRow *ranks)
{
    uint32_t *next = g_new0(uint32_t, places->n_processes + 1);

    for (uint64_t i = 0; i < places->n_locations; i++)
        location_at(places, i)->thread = XTF_NONE32;
    for (uint64_t rank = 0; ranks && rank < ranks->count; rank++) {
        XtfLocationRow *location = find_location(places, member_at(places, ranks, rank)->member);
        if (location && location->thread == XTF_NONE32)
            location->thread = next[process_row(places, location->process)]++;
    }
    for (uint64_t i = 0; i < places->n_locations; i++) {
        XtfLocationRow *location = location_at(places, i);
        uint32_t process = process_row(places, location->process);
        location->proc = places->proc_of[process];
        if (location->thread == XTF_NONE32)
            location->thread = next[process]++;
    }
    g_free(next);
}

static uint32_t proc_of_location(const Places *places, uint64_t id)
{
    const XtfLocationRow *location = find_location(places, id);
    return location ? location->proc : XTF_NONE32;
}

static void name_members(Places *places)
{
    for (uint64_t i = 0; i < xtf_definitions_n_rows(places->definitions, XTF_MODEL_GROUPS); i++) {
        const XtfGroupRow *group = group_at(places, i);
        const XtfGroupRow *ranks = group->type == GROUP_COMM_GROUP ? places->ranks[group->paradigm] : NULL;
        for (uint64_t j = 0; j < group->count; j++) {
            XtfMemberRow *member = member_at(places, group, j);
            if (group->type == GROUP_COMM_LOCATIONS || group->type == GROUP_LOCATIONS)
                member->proc = proc_of_location(places, member->member);
            else if (ranks && member->member < ranks->count)
                member->proc = proc_of_location(places, member_at(places, ranks, member->member)->member);
        }
    }
}

static gint by_proc(gconstpointer a, gconstpointer b, gpointer data)
{
    const XtfProcessRow *p = xtf_definitions_at(data, XTF_MODEL_PROCESSES, *(const uint32_t *)a);
    const XtfProcessRow *q = xtf_definitions_at(data, XTF_MODEL_PROCESSES, *(const uint32_t *)b);
    return (p->proc > q->proc) - (p->proc < q->proc);
}

static gint by_thread(gconstpointer a, gconstpointer b, gpointer data)
{
    const XtfLocationRow *p = xtf_definitions_at(data, XTF_MODEL_LOCATIONS, *(const uint32_t *)a);
    const XtfLocationRow *q = xtf_definitions_at(data, XTF_MODEL_LOCATIONS, *(const uint32_t *)b);
    if (p->proc != q->proc)
        return p->proc < q->proc ? -1 : 1;
    return (p->thread > q->thread) - (p->thread < q->thread);
}

static void sort(XtfDefinitions *definitions, unsigned table, GCompareDataFunc compare)
{
    uint32_t n = xtf_definitions_n_rows(definitions, table);
    g_autofree uint32_t *order = g_new(uint32_t, (gsize)n + 1);

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    g_qsort_with_data(order, n, sizeof *order, compare, definitions);
    xtf_definitions_reorder(definitions, table, order);
}

uint64_t xtf_number_places(XtfDefinitions *definitions)
{
    Places places = {.definitions = definitions};
    uint64_t doubled = drop_doubles(&places);

    make_up_processes(&places);
    find_ranks(&places);
    const XtfGroupRow *ranks = places.ranks[PARADIGM_MPI];
    number_processes(&places, ranks);
    number_threads(&places, ranks);
    name_members(&places);
    g_hash_table_unref(places.locations);
    g_free(places.proc_of);
    sort(definitions, XTF_MODEL_PROCESSES, by_proc);
    sort(definitions, XTF_MODEL_LOCATIONS, by_thread);
    return doubled;
}
