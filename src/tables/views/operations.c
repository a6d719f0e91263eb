/*
 * operations: a line for each collective operation of the selection: its times, its name and its last process.
 *
 * An operation is counted at the record at which its leader ends it (collective-leaders.h). So the index has the number
 * of lines and finds any line. The records of the other members are found when a line is read.
 */
#include "libxtf/error.h"
#include "libxtf/records.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/collectives/collective-leaders.h"
#include "src/tables/collectives/collective-sums.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("begin", XTF_COLUMN_TIME, NULL, "when the first member begins"),
    XTF_COLUMN("end", XTF_COLUMN_TIME, NULL, "when the last member ends"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process of rank 0, whose record counts"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of that process"),
    XTF_COLUMN("num", XTF_COLUMN_NUMBER, NULL, "number of that record among the thread's `collectives`"),
    XTF_COLUMN("comm", XTF_COLUMN_NUMBER, NULL, "row of the communicator in definitions/communicators"),
    XTF_COLUMN("members", XTF_COLUMN_NUMBER, NULL, "number of members"),
    XTF_COLUMN("last", XTF_COLUMN_NUMBER, NULL, "process that begins last, the first of several"),
    XTF_COLUMN("late", XTF_COLUMN_TIME, NULL, "time from the first begin to the last"),
    XTF_COLUMN("waits", XTF_COLUMN_TIME, NULL, "time that all members wait for others to begin"),
    XTF_COLUMN("sent", XTF_COLUMN_NUMBER, "B", "bytes that all members send"),
    XTF_COLUMN("state", XTF_COLUMN_TEXT, NULL, "certain if all members agree, and clocks do not contradict each other"),
    XTF_COLUMN("operation", XTF_COLUMN_TEXT, NULL, "operation, by the record of rank 0"),
    XTF_COLUMN("first_site", XTF_COLUMN_TEXT, NULL, "call site at which the first member begins"),
    XTF_COLUMN("last_site", XTF_COLUMN_TEXT, NULL, "call site at which the last member begins"),
};

enum {
    MEMBERS_AT_ONCE = 16384, /* members of the operations of a part */
    LINES_AT_ONCE = 256,
};

static bool operations_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfCollectiveTypes types;

    xtf_collective_types_find(&types, context);
    return types.schema && xtf_selection_has_type(selection, types.schema) && !selection->base;
}

static size_t operation_width_of(const XtfViews *views, const XtfField *field)
{
    const XtfSchema *schema = views->clocks->collectives->types.schema;
    const XtfLimits *limits = xtf_trace_limits(views->context->trace, schema->id, (uint32_t)(field - schema->fields));

    return limits->min <= limits->max ? xtf_count_digits(limits->max) : 1;
}

/* Returns how many digits the bytes that `most` members send may have. */
static size_t sum_width(const XtfViews *views, uint64_t most)
{
    uint64_t each = xtf_largest_of_digits((unsigned)operation_width_of(views, views->clocks->collectives->types.bytes)),
             sum;

    return xtf_count_digits(__builtin_mul_overflow(each, most, &sum) ? UINT64_MAX : sum);
}

static size_t labels_width(const XtfField *field)
{
    size_t width = 1;

    for (uint32_t i = 0; i < field->n_labels; i++)
        width = MAX(width, strlen(field->labels[i]));
    return width;
}

static void add_operation_columns(XtfViews *views, const XtfLocations *locations, uint64_t most,
                                  const XtfPaddedNames *sites, XtfGrid *grid)
{
    const XtfCollectiveTypes *types = &views->clocks->collectives->types;
    const XtfTimeScale *scale = &views->context->scale;
    unsigned __int128 waits = (unsigned __int128)(scale->last - scale->origin) * most;
    uint64_t records = xtf_trace_n_rows(views->context->trace, types->schema->id);

    xtf_grid_add(grid, "begin", scale->width);
    xtf_grid_add(grid, "end", scale->width);
    xtf_grid_add(grid, "proc", locations->proc_width);
    xtf_grid_add(grid, "thread", locations->thread_width);
    xtf_grid_add(grid, "num", xtf_count_digits(records));
    xtf_grid_add(grid, "comm", operation_width_of(views, types->comm));
    xtf_grid_add(grid, "members", xtf_count_digits(most));
    xtf_grid_add(grid, "last", locations->proc_width);
    xtf_grid_add(grid, "late", scale->width);
    xtf_grid_add(grid, "waits", MAX(scale->width, xtf_ticks_width(scale, waits)));
    xtf_grid_add(grid, "sent", sum_width(views, most));
    xtf_grid_add(grid, "state", strlen("uncertain"));
    xtf_grid_add(grid, "operation", labels_width(types->operation));
    if (!sites)
        return;
    xtf_grid_add(grid, "first_site", sites->width);
    xtf_grid_add(grid, "last_site", sites->width);
}

static bool shape_operations(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    const XtfMemberRanges *members = xtf_trace_context_member_ranges(views->context, error);
    g_autoptr(XtfSpans) spans = locations && members ? xtf_leaders_spans(views->clocks->collectives, &views->leaders,
                                                                         (XtfSelection *)selection, error)
                                                     : NULL;
    const XtfPaddedNames *sites;

    if (!spans || !xtf_padded_names_of_sites(views->formats, &sites, error))
        return false;
    add_operation_columns(views, locations, members->most, sites, &shape->grid);
    shape->n_lines = spans->count;
    shape->at_once = CLAMP(MEMBERS_AT_ONCE / members->most, 1, (uint64_t)LINES_AT_ONCE);
    return true;
}

