#include "src/analysis/rows/row-sorter.h"

#include "src/trace/select/parallel.h"

enum {
    GROUPS_MAX = 256, /* more only for blocks that end within a group */
    BLOCKS_MAX = 1024,
    BUFFERS_BYTES = 4 << 20, /* bytes of the buffers of all groups together */
    LOCATION_BYTES = 5,      /* bytes of a location's number in its group, as stored in a log */
    ROWS_AT_ONCE = 4096,     /* between checks for an interrupt */
};

/* Divides the locations into groups. No group has locations of two blocks. */
static void divide_locations(XtfRowSorter *sorter, const uint32_t *borders, uint32_t n_blocks)
{
    for (uint32_t block = 0; block < n_blocks; block++)
        for (uint32_t i = borders[block]; i < borders[block + 1]; i++) {
            if ((i - borders[block]) % sorter->group_size == 0) {
                XtfRowGroup *group = &sorter->groups[sorter->n_groups++];
                xtf_log_writer_init(&group->log, &sorter->spool, BUFFERS_BYTES / GROUPS_MAX);
                group->first = i;
            }
            sorter->group_of[i] = (uint16_t)(sorter->n_groups - 1);
        }
    sorter->groups[sorter->n_groups].first = borders[n_blocks];
}

bool xtf_row_sorter_init(XtfRowSorter *sorter, const uint32_t *borders, uint32_t n_blocks, uint32_t row_size,
                         GError **error)
{
    uint32_t n_locations = borders[n_blocks];

    g_assert(row_size + LOCATION_BYTES <= XTF_LOG_RECORD_MAX && n_blocks <= BLOCKS_MAX);
    *sorter = (XtfRowSorter){.spool = XTF_SPOOL_NONE,
                             .groups = g_new0(XtfRowGroup, GROUPS_MAX + n_blocks + 1),
                             .group_of = g_new(uint16_t, (size_t)n_locations + 1),
                             .group_size = n_locations / GROUPS_MAX + 1,
                             .row_size = row_size};
    divide_locations(sorter, borders, n_blocks);
    return xtf_spool_open(&sorter->spool, error);
}

void xtf_row_sorter_finish(XtfRowSorter *sorter)
{
    for (uint32_t i = 0; i < sorter->n_groups; i++)
        xtf_log_writer_finish(&sorter->groups[i].log);
    sorter->n_groups = 0;
    g_clear_pointer(&sorter->groups, g_free);
    g_clear_pointer(&sorter->group_of, g_free);
    xtf_spool_close(&sorter->spool);
}

uint64_t xtf_row_sorter_n(const XtfRowSorter *sorter)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < sorter->n_groups; i++)
        n += sorter->groups[i].n_rows;
    return n;
}

bool xtf_row_sorter_add(XtfRowSorter *sorter, uint32_t location, const void *row, GError **error)
{
    XtfRowGroup *group = &sorter->groups[sorter->group_of[location]];
    uint8_t *to = xtf_log_begin(&group->log, error);

    if (!to)
        return false;
    to = xtf_log_put(to, location - group->first);
    memcpy(to, row, sorter->row_size);
    xtf_log_end(&group->log, to + sorter->row_size);
    group->n_rows++;
    return true;
}

/* ---- Reading. */

static bool read_rows(XtfLogReader *reader, uint32_t first, XtfRowSorterRead read, void *data, GError **error)
{
    const uint8_t *record, *end;

    for (;;) {
        if (!xtf_log_next(reader, &record, &end, error))
            return false;
        if (!record)
            return true;
        uint32_t number = (uint32_t)xtf_log_get(&record);
        if (!read(data, first + number, record, error))
            return false;
    }
}

bool xtf_row_sorter_read_group(XtfRowSorter *sorter, uint32_t number, XtfRowSorterRead read, void *data, GError **error)
{
    XtfRowGroup *group = &sorter->groups[number];
    XtfLogReader reader;
    XtfLog log;

    if (!xtf_log_writer_end(&group->log, &log, error))
        return false;
    xtf_log_reader_init(&reader, &sorter->spool, &log, BUFFERS_BYTES / GROUPS_MAX);
    bool good = read_rows(&reader, group->first, read, data, error);
    xtf_log_reader_finish(&reader);
    return good;
}

bool xtf_row_sorter_read(XtfRowSorter *sorter, XtfRowSorterRead read, void *data, GError **error)
{
    for (uint32_t i = 0; i < sorter->n_groups; i++)
        if (!xtf_row_sorter_read_group(sorter, i, read, data, error))
            return false;
    return true;
}

/* ---- Writing. */

typedef struct {
    XtfRowSorter *sorter;
    XtfWriter *writer;
    uint32_t schema;
    uint64_t (*id)(const void *data, uint32_t location);
    const void *data;
    XtfSteps *steps;
} Work;

/* The state of one worker: the arrays of the current group; NULL: the location has no rows yet. */
typedef struct {
    const Work *work;
    XtfArrayWriter **arrays;
    uint32_t first; /* location of arrays[0] */
    uint64_t n_rows;
} Worker;

static bool append_row(void *data, uint32_t location, const void *row, GError **error)
{
    Worker *worker = data;
    const Work *work = worker->work;
    XtfArrayWriter **array = &worker->arrays[location - worker->first];

    if (!*array)
        *array = xtf_writer_array(work->writer, work->id(work->data, location), work->schema, error);
    return *array && xtf_array_writer_append(*array, row, error) &&
           (++worker->n_rows % ROWS_AT_ONCE != 0 || xtf_steps_advance(work->steps, ROWS_AT_ONCE, error));
}

static bool write_group(Worker *worker, uint32_t number, GError **error)
{
    XtfRowSorter *sorter = worker->work->sorter;
    uint32_t n = sorter->groups[number + 1].first - sorter->groups[number].first;

    memset(worker->arrays, 0, n * sizeof *worker->arrays);
    worker->first = sorter->groups[number].first;
    worker->n_rows = 0;
    bool good = xtf_row_sorter_read_group(sorter, number, append_row, worker, error) &&
                xtf_steps_advance(worker->work->steps, worker->n_rows % ROWS_AT_ONCE, error);
    for (uint32_t i = 0; good && i < n; i++)
        good = !worker->arrays[i] || xtf_array_writer_close(worker->arrays[i], error);
    return good;
}

static void *create_group_writer(void *data)
{
    const Work *work = data;
    Worker *worker = g_new0(Worker, 1);

    worker->work = work;
    worker->arrays = g_new0(XtfArrayWriter *, work->sorter->group_size);
    return worker;
}

static bool write_groups(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    for (uint32_t i = first; i < end; i++)
        if (!write_group(worker, i, error))
            return false;
    return true;
}

static void free_group_writer(void *data, void *unused)
{
    Worker *worker = data;

    g_free(worker->arrays);
    g_free(worker);
}

bool xtf_row_sorter_write(XtfRowSorter *sorter, XtfWriter *writer, uint32_t schema,
                          uint64_t (*id)(const void *data, uint32_t location), const void *data, XtfSteps *steps,
                          GError **error)
{
    const XtfParallelWork in_order = {
        .step = 1, .begin = create_group_writer, .work = write_groups, .join = free_group_writer};
    Work work = {.sorter = sorter, .writer = writer, .schema = schema, .id = id, .data = data, .steps = steps};

    return xtf_in_order(&in_order, &work, sorter->n_groups, error);
}
