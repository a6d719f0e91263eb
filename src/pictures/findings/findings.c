#include "src/pictures/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/trace/text/table-output.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("score%", XTF_COLUMN_PERCENT, NULL, "share of all time of the window that the finding explains"),
    XTF_COLUMN("rule", XTF_COLUMN_TEXT, NULL, "rule that made the sentence"),
    XTF_COLUMN("finding", XTF_COLUMN_TEXT, NULL, "the sentence"),
    XTF_COLUMN("table", XTF_COLUMN_TEXT, NULL, "path of the table that has its numbers"),
};

const XtfTableDeclaration xtf_table_findings =
    XTF_TABLE("findings", "what to look at first: a sentence a line", columns);

/* As text: the path stands behind its sentence. */
static const XtfColumn shown_columns[] = {
    XTF_COLUMN("score%", XTF_COLUMN_PERCENT, NULL, "as in the table of values"),
    XTF_COLUMN("rule", XTF_COLUMN_TEXT, NULL, "as in the table of values"),
    XTF_COLUMN("finding, and the table that has its numbers", XTF_COLUMN_TEXT, NULL,
               "the sentence, and the path behind it"),
};

static const XtfTableDeclaration shown_table = XTF_TABLE("findings", "as text", shown_columns);

enum {
    RULE_WIDTH = 13,
    TABLE_WIDTH = 32, /* of a path, without the times in it */
};

#define ELLIPSIS "\xe2\x80\xa6"
#define BIT      XTF_CLASS_BIT

/* Says what rules did not look at. */
static bool find_limits(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (job->left_out->len)
        xtf_finding_add(job, rule, 0, &(XtfFinding){.table = "info"}, "left out, since it would take too long: %s",
                        job->left_out->str);
    return true;
}

/* The last one has no name. Of findings with the same score the earlier rule's comes first. */
static const XtfFindingRule rules[] = {
    {"early", 0, xtf_rule_early, 0, NULL},
    {"waiting", 0.2, xtf_rule_classes, BIT(XTF_CLASS_WAIT) | BIT(XTF_CLASS_BARRIER), "is waiting"},
    {"communication", 0.2, xtf_rule_classes,
     BIT(XTF_CLASS_P2P) | BIT(XTF_CLASS_COLLECTIVE) | BIT(XTF_CLASS_RMA) | BIT(XTF_CLASS_PGAS), "is communication"},
    {"starting", 0.2, xtf_rule_classes, BIT(XTF_CLASS_MPI_INIT), "is the start and the end of MPI"},
    {"openmp", 0.1, xtf_rule_classes, BIT(XTF_CLASS_OMP_SYNC), "is waiting in OpenMP"},
    {"files", 0.1, xtf_rule_classes, BIT(XTF_CLASS_MPI_IO) | BIT(XTF_CLASS_IO), "is reading and writing files"},
    {"measurement", 0.01, xtf_rule_classes, BIT(XTF_CLASS_MEASUREMENT), "is the recorder's own, or while it was off"},
    {"before", 0.01, xtf_rule_before, 0, NULL},
    {"recording", 0.05, xtf_rule_recording, 0, NULL},
    {"imbalance", 0.02, xtf_rule_imbalance, 0, NULL},
    {"concentration", 0.2, xtf_rule_concentration, 0, NULL},
    {"phases", 0.3, xtf_rule_phases, 0, NULL},
    {"ends", 0.001, xtf_rule_ends, 0, NULL},
    {"bytes", 2, xtf_rule_bytes, 0, NULL},
    {"unmatched", 1, xtf_rule_unmatched, 0, NULL},
    {"unfinished", 1, xtf_rule_unfinished, 0, NULL},
    {"kinds", 0.1, xtf_rule_kinds, 0, NULL},
    {"efficiency", 0.8, xtf_rule_efficiency, 0, NULL},
    {"waits", 0.02, xtf_rule_waits, 0, NULL},
    {"culprit", 0.01, xtf_rule_culprit, 0, NULL},
    {"path", 0.02, xtf_rule_critical, 0, NULL},
    {"limits", 0, find_limits, 0, NULL}, /* the last one: what the others left out */
    {0},
};

