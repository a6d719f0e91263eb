#include "src/query/views.h"

#include <string.h>

#include "src/query/digits.h"
#include "src/query/text.h"

enum {
    SLICES = 100,
    WALK_ROWS = 64, /* so few rows are read rather than searched */
    TYPE_WIDTH_MAX = 40,
};

/* ---- Lines of columns: the building blocks. */

static void add_text(GString *out, size_t width, const char *text)
{
    gsize at = out->len;
    g_string_set_size(out, at + width);
    xtf_text_put(out->str + at, width, text, true, 0);
}

/* At a line's end: blanks stay. */
static void add_free_text(GString *out, const char *text)
{
    gsize at = out->len, width = xtf_text_width(text, false);
    g_string_set_size(out, at + width);
    xtf_text_put(out->str + at, width, text, false, 0);
}

static void add_right(GString *out, size_t width, const char *text, size_t length)
{
    gsize at = out->len;
    g_string_set_size(out, at + width);
    memset(out->str + at, ' ', width);
    memcpy(out->str + at + width - length, text, length);
}

static void add_number(GString *out, size_t width, uint64_t number)
{
    char digits[24], *end = digits + sizeof digits, *begin = xtf_put_digits(end, number);
    add_right(out, MAX(width, (size_t)(end - begin)), begin, (size_t)(end - begin));
}

static void add_time(GString *out, size_t width, const XtfScale *scale, uint64_t ticks)
{
    char text[XTF_TIME_TEXT_MAX], *end = text + sizeof text, *begin = xtf_scale_put(scale, ticks, end);
    add_right(out, MAX(width, (size_t)(end - begin)), begin, (size_t)(end - begin));
}

/* ---- info */

/* Whether a line of `info` counts this schema. */
static bool type_shown(const XtfGuide *guide, const XtfSelection *selection, uint32_t schema)
{
    return xtf_guide_is_record(guide, schema) && xtf_trace_n_rows(guide->trace, schema) &&
           (selection->type == XTF_TYPES_ALL || selection->type == schema);
}

/* Digits of the largest number that any selection of these types can count. */
static size_t count_width(const XtfGuide *guide, const XtfSelection *selection)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(guide->trace); i++) {
        uint64_t n = type_shown(guide, selection, i) ? xtf_trace_n_rows(guide->trace, i) : 0;
        total = n > UINT64_MAX - total ? UINT64_MAX : total + n;
    }
    return MAX(xtf_count_digits(total), 5u);
}

typedef struct {
    size_t name, value, lines;
} InfoLayout;

static InfoLayout info_layout(const XtfGuide *guide, const XtfSelection *selection)
{
    InfoLayout layout = {strlen("duration"), MAX(count_width(guide, selection), guide->scale.width), 5};

    for (uint32_t i = 0; i < xtf_trace_n_schemas(guide->trace); i++) {
        if (!type_shown(guide, selection, i))
            continue;
        layout.name = MAX(layout.name, MIN(xtf_text_width(guide->type_names[i], true), (size_t)TYPE_WIDTH_MAX));
        layout.lines++;
    }
    return layout;
}

uint64_t xtf_view_info_size(const XtfGuide *guide, const XtfSelection *selection)
{
    InfoLayout layout = info_layout(guide, selection);
    return layout.lines * (layout.name + layout.value + strlen("  unit\n"));
}

static void end_info_line(GString *out, const char *unit)
{
    g_string_append_printf(out, " %-4s\n", unit);
}

static void add_info_time(GString *out, const InfoLayout *layout, const XtfScale *scale, const char *name,
                          uint64_t ticks)
{
    add_text(out, layout->name, name);
    g_string_append_c(out, ' ');
    add_time(out, layout->value, scale, ticks);
    end_info_line(out, "s");
}

static void add_info_count(GString *out, const InfoLayout *layout, const char *name, uint64_t count)
{
    add_text(out, layout->name, name);
    g_string_append_c(out, ' ');
    add_number(out, layout->value, count);
    end_info_line(out, "-");
}

/* The records of each schema; a new array by schema, NULL with an error. */
static uint64_t *count_by_type(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfTrace *trace = resolver->guide->trace;
    g_autofree uint64_t *counts = g_new0(uint64_t, xtf_trace_n_schemas(trace) + 1);

    if (selection->type == XTF_TYPES_ALL) {
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return NULL;
        for (uint32_t i = 0; i < spans->n; i++)
            counts[spans->spans[i].array.schema->id] += spans->spans[i].hi - spans->spans[i].lo;
    } else if (selection->type >= 0 && !xtf_resolver_count(resolver, selection, &counts[selection->type], error)) {
        return NULL;
    }
    return g_steal_pointer(&counts);
}

