#include "src/analysis/compensate/walk.h"

#include "libxtf/error.h"
#include "libxtf/records.h"
#include "libxtf/trace.h"

enum { BLOCK_ROWS = 4096 };

/* Ends a section at a record. Returns the time at which the section began after the probes. */
static uint64_t end_section(XtfSections *sections, uint64_t time)
{
    if (!sections->any) {
        *sections = (XtfSections){.time = time, .local = time, .any = true};
        return time;
    }
    if (time == sections->time)
        return time;
    uint64_t section = time - sections->time, cost = sections->debt / XTF_PROBE_PARTS;
    uint64_t paid = MIN(cost, section), begin = sections->time + paid;
    sections->debt = cost > section ? 0 : sections->debt % XTF_PROBE_PARTS;
    sections->n_sections++;
    sections->n_clamped += cost > section;
    sections->removed += paid;
    sections->local += section - paid;
    sections->time = time;
    return begin;
}

static void add_debt(XtfSections *sections, uint64_t cost)
{
    sections->debt = MIN(cost, UINT64_MAX / 2 - MIN(sections->debt, UINT64_MAX / 2)) + sections->debt;
}

static bool add_span(const XtfProbes *probes, const XtfArray *array, XtfSpans *spans, GError **error)
{
    XtfSpan span;

    if (array->schema->kind != XTF_SCHEMA_RECORD)
        return true;
    if (!probes->schemas[array->schema->id].has_seq)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the records of type %s have no numbers (seq), so their order among others is not known",
                        array->schema->name);
    xtf_span_init(&span, array);
    return xtf_spans_add(spans, &span, error);
}

static XtfSpans *find_spans(const XtfProbes *probes, const XtfLocation *location, GError **error)
{
    g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);

    for (uint64_t i = 0; i < location->n_arrays; i++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(probes->context->trace, location->first_array + i, 1, &array, error) ||
            !add_span(probes, &array, spans, error))
            return NULL;
    }
    return g_steal_pointer(&spans);
}

typedef struct {
    const XtfProbes *probes;
    XtfProbeCosts costs;
    XtfSections *sections;
    XtfWalkVisit visit;
    void *data;
} Walk;

static bool visit_row(Walk *walk, const XtfSchema *schema, const uint8_t *row, uint64_t number, GError **error)
{
    const XtfProbeSchema *probe = &walk->probes->schemas[schema->id];
    uint64_t time;

    memcpy(&time, row, sizeof time);
    time = GUINT64_FROM_LE(time);
    XtfWalkedRecord record = {
        .schema = schema, .row = row, .number = number, .seq = xtf_load_bits(&probe->seq, row), .time = time};
    record.begin = end_section(walk->sections, time);
    record.local = walk->sections->local;
    add_debt(walk->sections, xtf_probe_cost(walk->probes, &walk->costs, probe, row));
    record.debt = walk->sections->debt / XTF_PROBE_PARTS;
    return walk->visit(walk->data, &record, error);
}

static bool visit_block(Walk *walk, const XtfRecordBlock *block, GError **error)
{
    uint64_t at[XTF_RECORD_PARTS_MAX] = {0};

    for (uint32_t i = 0; i < block->n_rows; i++) {
        unsigned part = block->order ? block->order[i] : 0;
        const XtfRowRun *run = &block->parts[part];
        const XtfSchema *schema = run->span->array.schema;
        if (!visit_row(walk, schema, run->rows + at[part] * schema->row_size, run->first + at[part], error))
            return false;
        at[part]++;
    }
    return true;
}

static bool visit_all(Walk *walk, XtfRecordReader *reader, XtfSteps *steps, GError **error)
{
    for (;;) {
        XtfRecordBlock block;
        if (!xtf_record_reader_next_block(reader, BLOCK_ROWS, &block, error))
            return false;
        if (block.n_rows == 0)
            return true;
        if (!visit_block(walk, &block, error) || !xtf_steps_advance(steps, block.n_rows, error))
            return false;
    }
}

bool xtf_walk(const XtfProbes *probes, const XtfLocation *location, XtfSections *sections, XtfWalkVisit visit,
              void *data, XtfSteps *steps, GError **error)
{
    Walk walk = {.probes = probes, .sections = sections, .visit = visit, .data = data};
    g_autoptr(XtfSpans) spans = find_spans(probes, location, error);

    *sections = (XtfSections){0};
    if (!spans)
        return false;
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, 0, error);
    if (!reader)
        return false;
    xtf_probes_of(probes, location->proc, &walk.costs);
    bool good = visit_all(&walk, reader, steps, error);
    xtf_probe_costs_finish(&walk.costs);
    return good;
}
