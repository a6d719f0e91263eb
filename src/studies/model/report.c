#include "src/studies/model/report.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/error.h"
#include "src/studies/model/fold.h"
#include "src/tables/format/table.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/lines.h"

static const XtfColumn call_columns[] = {
    XTF_COLUMN("loop", XTF_COLUMN_WORD, NULL, "label of a loop, for --set"),
    XTF_COLUMN("turns", XTF_COLUMN_REAL, NULL, "mean number of turns of a loop, each time that it is reached"),
    XTF_COLUMN("executions", XTF_COLUMN_REAL, NULL, "executions in a process; mean"),
    XTF_COLUMN("time", XTF_COLUMN_REAL, "s", "mean time of an execution, or of a turn of a loop"),
    XTF_COLUMN("share", XTF_COLUMN_REAL, "%", "part of the time of a process"),
    XTF_COLUMN("fold_error", XTF_COLUMN_REAL, "s", "longest minus shortest execution, times executions of a process"),
    XTF_COLUMN("call", XTF_COLUMN_TEXT, NULL, "call, loop or branch; nested by indentation"),
};

static const XtfColumn term_columns[] = {
    XTF_COLUMN("term", XTF_COLUMN_WORD, NULL, "name in the formula"),
    XTF_COLUMN("time", XTF_COLUMN_REAL, "s", "time of an execution, or of a unit of work"),
    XTF_COLUMN("executions", XTF_COLUMN_REAL, NULL, "executions, or units of work, of a process; mean"),
    XTF_COLUMN("share", XTF_COLUMN_REAL, "%", "part of the time of a process"),
    XTF_COLUMN("factor", XTF_COLUMN_WORD, NULL, "executions as an expression"),
    XTF_COLUMN("call", XTF_COLUMN_TEXT, NULL, "call whose own time it is"),
};

static const XtfColumn prediction_columns[] = {
    XTF_COLUMN("size", XTF_COLUMN_WORD, NULL, "values of P and the parameters"),
    XTF_COLUMN("time", XTF_COLUMN_REAL, "s", "time of a process by the model"),
    XTF_COLUMN("mpi", XTF_COLUMN_REAL, "s", "part of it in calls of MPI"),
    XTF_COLUMN("ratio", XTF_COLUMN_REAL, NULL, "recorded time, divided by this time"),
};

const XtfTableDeclaration xtf_table_model_calls =
    XTF_TABLE("model: calls", "a line for each node of the folded run", call_columns);
const XtfTableDeclaration xtf_table_model_terms =
    XTF_TABLE("model: terms", "a line for each term of the formula", term_columns);
const XtfTableDeclaration xtf_table_model_predictions =
    XTF_TABLE("model: predictions", "a line for each size of --at", prediction_columns);

enum { REAL_WIDTH = 12, INDENTATION = 2 }; /* of 1.23457e-123 */

static const char real_format[] = "%.6g", short_format[] = "%.4g";

static double percent_of_time(const XtfProgramModel *model, double seconds)
{
    return model->time > 0 ? 100 * seconds / model->time : 0;
}

/* Returns the text of a row's last cell, indented. */
static char *indent_text(const XtfProgramRow *row)
{
    g_autofree char *shown = xtf_text_shown(row->text, XTF_TABLE_TEXT_MAX);

    return g_strdup_printf("%*s%s%s%s", (int)MIN(row->depth * INDENTATION, 128), "", *shown ? shown : "\"\"",
                           row->expression ? ", turns " : "", row->expression ? row->expression : "");
}

/* True if a row takes enough of the time. */
static bool is_shown(const XtfProgramModel *model, const XtfProgramRow *row, double least)
{
    return row->total >= least * model->time;
}

