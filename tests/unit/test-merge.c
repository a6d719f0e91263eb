/*
 * Merged files: each row has the same names as in its part, and totals agree. The joining of tables' rows.
 * tests/merge compares whole traces.
 */
#include <sys/resource.h>

#include "fixture.h"

typedef struct __attribute__((packed)) {
    uint32_t name;
} NameRow;

typedef struct __attribute__((packed)) {
    uint64_t first, count;
    uint32_t id;
} GroupRow;

typedef struct __attribute__((packed)) {
    uint32_t member;
} MemberRow;

typedef struct __attribute__((packed)) {
    uint32_t id, group, name;
} CommRow;

typedef struct __attribute__((packed)) {
    uint32_t parent, name;
} NodeRow;

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint32_t region, node, text;
    uint8_t kind;
    uint64_t value;
} EventRow;

static const XtfFieldSpec region_fields[] = {{.name = "name", .type = XTF_TYPE_STRING, .flags = XTF_FIELD_IDENTIFIES},
                                             {0}};
static const XtfFieldSpec group_fields[] = {
    {.name = "first", .type = XTF_TYPE_U64, .refers_to = "members", .flags = XTF_FIELD_LIST},
    {.name = "count", .type = XTF_TYPE_U64},
    {.name = "id", .type = XTF_TYPE_U32, .flags = XTF_FIELD_IDENTIFIES},
    {0}};
static const XtfFieldSpec member_fields[] = {{.name = "member", .type = XTF_TYPE_U32}, {0}};
static const XtfFieldSpec comm_fields[] = {
    {.name = "id", .type = XTF_TYPE_U32, .flags = XTF_FIELD_IDENTIFIES},
    {.name = "group", .type = XTF_TYPE_U32, .refers_to = "groups", .flags = XTF_FIELD_OPTIONAL},
    {.name = "name", .type = XTF_TYPE_STRING},
    {0}};
static const XtfFieldSpec node_fields[] = {
    {.name = "parent", .type = XTF_TYPE_U32, .refers_to = "nodes", .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_IDENTIFIES},
    {.name = "name", .type = XTF_TYPE_STRING, .flags = XTF_FIELD_IDENTIFIES},
    {0}};

static const char *const kinds[] = {"NUMBER", "TEXT", "REGION", NULL};

static const XtfFieldSpec event_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions", .flags = XTF_FIELD_OPTIONAL},
    {.name = "node", .type = XTF_TYPE_U32, .refers_to = "nodes"},
    {.name = "text", .type = XTF_TYPE_STRING},
    {.name = "kind", .type = XTF_TYPE_U8, .labels = kinds},
    {.name = "value", .type = XTF_TYPE_U64, .refers_to = "kind:TEXT=,REGION=regions"},
    {0}};

enum { EVENTS, REGIONS, GROUPS, MEMBERS, COMMS, NODES, N_SCHEMAS };

static const struct {
    const char *name;
    const XtfFieldSpec *fields;
} schemas[N_SCHEMAS] = {
    [EVENTS] = {"events", event_fields},    [REGIONS] = {"regions", region_fields}, [GROUPS] = {"groups", group_fields},
    [MEMBERS] = {"members", member_fields}, [COMMS] = {"comms", comm_fields},       [NODES] = {"nodes", node_fields},
};

enum { ALL_REGIONS = 30, CHAIN = 5000, ROWS = 3000 };

/* A part being written. It has some of the regions and nodes, in an order that differs from the other part. */
typedef struct {
    XtfWriter *writer;
    uint32_t ids[N_SCHEMAS];
    uint32_t regions[ALL_REGIONS]; /* for each row of the part's regions: number among all regions */
    uint32_t n_regions;
} Part;

/* The content of a row, with names in the place of row numbers. */
typedef struct {
    uint64_t time;
    char *region, *text, *value;
    uint32_t depth; /* depth of its node in the chain */
} Content;

static void clear_content(gpointer data)
{
    Content *content = data;
    g_free(content->region);
    g_free(content->text);
    g_free(content->value);
}

static uint32_t add_text(Part *part, const char *text)
{
    GError *error = NULL;
    uint32_t id;
    cr_assert_good(xtf_writer_add_string(part->writer, text, &id, &error), error);
    return id;
}