/* ---- The selection's profile. */

static void profile_line_clear(void *data)
{
    XtfProfileLine *line = data;

    g_free(line->exclusive_text);
    g_free(line->name);
}

enum { ROW, CALLS, EXCLUSIVE, EXCLUSIVE_PERCENT, REGION };
static const char *const profile_columns[] = {"row", "calls", "exclusive", "exclusive%", "region"};

static bool add_profile_line(const XtfRowCell *cells, void *data, GError **error)
{
    XtfFindingJob *job = data;
    uint64_t calls = xtf_row_number(&cells[CALLS]);
    double exclusive = xtf_finding_cell_seconds(job, &cells[EXCLUSIVE]);
    bool has_row = cells[ROW].type != XTF_ROW_NOTHING;

    if (!calls && exclusive == 0)
        return true;
    XtfProfileLine line = {.row = has_row ? xtf_row_number(&cells[ROW]) : UINT64_MAX,
                           .calls = calls,
                           .percent = xtf_row_number(&cells[EXCLUSIVE_PERCENT]),
                           .exclusive = exclusive,
                           .exclusive_text = g_strdup(cells[EXCLUSIVE].text),
                           .name = xtf_finding_name(cells[REGION].text)};
    bool is_before = !has_row && g_str_equal(cells[REGION].text, "(unmatched LEAVE)");
    const uint64_t unknown = job->classes->n + 1;
    line.line = has_row ? line.row : is_before ? job->classes->n : unknown;
    line.class = is_before ? XTF_N_CLASSES : xtf_region_classes_of(job->classes, line.row);
    g_array_append_val(job->profile, line);
    return true;
}

/* ---- All rules. */

static void finding_clear(void *data)
{
    XtfFinding *finding = data;

    g_free(finding->sentence);
    g_free(finding->path);
    g_free(finding->proc);
}

static void job_clear(XtfFindingJob *job)
{
    xtf_selected_locations_finish(&job->locations);
    g_clear_pointer(&job->profile, g_array_unref);
    g_clear_pointer(&job->found, g_array_unref);
    if (job->left_out)
        g_string_free(g_steal_pointer(&job->left_out), TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFindingJob, job_clear)

static bool job_init(XtfFindingJob *job, XtfViews *views, XtfSelection *selection, GError **error)
{
    bool is_whole_run = selection->time_from == 0 && selection->endless;
    XtfRowPicker profile = XTF_ROW_PICKER(profile_columns, add_profile_line, job);

    *job = (XtfFindingJob){.views = views,
                           .selection = selection,
                           .is_whole_run = is_whole_run,
                           .goes_on = xtf_trace_context_final(views->context) != UINT64_MAX,
                           .what = is_whole_run ? "the run" : "the window",
                           .profile = g_array_new(FALSE, FALSE, sizeof(XtfProfileLine)),
                           .found = g_array_new(FALSE, FALSE, sizeof(XtfFinding)),
                           .left_out = g_string_new(NULL)};
    g_array_set_clear_func(job->profile, profile_line_clear);
    g_array_set_clear_func(job->found, finding_clear);
    xtf_selection_window(selection, &views->context->scale, &job->from, &job->to);
    job->classes = xtf_trace_context_classes(views->context, error);
    return job->classes && xtf_selected_locations_init(&job->locations, views->context, selection, error) &&
           (!xtf_finding_has(job, selection, "profile") || xtf_view_pick(views, "profile", selection, &profile, error));
}

GArray *xtf_findings_find(XtfViews *views, XtfSelection *selection, GError **error)
{
    g_auto(XtfFindingJob) job = {0};

    if (!job_init(&job, views, selection, error))
        return NULL;
    for (const XtfFindingRule *rule = rules; rule->name && job.from < job.to; rule++) {
        if (!rule->find(&job, rule, error))
            return NULL;
    }
    g_array_sort_with_data(job.found, xtf_finding_compare, NULL); /* stable */
    return g_steal_pointer(&job.found);
}

/* ---- The file. */

static void shape_of(const XtfTimeScale *scale, XtfGrid *grid)
{
    xtf_grid_init(grid, &shown_table);
    xtf_grid_add(grid, "score%", 0);
    xtf_grid_add(grid, "rule", RULE_WIDTH);
    xtf_grid_add(grid, "finding, and the table that has its numbers",
                 XTF_FINDING_SENTENCE + TABLE_WIDTH + 2 * scale->width);
}

static bool findings_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    XtfGrid grid;

    shape_of(&views->context->scale, &grid);
    *size = (XTF_FINDINGS_MAX + 1) * grid.line;
    return true;
}