static bool add_calls(const XtfProgramModel *model, double least, GString *out, GError **error)
{
    size_t width = 0;
    unsigned loops = 0;
    XtfGrid grid;
    XtfLines lines;

    for (guint i = 0; i < model->rows->len; i++) {
        const XtfProgramRow *row = &g_array_index(model->rows, XtfProgramRow, i);
        g_autofree char *text = indent_text(row);
        if (!is_shown(model, row, least))
            continue;
        width = MAX(width, strlen(text));
        loops = MAX(loops, row->loop);
    }
    xtf_grid_init(&grid, &xtf_table_model_calls);
    xtf_grid_add(&grid, call_columns[0].name, 1 + xtf_count_digits(loops));
    for (unsigned i = 1; i + 1 < G_N_ELEMENTS(call_columns); i++)
        xtf_grid_add(&grid, call_columns[i].name, REAL_WIDTH);
    xtf_grid_add(&grid, call_columns[G_N_ELEMENTS(call_columns) - 1].name, width);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (guint i = 0; i < model->rows->len; i++) {
        const XtfProgramRow *row = &g_array_index(model->rows, XtfProgramRow, i);
        g_autofree char *text = indent_text(row), *loop = g_strdup_printf("L%u", row->loop);
        if (!is_shown(model, row, least))
            continue;
        xtf_lines_word(&lines, row->loop ? loop : "-");
        xtf_lines_real(&lines, short_format, row->loop ? row->turns : 1);
        xtf_lines_real(&lines, real_format, row->executions);
        xtf_lines_real(&lines, short_format, row->seconds);
        xtf_lines_real(&lines, "%.1f", percent_of_time(model, row->total));
        xtf_lines_real(&lines, short_format, row->folding_error);
        xtf_lines_shown_text(&lines, text, strlen(text), text);
    }
    return xtf_lines_finish(&lines, error);
}

/* Returns a term's factor as a text: "10*N^2/P". */
static char *print_factor(const XtfProgramModel *model, const XtfProgramProduct *factor)
{
    GString *text = g_string_new(NULL);

    if (fabs(factor->coefficient - 1) > 1e-9)
        g_string_append_printf(text, "%.6g*", factor->coefficient);
    xtf_program_product_print(factor, &model->options->variables, text);
    if (text->len > 2 && g_str_has_suffix(text->str, "*1"))
        g_string_truncate(text, text->len - 2);
    return g_string_free(text, FALSE);
}

static bool add_terms(const XtfProgramModel *model, GString *out, GError **error)
{
    size_t label = 0, factor = 0, call = 0;
    XtfGrid grid;
    XtfLines lines;

    for (guint i = 0; i < model->terms->len; i++) {
        const XtfProgramTerm *term = xtf_program_term(model, i);
        g_autofree char *text = print_factor(model, &term->factor);
        label = MAX(label, strlen(term->label));
        factor = MAX(factor, strlen(text));
        call = MAX(call, xtf_text_width(term->call, false, XTF_TABLE_TEXT_MAX));
    }
    xtf_grid_init(&grid, &xtf_table_model_terms);
    xtf_grid_add(&grid, "term", label);
    for (unsigned i = 1; i < 4; i++)
        xtf_grid_add(&grid, term_columns[i].name, REAL_WIDTH);
    xtf_grid_add(&grid, "factor", factor);
    xtf_grid_add(&grid, "call", call);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (guint i = 0; i < model->terms->len; i++) {
        const XtfProgramTerm *term = xtf_program_term(model, i);
        const XtfProgramVariables *variables = &model->options->variables;
        double executions = xtf_program_product_value(&term->factor, variables);
        g_autofree char *text = print_factor(model, &term->factor);
        xtf_lines_word(&lines, term->label);
        xtf_lines_real(&lines, real_format, term->seconds);
        xtf_lines_real(&lines, real_format, executions);
        xtf_lines_real(&lines, "%.1f", percent_of_time(model, term->seconds * executions));
        xtf_lines_word(&lines, text);
        xtf_lines_text(&lines, term->call, i);
    }
    return xtf_lines_finish(&lines, error);
}

bool xtf_program_report(const XtfProgramModel *model, double least, GString *out, GError **error)
{
    if (!add_calls(model, least, out, error))
        return false;
    g_string_append_c(out, '\n');
    return add_terms(model, out, error);
}

/* ---- Predictions. */

static char *print_size(const XtfProgramVariables *size)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < size->n; i++)
        g_string_append_printf(text, "%s%s=%.10g", i ? "," : "", size->names[i], size->values[i]);
    return g_string_free(text, FALSE);
}

/* Computes the time of a size, and the part of it in calls of MPI. Fails if a term has no time there. */
static bool predict_time(const XtfProgramModel *model, const XtfProgramVariables *size, double *sum, double *mpi,
                         GError **error)
{
    *sum = *mpi = 0;
    for (guint i = 0; i < model->terms->len; i++) {
        const XtfProgramTerm *term = xtf_program_term(model, i);
        double seconds = xtf_program_term_time(model, term, size);
        if (!(seconds >= 0) || !isfinite(seconds)) {
            g_autofree char *text = print_size(size), *factor = print_factor(model, &term->factor);
            return xtf_fail(error, XTF_ERROR_INVALID, "no prediction for %s: the executions of %s, %s, are %g", text,
                            term->label, factor, xtf_program_product_value(&term->factor, size));
        }
        *sum += seconds;
        *mpi += term->is_mpi ? seconds : 0;
    }
    return true;
}

