/*
 * Each schema has a recipe for its lines, made once. It holds the bytes that are the same in all lines, and a step for
 * each cell between them. A step copies a number from the line of text, or a prepared name.
 */
#include "src/tree/records/record-lines.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/tables/format/site-cells.h"
#include "src/trace/text/escape.h"

enum {
    PREFIX_COLUMNS = 3, /* columns without a cell: time, process and thread */
    COPY_BYTES = 16,    /* bytes that copy_bytes() always copies */
    SLACK_BYTES = 32,   /* readable bytes after each source, and free bytes after the output */
};

#define UNKNOWN "?" /* a number that is not known, as text; CSV and JSON have no value */

/* A quoted name, followed by slack. */
typedef struct {
    char *text; /* NULL: not made yet */
    size_t length;
} PreparedName;

typedef enum {
    NUMBER, /* a number, which CSV and JSON write alike */
    TIME,   /* a time with decimals, which is a string in JSON */
    NAME,   /* name of a table's row, or a label */
    SITE,   /* name of a call site that is no field */
    STRING, /* string of the trace, or a value that may be one */
    SHOWN,  /* text as in the line */
} StepKind;

/* A cell of a line, and the bytes before it. */
typedef struct {
    StepKind kind;
    uint32_t from, width; /* in the line of text */
    GString *before;
    const XtfCell *cell; /* NULL: of the prefix */
    PreparedName *names; /* prepared names of a NAME or a SITE, by number */
} Step;

/* The lines of a schema. */
typedef struct {
    GArray *steps;  /* of Step; NULL: not made yet */
    GString *after; /* the end of the line */
    size_t most;    /* maximal bytes of a line, without strings and without names longer than SLACK_BYTES */
} Recipe;

struct XtfRecordLines {
    XtfTrace *trace;
    const XtfFormat *format;
    XtfRowFormat as;
    XtfRenderer *renderer;
    XtfTraceContext *context;
    const XtfLocations *locations;
    XtfSiteReader *sites; /* NULL until a line needs it */
    Recipe *recipes;      /* by schema */
    GString *lines;       /* lines of the table, as text */
    GString *out;         /* borrowed */
};

/* ---- Text. */

/* Makes room for `more` bytes and the slack after the text. */
static void reserve_bytes(GString *text, size_t more)
{
    gsize length = text->len;

    if (length + more + SLACK_BYTES < text->allocated_len)
        return;
    g_string_set_size(text, length + more + SLACK_BYTES);
    g_string_truncate(text, length);
}

static void add_quoted(XtfRowFormat as, GString *out, const char *text)
{
    if (as == XTF_ROWS_CSV)
        xtf_csv_add(out, text);
    else
        xtf_json_add(out, text);
}

/* Adds a text of the trace without cutting it. */
static void add_whole_text(XtfRowFormat as, GString *out, const char *text)
{
    g_autofree char *shown = xtf_text_shown(text, G_MAXSIZE);
    add_quoted(as, out, shown);
}

/* Adds a line's text of a cell. A dash means that there is no value, and so does the text `no_value`. */
static void add_cell_text(XtfRowFormat as, GString *out, const char *line, uint32_t from, uint32_t width,
                          const char *no_value)
{
    g_autofree char *text = g_strstrip(g_strndup(line + from, width));

    if (!g_str_equal(text, "-") && !g_str_equal(text, no_value))
        add_quoted(as, out, text);
    else if (as == XTF_ROWS_JSON)
        g_string_append(out, "null");
}

/* ---- Recipes. */

static const XtfRecordColumn *column_at(const XtfFormat *format, unsigned i)
{
    return &g_array_index(format->columns, XtfRecordColumn, i);
}

static const XtfCell *find_column_cell(const XtfProgram *program, unsigned column)
{
    for (uint32_t i = 0; i < program->n_cells; i++) {
        if (program->cells[i].column == column)
            return &program->cells[i];
    }
    return NULL;
}

static StepKind step_kind(const XtfRecordLines *writer, const XtfRecordColumn *column, const XtfCell *cell)
{
    if (cell && cell->kind == XTF_CELL_NAME)
        return NAME;
    if (cell && xtf_cell_is_site(cell))
        return SITE;
    if (cell && (cell->kind == XTF_CELL_STRING || cell->kind == XTF_CELL_VALUE))
        return STRING;
    if (column->left || (cell && cell->kind == XTF_CELL_BYTES))
        return SHOWN;
    return g_str_equal(column->unit, "s") && writer->context->scale.digits > 0 ? TIME : NUMBER;
}

/* Adds the bytes before the cell of column i: the separator, and in JSON the column's name. */
static void add_separator(const XtfRecordLines *writer, unsigned i, GString *out)
{
    if (writer->as == XTF_ROWS_CSV) {
        g_string_append(out, i ? "," : "");
        return;
    }
    g_string_append_c(out, i ? ',' : '{');
    xtf_json_add(out, column_at(writer->format, i)->name);
    g_string_append_c(out, ':');
}