GString *xtf_view_info(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    const XtfGuide *guide = resolver->guide;
    const XtfScale *scale = &guide->scale;
    InfoLayout layout = info_layout(guide, selection);
    g_autofree uint64_t *counts = count_by_type(resolver, selection, error);
    uint64_t from, to, count;

    if (!counts || !xtf_resolver_count(resolver, selection, &count, error))
        return NULL;

    GString *out = g_string_new(NULL);
    xtf_selection_window(selection, scale, &from, &to);
    g_string_append_printf(out, "%-*s %*s %s\n", (int)layout.name, "# what", (int)layout.value, "value", "unit");
    add_info_time(out, &layout, scale, "from", from - scale->origin);
    add_info_time(out, &layout, scale, "to", to - scale->origin);
    add_info_time(out, &layout, scale, "duration", to - from);
    add_info_count(out, &layout, "records", count);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(guide->trace); i++) {
        if (type_shown(guide, selection, i))
            add_info_count(out, &layout, guide->type_names[i], counts[i]);
    }
    return out;
}

/* ---- histogram */

/* Few rows: each into the slice that its time falls in. */
static bool walk_slices(const XtfSpan *span, const uint64_t *bounds, uint64_t *counts, GError **error)
{
    g_auto(XtfCursor) cursor;
    unsigned slice = 0;
    bool found;

    xtf_cursor_init(&cursor, &span->array);
    if (!xtf_cursor_seek_n(&cursor, span->lo, &found, error))
        return false;
    while (found && cursor.n < span->hi) {
        while (slice < SLICES - 1 && xtf_cursor_time(&cursor) >= bounds[slice + 1])
            slice++;
        counts[slice]++;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

static bool count_slices(const XtfSpan *span, const uint64_t *bounds, uint64_t *counts, GError **error)
{
    uint64_t from = span->lo;

    if (!span->filter.matcher && span->hi - span->lo <= WALK_ROWS)
        return walk_slices(span, bounds, counts, error);
    for (unsigned i = 0; i < SLICES && from < span->hi; i++) {
        uint64_t to = span->hi;
        if (bounds[i + 1] <= span->array.first)
            to = from;
        else if (i < SLICES - 1 && bounds[i + 1] <= span->array.last &&
                 !xtf_span_rank_within(span, bounds[i + 1], from, span->hi, &to, error))
            return false;
        counts[i] += to - from;
        from = to;
    }
    return true;
}

uint64_t xtf_view_histogram_size(const XtfGuide *guide, const XtfSelection *selection)
{
    size_t time = MAX(guide->scale.width, strlen("# from"));
    return (SLICES + 1) * (2 * time + 1 + 1 + count_width(guide, selection) + 1);
}

GString *xtf_view_histogram(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    const XtfScale *scale = &resolver->guide->scale;
    size_t time = MAX(scale->width, strlen("# from")), number = count_width(resolver->guide, selection);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
    uint64_t bounds[SLICES + 1], counts[SLICES] = {0}, from, to;

    if (!spans)
        return NULL;
    xtf_selection_window(selection, scale, &from, &to);
    for (unsigned i = 0; i <= SLICES; i++)
        bounds[i] = xtf_slice(from, to, i, SLICES);
    for (uint32_t i = 0; i < spans->n; i++) {
        if (!count_slices(&spans->spans[i], bounds, counts, error))
            return NULL;
    }

    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%-*s %*s %*s\n", (int)time, "# from", (int)time, "to", (int)number, "count");
    for (unsigned i = 0; i < SLICES; i++) {
        add_time(out, time, scale, bounds[i] - scale->origin);
        g_string_append_c(out, ' ');
        add_time(out, time, scale, bounds[i + 1] - scale->origin);
        g_string_append_c(out, ' ');
        add_number(out, number, counts[i]);
        g_string_append_c(out, '\n');
    }
    return out;
}

/* ---- columns */

GString *xtf_view_columns(const XtfFormat *format)
{
    size_t name_width = strlen("# column"), unit_width = strlen("unit");
    GString *out = g_string_new(NULL);

    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfColumn *column = &g_array_index(format->columns, XtfColumn, i);
        name_width = MAX(name_width, xtf_text_width(column->name, true));
        unit_width = MAX(unit_width, xtf_text_width(column->unit, true));
    }
    g_string_append_printf(out, "%-*s  from    to width %-*s what\n", (int)name_width, "# column", (int)unit_width,
                           "unit");
    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfColumn *column = &g_array_index(format->columns, XtfColumn, i);
        add_text(out, name_width, column->name);
        g_string_append_printf(out, " %5u %5u %5u ", column->from + 1, column->from + column->width, column->width);
        add_text(out, unit_width, *column->unit ? column->unit : "-");
        g_string_append_c(out, ' ');
        add_free_text(out, *column->description ? column->description : "-");
        g_string_append_c(out, '\n');
    }
    return out;
}
