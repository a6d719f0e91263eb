#include "src/pictures/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/trace/text/table-output.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("score%", XTF_COLUMN_PERCENT, NULL, "share of all time that the finding explains"),
    XTF_COLUMN("rule", XTF_COLUMN_TEXT, NULL, "rule that made the sentence"),
    XTF_COLUMN("finding", XTF_COLUMN_TEXT, NULL, "the sentence"),
    XTF_COLUMN("table", XTF_COLUMN_TEXT, NULL, "path of the table with the numbers"),
};

const XtfTableDeclaration xtf_table_findings = XTF_TABLE("findings", "what to look at first", columns);

enum {
    COLUMNS = 100,    /* most characters of a line of the file */
    TEXT_COLUMN = 23, /* column where a sentence begins */
    LINES_MAX = 8,    /* most lines of a finding */
};

#define ELLIPSIS "\xe2\x80\xa6"
#define BIT      XTF_CLASS_BIT

/* Adds a finding about the parts that rules skipped. */
static bool report_skipped(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (job->skipped->len)
        xtf_finding_add(job, rule, 0, &(XtfFinding){.table = "info"}, "left out, since it would take too long: %s",
                        job->skipped->str);
    return true;
}

#define RULE(NAME, RANK, THRESHOLD, FIND, ...)                                                      \
    {                                                                                               \
        .name = NAME, .rank = XTF_FINDING_##RANK, .threshold = THRESHOLD, .find = FIND, __VA_ARGS__ \
    }
#define IN_CLASSES(SET, WORDS) .classes = (SET), .words = (WORDS)
#define OF_CLOCKS              .compares_times = true
#define OF_ALL                 .is_of_all = true

/* Findings of equal rank and score are in the order of their rules. The last row has no name. */
static const XtfFindingRule rules[] = {
    RULE("crash", DOUBT, 0, xtf_rule_crash, OF_ALL),
    RULE("mismatch", DOUBT, 1, xtf_rule_mismatch, OF_ALL),
    RULE("early", DOUBT, 0, xtf_rule_early, OF_ALL),
    RULE("clocks", DOUBT, 0, xtf_rule_clocks, OF_ALL),
    RULE("cpus", DOUBT, 0, xtf_rule_cpus, OF_ALL),
    RULE("culprit", CAUSE, 0.01, xtf_rule_culprit, OF_CLOCKS),
    RULE("imbalance", CAUSE, 0.02, xtf_rule_imbalance),
    RULE("kinds", CAUSE, 0.1, xtf_rule_kinds),
    RULE("waits", CAUSE, 0.02, xtf_rule_waits, OF_CLOCKS),
    RULE("path", CAUSE, 0.02, xtf_rule_critical, OF_CLOCKS),
    RULE("openmp", CAUSE, 0.1, xtf_rule_classes, IN_CLASSES(BIT(XTF_CLASS_OMP_SYNC), "is waiting in OpenMP")),
    RULE("files", CAUSE, 0.1, xtf_rule_classes,
         IN_CLASSES(BIT(XTF_CLASS_MPI_IO) | BIT(XTF_CLASS_IO), "is reading and writing files")),
    RULE("bytes", CAUSE, 2, xtf_rule_bytes),
    RULE("efficiency", STATE, 0.8, xtf_rule_efficiency),
    RULE("waiting", STATE, 0.2, xtf_rule_classes,
         IN_CLASSES(BIT(XTF_CLASS_WAIT) | BIT(XTF_CLASS_BARRIER), "is waiting"), OF_CLOCKS),
    RULE("communication", STATE, 0.2, xtf_rule_classes,
         IN_CLASSES(BIT(XTF_CLASS_P2P) | BIT(XTF_CLASS_COLLECTIVE) | BIT(XTF_CLASS_RMA) | BIT(XTF_CLASS_PGAS),
                    "is communication")),
    RULE("phases", STATE, 0.3, xtf_rule_phases),
    RULE("iteration", CAUSE, 0.01, xtf_rule_iteration),
    RULE("unmatched", RECORDING, 1, xtf_rule_unmatched, OF_ALL),
    RULE("not_left", RECORDING, 1, xtf_rule_not_left, OF_ALL),
    RULE("unjudged", RECORDING, 0.05, xtf_rule_unjudged),
    RULE("measurement", RECORDING, 0.01, xtf_rule_classes,
         IN_CLASSES(BIT(XTF_CLASS_MEASUREMENT), "is the recorder's own")),
    RULE("unrecorded", RECORDING, 0.01, xtf_rule_unrecorded, OF_ALL),
    RULE("before", RECORDING, 0.01, xtf_rule_before),
    RULE("recording", RECORDING, 0.05, xtf_rule_recording),
    RULE("missing", RECORDING, 1.0 / 3, xtf_rule_missing),
    RULE("starting", CONTEXT, 0.2, xtf_rule_classes,
         IN_CLASSES(BIT(XTF_CLASS_MPI_INIT), "is the start and the end of MPI")),
    RULE("concentration", CONTEXT, 0.2, xtf_rule_concentration),
    RULE("ends", CONTEXT, 0.1, xtf_rule_ends, OF_CLOCKS),
    RULE("limits", CONTEXT, 0, report_skipped), /* after all other rules, as it reports what they skipped */
    {0},
};