static Recipe *get_recipe(XtfRecordLines *writer, uint32_t schema)
{
    const XtfFormat *format = writer->format;
    const XtfProgram *program = &format->programs[schema];
    Recipe *recipe = &writer->recipes[schema];
    g_autoptr(GString) before = g_string_new(NULL);

    if (recipe->steps)
        return recipe;
    recipe->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    for (unsigned i = 0; i < format->columns->len; i++) {
        const XtfRecordColumn *column = column_at(format, i);
        const XtfCell *cell = find_column_cell(program, i);
        add_separator(writer, i, before);
        if (!(format->has_prefix && i < PREFIX_COLUMNS) && (!cell || cell->kind == XTF_CELL_TYPE)) {
            add_cell_text(writer->as, before, program->template, column->from, column->width, "-");
            continue;
        }
        Step step = {step_kind(writer, column, cell), column->from, column->width,
                     g_steal_pointer(&before),        cell,         NULL};
        if (step.kind == NAME || step.kind == SITE)
            step.names = g_new0(PreparedName, cell->names->n + 1);
        reserve_bytes(step.before, 0);
        recipe->most += step.before->len + step.width + 2 * SLACK_BYTES;
        g_array_append_val(recipe->steps, step);
        before = g_string_new(NULL);
    }
    g_string_append(before, writer->as == XTF_ROWS_JSON ? "}\n" : "\n");
    reserve_bytes(before, 0);
    recipe->most += before->len;
    recipe->after = g_steal_pointer(&before);
    return recipe;
}

static void recipe_clear(Recipe *recipe)
{
    for (guint i = 0; recipe->steps && i < recipe->steps->len; i++) {
        Step *step = &g_array_index(recipe->steps, Step, i);
        for (uint64_t k = 0; step->names && k < step->cell->names->n; k++)
            g_free(step->names[k].text);
        g_free(step->names);
        g_string_free(step->before, TRUE);
    }
    g_clear_pointer(&recipe->steps, g_array_unref);
    if (recipe->after)
        g_string_free(recipe->after, TRUE);
}

XtfRecordLines *xtf_record_lines_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations,
                                     XtfRowFormat as)
{
    XtfRecordLines *writer = g_new(XtfRecordLines, 1);

    *writer = (XtfRecordLines){.trace = formats->context->trace,
                               .format = format,
                               .as = as,
                               .renderer = xtf_renderer_new(formats, format, locations),
                               .context = formats->context,
                               .locations = locations,
                               .recipes = g_new0(Recipe, format->n_programs + 1),
                               .lines = g_string_new(NULL)};
    return writer;
}

void xtf_record_lines_free(XtfRecordLines *writer)
{
    for (uint32_t i = 0; i < writer->format->n_programs; i++)
        recipe_clear(&writer->recipes[i]);
    g_free(writer->recipes);
    xtf_renderer_free(writer->renderer);
    xtf_site_reader_free(writer->sites);
    g_string_free(writer->lines, TRUE);
    g_free(writer);
}

/* ---- Cells. Each function writes at `to` and returns the end of its output. `most` bytes have room. */

/* Copies bytes that slack follows, and returns the end of the copy. */
static inline char *copy_bytes(char *to, const char *from, size_t length)
{
    memcpy(to, from, COPY_BYTES);
    if (G_UNLIKELY(length > COPY_BYTES))
        memcpy(to + COPY_BYTES, from + COPY_BYTES, length - COPY_BYTES);
    return to + length;
}

/* Returns the first character that is no blank. The text must have one. */
static inline const char *skip_blanks(const char *at)
{
    static const uint64_t blanks = UINT64_C(0x2020202020202020);
    uint64_t eight;

    for (memcpy(&eight, at, sizeof eight); eight == blanks; memcpy(&eight, at, sizeof eight))
        at += sizeof eight;
    return at + __builtin_ctzll(GUINT64_FROM_LE(eight) ^ blanks) / 8;
}

/* Appends a cell to the output by a slower function, which may move the output. */
static char *add_slow_cell(XtfRecordLines *writer, const Recipe *recipe, const Step *step, const char *line,
                           const char *text, char *to)
{
    GString *out = writer->out;

    out->len = (gsize)(to - out->str);
    if (text)
        add_whole_text(writer->as, out, text);
    else
        add_cell_text(writer->as, out, line, step->from, step->width,
                      step->kind == NUMBER || step->kind == TIME ? UNKNOWN : "-");
    reserve_bytes(out, recipe->most);
    return out->str + out->len;
}

/* Writes a number, which is at the right of its column. */
static inline char *put_number(XtfRecordLines *writer, const Recipe *recipe, const Step *step, const char *line,
                               char *to)
{
    const char *begin = skip_blanks(line + step->from), *end = line + step->from + step->width;

    if (G_UNLIKELY(!g_ascii_isdigit(end[-1]))) /* a dash; "?", "inf" */
        return add_slow_cell(writer, recipe, step, line, NULL, to);
    if (step->kind != TIME || writer->as == XTF_ROWS_CSV)
        return copy_bytes(to, begin, (size_t)(end - begin));
    *to++ = '"';
    to = copy_bytes(to, begin, (size_t)(end - begin));
    *to++ = '"';
    return to;
}