static void add_row(Part *part, unsigned schema, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(part->writer, part->ids[schema], &error);
    cr_assert_good(table && xtf_table_writer_append(table, row, NULL, &error), error);
}

static void begin_part(Part *part, const char *path, const char *codec)
{
    static const char *const keys[] = {"region", "kind", NULL};
    GError *error = NULL;

    part->writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true, .codec = codec}, &error);
    cr_assert_good(part->writer, error);
    for (unsigned i = 0; i < N_SCHEMAS; i++) {
        XtfSchema *schema = xtf_schema_new(schemas[i].name, i == EVENTS ? XTF_SCHEMA_RECORD : XTF_SCHEMA_TABLE,
                                           schemas[i].fields, &error);
        cr_assert_good(schema, error);
        if (i == EVENTS)
            cr_assert_good(
                xtf_schema_add_aggregate(
                    schema,
                    &(XtfAggregateSpec){.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .values = (const char *[]){NULL}},
                    &error),
                error);
        cr_assert_good(xtf_writer_add_schema(part->writer, schema, &part->ids[i], &error), error);
        xtf_schema_free(schema);
    }
}

static void end_part(Part *part)
{
    GError *error = NULL;
    cr_assert_good(xtf_writer_close(part->writer, &error), error);
}

static void add_tables(Part *part, GRand *random)
{
    for (uint32_t region = 0; region < ALL_REGIONS; region++)
        if (g_rand_int_range(random, 0, 3) > 0)
            part->regions[part->n_regions++] = region;
    for (uint32_t i = 0; i < part->n_regions; i++) {
        uint32_t swap = (uint32_t)g_rand_int_range(random, 0, (gint32)part->n_regions), region = part->regions[i];
        part->regions[i] = part->regions[swap];
        part->regions[swap] = region;
    }
    for (uint32_t i = 0; i < part->n_regions; i++) {
        g_autofree char *name = g_strdup_printf("region %u", part->regions[i]);
        add_row(part, REGIONS, &(NameRow){add_text(part, name)});
    }
    for (uint32_t i = 0; i < CHAIN; i++) /* from the leaf up: a parent follows its child */
        add_row(part, NODES, &(NodeRow){i + 1 < CHAIN ? i + 1 : UINT32_MAX, add_text(part, "node")});
}

/* Returns a row with random values, and its content. Some numbers of regions have no row. */
static EventRow random_event(Part *part, GRand *random, uint64_t time, Content *content)
{
    uint32_t region = (uint32_t)g_rand_int_range(random, 0, (gint32)part->n_regions + 2);
    uint32_t node = (uint32_t)g_rand_int_range(random, 0, CHAIN), kind = (uint32_t)g_rand_int_range(random, 0, 3);
    EventRow row = {.time = time, .region = region, .node = node, .kind = (uint8_t)kind};

    *content = (Content){.time = time, .depth = CHAIN - node};
    content->text = g_strdup_printf("text %u", g_rand_int_range(random, 0, 50));
    row.text = add_text(part, content->text);
    content->region = region < part->n_regions ? g_strdup_printf("region %u", part->regions[region]) : g_strdup("-");
    if (g_rand_int_range(random, 0, 10) == 0) {
        row.region = UINT32_MAX;
        g_free(content->region);
        content->region = g_strdup("none");
    }
    row.value = kind == 1 ? row.text : (uint64_t)g_rand_int_range(random, 0, (gint32)part->n_regions);
    content->value = kind == 0   ? g_strdup_printf("%" PRIu64, row.value)
                     : kind == 1 ? g_strdup(content->text)
                                 : g_strdup_printf("region %u", part->regions[row.value]);
    return row;
}

static GArray *write_part(const char *path, const char *codec, uint64_t location, GRand *random)
{
    Part part = {0};
    GError *error = NULL;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Content));

    g_array_set_clear_func(all, clear_content);
    begin_part(&part, path, codec);
    add_tables(&part, random);
    XtfArrayWriter *array = xtf_writer_array(part.writer, location, part.ids[EVENTS], &error);
    cr_assert_good(array, error);
    for (uint32_t i = 0; i < ROWS; i++) {
        Content content;
        EventRow row = random_event(&part, random, i * 3, &content);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        g_array_append_val(all, content);
    }
    end_part(&part);
    return all;
}