bool xtf_program_report_predictions(const XtfProgramModel *model, const XtfProgramVariables *sizes, unsigned n,
                                    GString *out, GError **error)
{
    size_t width = 0;
    XtfGrid grid;
    XtfLines lines;

    for (unsigned i = 0; i < n; i++) {
        g_autofree char *size = print_size(&sizes[i]);
        width = MAX(width, strlen(size));
    }
    xtf_grid_init(&grid, &xtf_table_model_predictions);
    xtf_grid_add(&grid, "size", width + 1);
    for (unsigned i = 1; i < G_N_ELEMENTS(prediction_columns); i++)
        xtf_grid_add(&grid, prediction_columns[i].name, REAL_WIDTH);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (unsigned i = 0; i < n; i++) {
        double sum, mpi;
        if (!predict_time(model, &sizes[i], &sum, &mpi, error))
            return false;
        g_autofree char *size = print_size(&sizes[i]);
        xtf_lines_word(&lines, size);
        xtf_lines_real(&lines, real_format, sum);
        xtf_lines_real(&lines, real_format, mpi);
        xtf_lines_real(&lines, short_format, sum > 0 ? model->time / sum : 0);
    }
    return xtf_lines_finish(&lines, error);
}

/* ---- The formula. */

/* Appends the sum of the terms of one factor, from `i` on. Returns the index behind them. */
static guint add_sum(const XtfProgramModel *model, guint i, GString *out)
{
    g_autofree char *factor = print_factor(model, &xtf_program_term(model, i)->factor);
    guint end = i;

    while (end < model->terms->len) {
        g_autofree char *next_factor = print_factor(model, &xtf_program_term(model, end)->factor);
        if (!g_str_equal(factor, next_factor))
            break;
        end++;
    }
    bool has_factor = !g_str_equal(factor, "1"), has_sum = end - i > 1;
    g_string_append_printf(out, "%s%s%s", has_factor ? factor : "", has_factor ? "*" : "",
                           has_factor && has_sum ? "(" : "");
    for (guint k = i; k < end; k++) {
        g_autofree char *label = xtf_text_shown(xtf_program_term(model, k)->label, XTF_TABLE_TEXT_MAX);
        g_string_append_printf(out, "%s%s", k > i ? " + " : "", label);
    }
    g_string_append(out, has_factor && has_sum ? ")" : "");
    return end;
}

void xtf_program_conclude(const XtfProgramModel *model, const XtfFoldedRun *run, GString *out)
{
    const XtfProgramRow *worst = NULL;
    g_autofree char *size = print_size(&model->options->variables);

    g_string_append(out, model->terms->len ? "# T = " : "# T = 0");
    for (guint i = 0; i < model->terms->len;) {
        g_string_append(out, i ? " + " : "");
        i = add_sum(model, i, out);
    }
    g_string_append_printf(out, "\n# Recorded: T = %.6g s for %s, the mean of %" PRIu64 " %s, %" PRIu64 " %s.\n",
                           model->time, size, run->n_procs, run->n_procs == 1 ? "process" : "processes", run->n_calls,
                           run->n_calls == 1 ? "call" : "calls");
    for (guint i = 0; i < model->rows->len; i++) {
        const XtfProgramRow *row = &g_array_index(model->rows, XtfProgramRow, i);
        if (row->folding_error > (worst ? worst->folding_error : 0))
            worst = row;
    }
    if (worst) {
        g_autofree char *text = xtf_text_shown(worst->text, XTF_TABLE_TEXT_MAX);
        g_string_append_printf(out, "# The greatest folding error is that of %s: %.4g s a process.\n", text,
                               worst->folding_error);
    }
    if (run->left_out)
        g_string_append_printf(out, "# Left out: %" PRIu64 " %s.\n", run->left_out,
                               run->left_out == 1 ? "thread, which is not the first of its process"
                                                  : "threads, of which none is the first of its process");
    if (run->n_silent)
        g_string_append_printf(out, "# Left out: %" PRIu64 " %s without calls in the first thread.\n", run->n_silent,
                               run->n_silent == 1 ? "process" : "processes");
    if (run->n_deeper)
        g_string_append_printf(out, "# Left out: %" PRIu64 " %s deeper than %d, as time of the calls around them.\n",
                               run->n_deeper, run->n_deeper == 1 ? "call" : "calls", XTF_PROGRAM_DEPTH_MAX - 1);
}