/* Writes name v of the step's names. */
static char *put_name(XtfRecordLines *writer, const Recipe *recipe, const Step *step, const char *line, uint64_t v,
                      char *to)
{
    if (v >= step->cell->names->n) /* the row has a number without a name, or no value */
        return add_slow_cell(writer, recipe, step, line, NULL, to);
    PreparedName *name = &step->names[v];
    if (!name->text) {
        g_autoptr(GString) text = g_string_new(NULL);
        add_whole_text(writer->as, text, step->cell->names->whole[v]);
        reserve_bytes(text, 0);
        name->length = text->len;
        name->text = g_string_free(g_steal_pointer(&text), FALSE);
    }
    if (G_UNLIKELY(name->length > SLACK_BYTES)) {
        writer->out->len = (gsize)(to - writer->out->str);
        reserve_bytes(writer->out, name->length + recipe->most);
        to = writer->out->str + writer->out->len;
    }
    return copy_bytes(to, name->text, name->length);
}

/* Writes the name of a call site that is no field. Returns NULL on error. */
static char *put_site(XtfRecordLines *writer, const Recipe *recipe, const Step *step, const char *line,
                      const XtfSpan *span, const uint8_t *row, char *to, GError **error)
{
    uint32_t site;

    if (!writer->sites)
        writer->sites = xtf_site_reader_new(writer->context, writer->locations);
    if (!xtf_site_cell_find(step->cell, writer->sites, span->tag, span->array.schema, row, &site, error))
        return NULL;
    return put_name(writer, recipe, step, line, site, to);
}

/* Writes a string of the trace, or a number. Returns NULL on error. */
static char *put_string(XtfRecordLines *writer, const Recipe *recipe, const Step *step, const char *line,
                        const uint8_t *row, char *to, GError **error)
{
    const char *text;
    uint32_t string;

    if (!xtf_cell_string(step->cell, row, &string))
        return put_number(writer, recipe, step, line, to);
    if (!xtf_trace_string(writer->trace, string, &text, error))
        return NULL;
    return add_slow_cell(writer, recipe, step, line, text, to);
}

/* ---- Lines. */

static bool add_record_line(XtfRecordLines *writer, const Recipe *recipe, const char *line, const XtfSpan *span,
                            const uint8_t *row, GError **error)
{
    const Step *steps = (const Step *)(const void *)recipe->steps->data;
    GString *out = writer->out;

    reserve_bytes(out, recipe->most);
    char *to = out->str + out->len;
    for (const Step *step = steps; step < steps + recipe->steps->len; step++) {
        to = copy_bytes(to, step->before->str, step->before->len);
        if (step->kind == NUMBER || step->kind == TIME)
            to = put_number(writer, recipe, step, line, to);
        else if (step->kind == NAME)
            to = put_name(writer, recipe, step, line, xtf_field_get(step->cell->field, row), to);
        else if (step->kind == SHOWN)
            to = add_slow_cell(writer, recipe, step, line, NULL, to);
        else
            to = step->kind == SITE ? put_site(writer, recipe, step, line, span, row, to, error)
                                    : put_string(writer, recipe, step, line, row, to, error);
        if (!to)
            return false;
    }
    to = copy_bytes(to, recipe->after->str, recipe->after->len);
    out->len = (gsize)(to - out->str);
    return true;
}

/* Renders the lines part by part, and appends them in the order of the records. */
bool xtf_record_lines_add(XtfRecordLines *writer, const XtfRecordBlock *block, GString *out, GError **error)
{
    size_t length = writer->format->line;
    struct {
        const char *line;
        const uint8_t *row;
        size_t row_size;
        const Recipe *recipe;
        const XtfSpan *span;
    } next[XTF_RECORD_PARTS_MAX];
    uint64_t n = 0;

    writer->out = out;
    g_string_set_size(writer->lines, block->n_rows * length + SLACK_BYTES);
    for (uint32_t i = 0; i < block->n_parts; i++) {
        const XtfRowRun *part = &block->parts[i];
        const XtfSchema *schema = part->span->array.schema;
        char *begin = writer->lines->str + n * length;
        if (!xtf_renderer_run(writer->renderer, part, begin, error))
            return false;
        next[i].line = begin;
        next[i].row = part->rows;
        next[i].row_size = schema->row_size;
        next[i].span = part->span;
        next[i].recipe = get_recipe(writer, schema->id);
        n += part->n_rows;
    }
    for (uint32_t i = 0; i < block->n_rows; i++) {
        unsigned part = block->order ? block->order[i] : 0;
        if (!add_record_line(writer, next[part].recipe, next[part].line, next[part].span, next[part].row, error))
            return false;
        next[part].line += length;
        next[part].row += next[part].row_size;
    }
    if (writer->sites)
        xtf_site_reader_rest(writer->sites);
    return true;
}