static const XtfTable *get_table(XtfTrace *trace, const char *name)
{
    GError *error = NULL;
    const XtfTable *table;
    cr_assert_good(xtf_trace_table(trace, name, &table, &error) && table, error);
    return table;
}

static const char *get_text(XtfTrace *trace, uint64_t id)
{
    GError *error = NULL;
    const char *text;
    cr_assert_good(xtf_trace_string(trace, (uint32_t)id, &text, &error), error);
    return text;
}

static const char *region_name(XtfTrace *trace, uint64_t number)
{
    const XtfTable *table = get_table(trace, "regions");
    const NameRow *rows = (const NameRow *)table->rows;
    return number < table->n_rows ? get_text(trace, rows[number].name) : "-";
}

static uint32_t node_depth(XtfTrace *trace, uint64_t number)
{
    const XtfTable *table = get_table(trace, "nodes");
    const NodeRow *rows = (const NodeRow *)table->rows;
    uint32_t depth = 0;

    for (; number < table->n_rows; number = rows[number].parent)
        depth++;
    return depth;
}

static void compare_rows(XtfTrace *trace, const XtfArray *array, const GArray *all)
{
    GError *error = NULL;

    cr_assert_eq(array->n_rows, all->len);
    for (uint32_t i = 0; i < all->len; i += i % 97 == 0 ? 1 : 3) {
        const Content *content = &g_array_index(all, Content, i);
        EventRow row;
        cr_assert_good(xtf_array_row(array, i, (uint8_t *)&row, &error), error);
        cr_assert_eq(row.time, content->time);
        cr_assert_str_eq(row.region == UINT32_MAX ? "none" : region_name(trace, row.region), content->region);
        cr_assert_str_eq(get_text(trace, row.text), content->text);
        if (i % 50 == 0)
            cr_assert_eq(node_depth(trace, row.node), content->depth);
        if (row.kind == 1)
            cr_assert_str_eq(get_text(trace, row.value), content->value);
        if (row.kind == 2)
            cr_assert_str_eq(region_name(trace, row.value), content->value);
    }
}

/* Compares the totals of ranges with totals of their rows, by the numbers of the file. */
static void compare_totals(const XtfArray *array, GRand *random)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[0];
    GError *error = NULL;

    for (unsigned round = 0; round < 20; round++) {
        uint64_t from = (uint64_t)g_rand_int_range(random, 0, ROWS),
                 to = (uint64_t)g_rand_int_range(random, (gint32)from, ROWS + 1);
        g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, 2),
                                  naive = xtf_group_totals_new(aggregate, 2);
        cr_assert_good(xtf_array_totals(array, 0, NULL, from, to, totals, &error), error);
        for (uint64_t n = from; n < to; n++) {
            EventRow row;
            cr_assert_good(xtf_array_row(array, n, (uint8_t *)&row, &error), error);
            xtf_group_totals_add(naive, (uint64_t[]){row.region, row.kind}, (uint64_t[]){1});
        }
        cr_assert_eq(xtf_group_totals_n(totals), xtf_group_totals_n(naive));
        for (uint32_t i = 0; i < xtf_group_totals_n(naive); i++) {
            const uint64_t *cells = xtf_group_totals_find(totals, xtf_group_totals_key(naive, i));
            cr_assert(cells && *cells == *xtf_group_totals_cells(naive, i));
        }
    }
}

static void compare_whole(const char *path, GArray **all, GRand *random)
{
    XtfTrace *trace = open_trace(path, 0);
    uint32_t schema = xtf_trace_find_schema(trace, "events")->id;

    for (uint64_t location = 0; location < 2; location++) {
        XtfArray array = find_array(trace, location, schema);
        compare_rows(trace, &array, all[location]);
        compare_totals(&array, random);
    }
    cr_assert_eq(get_table(trace, "nodes")->n_rows, CHAIN, "the equal chains must be merged");
    cr_assert_leq(get_table(trace, "regions")->n_rows, ALL_REGIONS);
    assert_sound(trace);
    xtf_trace_unref(trace);
}