/* ---- The selection's profile. */

static void profile_line_clear(void *data)
{
    XtfProfileLine *line = data;

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
    g_free(finding->as_clause);
    g_free(finding->source);
    g_free(finding->path);
    g_free(finding->proc);
}

static void job_clear(XtfFindingJob *job)
{
    xtf_selected_locations_finish(&job->locations);
    xtf_site_totals_finish(&job->sites);
    xtf_selected_locations_finish(&job->all_locations);
    xtf_recorded_procs_finish(&job->recorded);
    g_clear_pointer(&job->profile, g_array_unref);
    g_clear_pointer(&job->findings, g_array_unref);
    if (job->skipped)
        g_string_free(g_steal_pointer(&job->skipped), TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFindingJob, job_clear)

static bool job_init(XtfFindingJob *job, XtfViews *views, XtfSelection *selection, GError **error)
{
    bool is_whole_run = selection->time_from == 0 && selection->endless;
    XtfRowPicker profile = XTF_ROW_PICKER(profile_columns, add_profile_line, job);

    *job = (XtfFindingJob){.views = views,
                           .all = selection,
                           .is_whole_run = is_whole_run,
                           .is_growing = xtf_trace_context_final(views->context) != UINT64_MAX,
                           .window_words = is_whole_run ? "the run" : "the window",
                           .profile = g_array_new(FALSE, FALSE, sizeof(XtfProfileLine)),
                           .findings = g_array_new(FALSE, FALSE, sizeof(XtfFinding)),
                           .skipped = g_string_new(NULL)};
    g_array_set_clear_func(job->profile, profile_line_clear);
    g_array_set_clear_func(job->findings, finding_clear);
    xtf_selection_window(selection, &views->context->scale, &job->from, &job->to);
    job->classes = xtf_trace_context_classes(views->context, error);
    if (!job->classes || !xtf_recorded_procs_find(&job->recorded, views->formats, selection, error))
        return false;
    job->selection = job->recorded.selection;
    if (!xtf_selected_locations_init(&job->locations, views->context, job->selection, error) ||
        !xtf_selected_locations_init(&job->all_locations, views->context, selection, error))
        return false;
    return !xtf_finding_has(job, job->selection, "profile") ||
           (xtf_view_pick(views, "profile", job->selection, &profile, error) && xtf_finding_measure(job, error));
}

static void swap_selections(XtfFindingJob *job)
{
    XtfSelectedLocations locations = job->locations;
    XtfSelection *selection = job->selection;

    job->selection = job->all;
    job->locations = job->all_locations;
    job->all = selection;
    job->all_locations = locations;
}

static bool run_rule(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    if (rule->is_of_all)
        swap_selections(job);
    bool good = rule->find(job, rule, error);
    if (rule->is_of_all)
        swap_selections(job);
    return good;
}

GArray *xtf_findings_find(XtfViews *views, XtfSelection *selection, GError **error)
{
    g_auto(XtfFindingJob) job = {0};

    if (!job_init(&job, views, selection, error))
        return NULL;
    bool contradict = xtf_clock_check_verdict(views->clocks) == XTF_CLOCKS_CONTRADICT;
    for (const XtfFindingRule *rule = rules; rule->name && job.from < job.to; rule++) {
        if (!(contradict && rule->compares_times) && !run_rule(&job, rule, error))
            return NULL;
    }
    xtf_findings_merge(job.findings);
    return g_steal_pointer(&job.findings);
}

/* ---- The file. */

static const char header[] =
    "# score% rule          finding, and the table that has its numbers\n"
    "# score%: the share of all time, or of the calls or messages that are counted, which it explains\n";

static bool findings_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    *size = strlen(header) + XTF_FINDINGS_MAX * LINES_MAX * (COLUMNS + 1);
    return true;
}