/* The part of a text that fits `most` bytes, with whole characters. */
static size_t fitting(const char *text, size_t most)
{
    size_t length = strlen(text);

    if (length <= most)
        return length;
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--)
        continue;
    return length;
}

static void add_score(XtfLines *lines, const XtfFinding *finding)
{
    xtf_lines_percent(lines, (unsigned __int128)(finding->score * 1e9 + 0.5), 1000000000);
}

static void add_finding(XtfLines *lines, const XtfFinding *finding)
{
    size_t width = lines->grid->columns[lines->grid->n - 1].width, path = strlen(finding->path) + strlen("  ");
    bool is_cut = strlen(finding->sentence) > width - path;
    size_t most = is_cut ? width - path - strlen(ELLIPSIS) : width - path;
    g_autoptr(GString) text = g_string_new_len(finding->sentence, (gssize)fitting(finding->sentence, most));

    g_string_append_printf(text, "%s  %s", is_cut ? ELLIPSIS : "", finding->path);
    add_score(lines, finding);
    xtf_lines_text(lines, finding->rule, 0);
    xtf_lines_shown_text(lines, text->str, text->len, text->str);
}

static bool findings_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    const XtfTimeScale *scale = &job->views->context->scale;
    g_autoptr(GArray) found = xtf_findings_find(job->views, job->selection, error);
    XtfGrid grid;
    XtfLines lines;

    if (!found)
        return false;
    shape_of(scale, &grid);
    xtf_lines_init(&lines, &grid, scale, drawing->out);
    xtf_lines_header(&lines);
    for (guint i = 0; i < XTF_FINDINGS_MAX; i++) {
        if (i < found->len) {
            add_finding(&lines, &g_array_index(found, XtfFinding, i));
            continue;
        }
        for (unsigned column = 0; column < grid.n; column++)
            xtf_lines_nothing(&lines);
    }
    return xtf_lines_finish(&lines, error);
}

/* As many lines as there are findings: a table of values needs no size before. */
static bool findings_table(XtfViews *views, XtfSelection *selection, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) found = xtf_findings_find(views, selection, error);

    if (!found)
        return false;
    xtf_grid_init(&output->grid, &xtf_table_findings);
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(&output->grid, columns[i].name, 0);
    XtfLines *lines = xtf_table_output_begin(output, &views->context->scale);
    for (guint i = 0; i < MIN(found->len, (guint)XTF_FINDINGS_MAX); i++) {
        const XtfFinding *finding = &g_array_index(found, XtfFinding, i);
        add_score(lines, finding);
        xtf_lines_word(lines, finding->rule);
        xtf_lines_word(lines, finding->sentence);
        xtf_lines_word(lines, finding->path);
    }
    return xtf_lines_finish(lines, error);
}

/* It is where there is something to tell of time. */
const XtfPicture xtf_picture_findings = {
    .name = "findings", .of = "histogram", .size = findings_size, .draw = findings_draw, .table = findings_table};