static char *path_in(const char *folder, const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void merge_randomly(const char *codec, guint32 seed)
{
    GRand *random = g_rand_new_with_seed(seed);
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *a = path_in(folder, "a.xtf"), *b = path_in(folder, "b.xtf"), *whole = path_in(folder, "whole.xtf");
    const char *parts[] = {a, b};
    GArray *all[] = {write_part(a, codec, 0, random), write_part(b, codec, 1, random)};
    XtfMergeReport report;

    cr_assert_good(xtf_merge(whole, parts, 2, NULL, &report, &error), error);
    cr_assert_eq(report.parts, 2);
    compare_whole(whole, all, random);

    /* A merged file can be a part: together with one of its parts it has a location twice, alone it is the same. */
    g_autofree char *again = path_in(folder, "again.xtf");
    cr_assert_not(xtf_merge(again, (const char *[]){whole, a}, 2, NULL, NULL, &error));
    cr_assert(strstr(error->message, a) && strstr(error->message, whole) && strstr(error->message, "location 0"));
    g_clear_error(&error);
    cr_assert_good(xtf_merge(again, (const char *[]){whole}, 1, NULL, NULL, &error), error);
    compare_whole(again, all, random);
    cr_assert_null(xtf_writer_open(again, NULL, &error));
    cr_assert(strstr(error->message, "merged"), "%s", error->message);
    g_clear_error(&error);
    g_array_unref(all[0]);
    g_array_unref(all[1]);
    remove_folder(folder);
    g_rand_free(random);
}

/* FORMAT W29, W40, W41, W43, R52, R53, R54 */
Test(merge, rows_and_totals_are_the_same)
{
    merge_randomly("compact", 1);
    merge_randomly("plain", 2);
}

static void write_comm(Part *part, const char *path, uint32_t id, const char *name, uint32_t group, uint64_t members)
{
    begin_part(part, path, NULL);
    add_row(part, MEMBERS, &(MemberRow){77}); /* a member that no group has */
    for (uint32_t i = 0; i < members; i++)
        add_row(part, MEMBERS, &(MemberRow){i});
    add_row(part, GROUPS, &(GroupRow){.first = 1, .count = members, .id = 5});
    add_row(part, COMMS, &(CommRow){.id = id, .group = group, .name = add_text(part, name)});
    end_part(part);
}

/* FORMAT W41 */
Test(merge, members_come_from_the_part_that_has_them)
{
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *a = path_in(folder, "a"), *b = path_in(folder, "b"), *c = path_in(folder, "c"),
                    *whole = path_in(folder, "whole");
    Part part;

    write_comm(&part, a, 9, "", UINT32_MAX, 0);
    write_comm(&part, b, 9, "world", 0, 4);
    write_comm(&part, c, 8, "other", 0, 4);
    cr_assert_good(xtf_merge(whole, (const char *[]){a, b, c}, 3, NULL, NULL, &error), error);
    XtfTrace *trace = open_trace(whole, 0);
    const XtfTable *comms = get_table(trace, "comms"), *groups = get_table(trace, "groups");
    const CommRow *comm = (const CommRow *)comms->rows;
    const GroupRow *group = (const GroupRow *)groups->rows;
    const MemberRow *members = (const MemberRow *)get_table(trace, "members")->rows;

    cr_assert_eq(comms->n_rows, 2);
    cr_assert_str_eq(get_text(trace, comm[0].name), "world");
    cr_assert_eq(comm[0].group, 0);
    cr_assert_eq(comm[1].group, 0);
    cr_assert_eq(groups->n_rows, 1);
    cr_assert_eq(group[0].count, 4);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(members[group[0].first + i].member, i);
    assert_sound(trace);
    xtf_trace_unref(trace);
    remove_folder(folder);
}

static bool stop_early(uint64_t done, uint64_t total, void *data)
{
    return done == 0;
}

static guint files_in(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint n = 0;
    while (g_dir_read_name(dir))
        n++;
    return n;
}

/* FORMAT W3, W18 */
Test(merge, failures_leave_no_file)
{
    GRand *random = g_rand_new_with_seed(3);
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *a = path_in(folder, "a"), *b = path_in(folder, "b"), *whole = path_in(folder, "whole");
    const char *parts[] = {a, b};

    g_array_unref(write_part(a, NULL, 0, random));
    g_array_unref(write_part(b, NULL, 1, random));
    cr_assert_not(xtf_merge(whole, parts, 2, &(XtfMergeOptions){.progress = stop_early}, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED));
    g_clear_error(&error);
    cr_assert_eq(files_in(folder), 2);

    /* As on a full disk: the file cannot grow. */
    struct rlimit limit, small = {.rlim_cur = 40000};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    bool good = xtf_merge(whole, parts, 2, NULL, NULL, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_not(good);
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    g_clear_error(&error);
    cr_assert_eq(files_in(folder), 2);

    cr_assert_good(xtf_merge(whole, parts, 2, NULL, NULL, &error), error);
    XtfWriter *writer = xtf_writer_open(b, NULL, &error);
    cr_assert_good(writer, error);
    cr_assert_not(xtf_merge(whole, parts, 2, NULL, NULL, &error), "a part that is being written can be merged");
    g_clear_error(&error);
    xtf_writer_abort(writer);
    remove_folder(folder);
    g_rand_free(random);
}

/* Writes a part with a clock map. The second and third location have equal maps. */
static void write_clocks(const char *path, uint64_t location, GRand *random, const XtfClockKnot *knots)
{
    GError *error = NULL;
    uint32_t number;

    g_array_unref(write_part(path, NULL, location, random));
    XtfWriter *writer = xtf_writer_open(path, NULL, &error);
    cr_assert_good(writer, error);
    if (location == 1) { /* a map without users, so that numbers differ */
        const XtfClockKnot unused = {.local = 3, .global = 1};
        cr_assert_good(
            xtf_writer_add_clock_map(writer, &(XtfClockMap){.n_knots = 1, .knots = &unused}, &number, &error), error);
    }
    cr_assert_good(xtf_writer_add_clock_map(writer, &(XtfClockMap){.n_knots = 2, .knots = knots}, &number, &error) &&
                       xtf_writer_set_clock_map(writer, location, number, &error),
                   error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

Test(merge, clock_maps_are_kept)
{
    static const XtfClockKnot knots[3][2] = {{{.local = 0, .global = 70000}, {.local = 5000, .global = 75003}},
                                             {{.local = 10, .global = 500}, {.local = 800, .global = 90000}},
                                             {{.local = 10, .global = 500}, {.local = 800, .global = 90000}}};
    static const char *const names[] = {"a", "b", "c"};
    GRand *random = g_rand_new_with_seed(4);
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *whole = path_in(folder, "whole");
    char *parts[3];

    for (unsigned i = 0; i < 3; i++) {
        XtfClockKnot own[2] = {knots[i][0], knots[i][1]};
        own[0].jumps = i > 0;
        parts[i] = path_in(folder, names[i]);
        write_clocks(parts[i], i, random, own);
    }
    cr_assert_good(xtf_merge(whole, (const char *const *)parts, 3, NULL, NULL, &error), error);
    XtfTrace *merged = open_trace(whole, 0);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < 3; i++) {
        XtfTrace *part = open_trace(parts[i], 0);
        XtfArray before = find_array(part, i, xtf_trace_find_schema(part, "events")->id);
        XtfArray after = find_array(merged, i, xtf_trace_find_schema(merged, "events")->id);
        for (uint64_t n = 0; n < ROWS; n += 7) {
            uint64_t expected, time;
            cr_assert_good(xtf_array_time(&before, n, &expected, &error) && xtf_array_time(&after, n, &time, &error),
                           error);
            cr_assert_eq(time, expected);
        }
        first = MIN(first, before.first);
        last = MAX(last, before.last);
        xtf_trace_unref(part);
        g_free(parts[i]);
    }
    cr_assert_eq(xtf_trace_clock(merged)->first, first);
    cr_assert_eq(xtf_trace_clock(merged)->last, last);
    assert_sound(merged);
    xtf_trace_unref(merged);
    remove_folder(folder);
    g_rand_free(random);
}