static void add_score(XtfLines *lines, const XtfFinding *finding)
{
    xtf_lines_percent(lines, (unsigned __int128)(finding->score * 1e9 + 0.5), 1000000000);
}

/* Lines of at most COLUMNS characters, broken between words. */
typedef struct {
    GString *out;
    unsigned column, n; /* characters in the current line; lines before it */
} Paragraph;

static void break_line(Paragraph *paragraph)
{
    g_string_append_printf(paragraph->out, "\n%*s", TEXT_COLUMN, "");
    paragraph->column = TEXT_COLUMN;
    paragraph->n++;
}

/* Adds a word after `gap` blanks, or in a new line; false if there would be more than `lines` lines. */
static bool add_word(Paragraph *paragraph, const char *word, size_t length, unsigned gap, unsigned lines)
{
    unsigned width = (unsigned)g_utf8_strlen(word, (gssize)length);

    if (paragraph->column > TEXT_COLUMN && paragraph->column + gap + width > COLUMNS) {
        if (paragraph->n + 1 == lines)
            return false;
        break_line(paragraph);
    }
    if (paragraph->column > TEXT_COLUMN) {
        g_string_append_printf(paragraph->out, "%*s", (int)gap, "");
        paragraph->column += gap;
    }
    g_string_append_len(paragraph->out, word, (gssize)length);
    paragraph->column += width;
    return true;
}

/* Adds the lines of a finding. The table's path is always whole, in the last line if the sentence is long. */
static void add_finding(GString *out, const XtfFinding *finding)
{
    Paragraph paragraph = {.out = out, .column = TEXT_COLUMN};
    const char *word = finding->sentence;

    g_string_append_printf(out, "%8.2f %-13s ", finding->score * 100, finding->rule);
    for (const char *end; *word; word = *end ? end + 1 : end) {
        end = word + strcspn(word, " ");
        if (end > word && !add_word(&paragraph, word, (size_t)(end - word), 1, LINES_MAX - 1)) {
            g_string_append(out, ELLIPSIS);
            break;
        }
    }
    add_word(&paragraph, finding->path, strlen(finding->path), 2, LINES_MAX);
    g_string_append_c(out, '\n');
}

static bool findings_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    g_autoptr(GArray) findings = xtf_findings_find(job->views, job->selection, error);

    if (!findings)
        return false;
    g_string_append(drawing->out, header);
    for (guint i = 0; i < MIN(findings->len, (guint)XTF_FINDINGS_MAX); i++) {
        gsize before = drawing->out->len;
        add_finding(drawing->out, &g_array_index(findings, XtfFinding, i));
        /* findings_size() counts one byte a character; names in other scripts may need more. */
        if (drawing->out->len >= drawing->size) {
            g_string_truncate(drawing->out, before);
            break;
        }
    }
    return true;
}

/* Writes a row for each finding: a table of values needs no size beforehand. */
static bool findings_table(XtfViews *views, XtfSelection *selection, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) findings = xtf_findings_find(views, selection, error);

    if (!findings)
        return false;
    xtf_grid_init(&output->grid, &xtf_table_findings);
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(&output->grid, columns[i].name, 0);
    XtfLines *lines = xtf_table_output_begin(output, &views->context->scale);
    for (guint i = 0; i < MIN(findings->len, (guint)XTF_FINDINGS_MAX); i++) {
        const XtfFinding *finding = &g_array_index(findings, XtfFinding, i);
        add_score(lines, finding);
        xtf_lines_word(lines, finding->rule);
        xtf_lines_word(lines, finding->sentence);
        xtf_lines_word(lines, finding->path);
    }
    return xtf_lines_finish(lines, error);
}

/* A selection has findings if it has a histogram: then there is time to report about. */
const XtfPicture xtf_picture_findings = {
    .name = "findings", .of = "histogram", .size = findings_size, .draw = findings_draw, .table = findings_table};