/* ---- Lines. */

static void add_operation_line(const XtfCollectiveId *id, const XtfLocation *location, const XtfCollectiveSums *sums,
                               bool comparable, const char *operation, XtfLines *lines)
{
    bool has_last = sums->begun && comparable;

    xtf_lines_time_if(lines, sums->begun, sums->begin);
    xtf_lines_time_if(lines, true, sums->end);
    xtf_lines_number(lines, location->proc);
    xtf_lines_number(lines, location->thread);
    xtf_lines_number(lines, id->row);
    xtf_lines_number(lines, id->comm);
    xtf_lines_number(lines, id->n);
    xtf_lines_number_if(lines, has_last, sums->last_proc);
    xtf_lines_ticks_if(lines, has_last, sums->begin_spread);
    xtf_lines_ticks_if(lines, sums->waited, sums->waits);
    xtf_lines_number(lines, sums->sent);
    xtf_lines_text(lines, sums->certain ? "certain" : "uncertain", 0);
    if (operation)
        xtf_lines_text(lines, operation, 0);
    else
        xtf_lines_none(lines);
}

typedef struct {
    XtfCollectives *collectives;
    const XtfLocations *locations;
    const XtfRanks *ranks;
    bool clocks_contradict;
    const XtfPaddedNames *sites; /* NULL: no call sites */
    XtfSiteReader *sites_reader;
} Filling;

/* Adds the site at which a member begins. A non-blocking operation ends in another call. */
static bool add_site(const Filling *filling, bool known, const XtfCollectiveEnd *end, bool blocking, XtfLines *lines,
                     GError **error)
{
    uint32_t site = XTF_NONE32;

    if (known && blocking) {
        if (!xtf_site_reader_find_row(filling->sites_reader, end->location, filling->collectives->types.schema,
                                      end->row, &site, error))
            return false;
    } else if (known && !xtf_site_reader_find_at(filling->sites_reader, end->location, end->begin, &site, error)) {
        return false;
    }
    xtf_lines_site(lines, filling->sites, site);
    return true;
}

/* Adds the line of the operation that a leader's record ends. */
static bool add_operation(const Filling *filling, const XtfSpan *span, uint64_t number, const uint8_t *row,
                          XtfLines *lines, GError **error)
{
    const XtfCollectiveTypes *types = &filling->collectives->types;
    const XtfLocation *location = &filling->locations->all[span->tag];
    XtfCollectiveId id = {.location = span->tag,
                          .row = number,
                          .proc = location->proc,
                          .event = xtf_field_get(types->event, row),
                          .comm = xtf_field_get(types->comm, row)};
    bool blocking = xtf_collective_event(types, row) == XTF_COLLECTIVE_END;
    XtfCollectiveSums sums;

    if (!xtf_ranks_count_members(filling->ranks, id.comm, &id.n))
        return xtf_damaged(error, "the communicator of a collective operation has no members");
    if (!xtf_collective_sums(filling->collectives, &id, filling->clocks_contradict, &sums, error))
        return false;
    bool comparable = id.n == 1 || !filling->clocks_contradict, has_last = sums.begun && comparable;
    add_operation_line(&id, location, &sums, comparable, xtf_row_label(types->operation, row), lines);
    return !filling->sites || (add_site(filling, has_last, &sums.first, blocking, lines, error) &&
                               add_site(filling, has_last, &sums.last, blocking, lines, error));
}

static bool fill_operations(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                            GError **error)
{
    Filling filling = {.collectives = views->clocks->collectives,
                       .locations = xtf_trace_context_locations(views->context, error),
                       .ranks = xtf_trace_context_ranks(views->context, error),
                       .clocks_contradict = xtf_clock_check_verdict(views->clocks) == XTF_CLOCKS_CONTRADICT};
    g_autoptr(XtfSiteReader) sites_reader = NULL;
    g_autoptr(XtfSpans) spans = filling.locations && filling.ranks
                                    ? xtf_leaders_spans(filling.collectives, &views->leaders, selection, error)
                                    : NULL;
    g_autoptr(XtfRecordReader) reader = spans ? xtf_record_reader_new(spans, first, error) : NULL;
    XtfRowRun run;

    if (!reader || !xtf_padded_names_of_sites(views->formats, &filling.sites, error))
        return false;
    if (filling.sites)
        filling.sites_reader = sites_reader = xtf_site_reader_new(views->context, filling.locations);
    for (uint64_t done = 0; done < n; done += run.n_rows) {
        if (!xtf_record_reader_next(reader, n - done, &run, error))
            return false;
        if (!run.n_rows)
            return xtf_damaged(error, "the trace has fewer records than it states");
        for (uint64_t i = 0; i < run.n_rows; i++) {
            const uint8_t *row = run.rows + i * run.span->array.schema->row_size;
            if (!add_operation(&filling, run.span, run.first + i, row, lines, error))
                return false;
        }
    }
    return true;
}

const XtfView xtf_view_operations = {
    .table = XTF_TABLE("operations", "each collective operation, and who was last", columns),
    .subject = &xtf_about_operations,
    .exists = operations_exist,
    .shape = shape_operations,
    .fill = fill_operations,
    .refused_keys = UINT_MAX};
