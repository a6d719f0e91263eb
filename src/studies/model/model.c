#include "src/studies/model/model.h"

#include <math.h>

#include "libxtf/error.h"
#include "src/studies/model/guess.h"
#include "src/trace/text/escape.h"

/* A part of less than this share of the time is put together with others of the same factor. */
static const double least_share = 0.001;

static const double turn_factors[] = {1, 0}, byte_factors[] = {1, 8, 4, 2, 16, 0};

/* The state of the walk down the nodes. */
typedef struct {
    XtfProgramModel *model;
    XtfProgramOptions *options;
    const XtfNameIndex *names;
    const XtfRegionClasses *classes;
    double n_procs, tick; /* processes, seconds of a tick */
    unsigned n_loops;
    bool is_inside; /* the node, or one around it, is a call of the region that is modelled */
} Builder;

static void add_model_node(Builder *builder, const XtfProgramNode *node, const XtfProgramProduct *factor,
                           double parents, unsigned depth);

/* ---- Names and settings. */

static const char *name_region(const Builder *builder, uint32_t region)
{
    const char *name = region < builder->names->n_rows ? builder->names->texts[region] : NULL;

    return region == XTF_PROGRAM_PROCESS ? "process" : name ? name : "?";
}

/* Returns the name of the call that a node begins with. */
static const char *name_of(const Builder *builder, const XtfProgramNode *node)
{
    while (node->kind != XTF_PROGRAM_CALL) {
        const XtfProgramBody *body = xtf_program_body(node, 0);
        if (body->items->len == 0)
            return "";
        node = xtf_program_item(body, 0);
    }
    return name_region(builder, node->region);
}

static const char *find_setting(GArray *settings, const char *name, const char *label)
{
    for (guint i = 0; settings && i < settings->len; i++) {
        XtfProgramSetting *setting = &g_array_index(settings, XtfProgramSetting, i);
        if (!g_str_equal(setting->name, name) && g_strcmp0(setting->name, label) != 0)
            continue;
        setting->is_used = true;
        return setting->expression;
    }
    return NULL;
}

/* ---- Terms. */

static void clear_term(gpointer data)
{
    XtfProgramTerm *term = data;

    g_free(term->label);
    g_free(term->call);
    g_free(term->bytes);
    xtf_program_product_finish(&term->factor);
}

static void clear_row(gpointer data)
{
    XtfProgramRow *row = data;

    g_free(row->text);
    g_free(row->expression);
}

static bool is_same_power(const XtfProgramProduct *a, const XtfProgramProduct *b)
{
    for (unsigned i = 0; i < XTF_PROGRAM_VARIABLES_MAX; i++) {
        if (fabs(a->exponents[i] - b->exponents[i]) > 1e-9)
            return false;
    }
    return g_strcmp0(a->texts, b->texts) == 0;
}

static bool is_same_factor(const XtfProgramProduct *a, const XtfProgramProduct *b)
{
    return is_same_power(a, b) && fabs(a->coefficient - b->coefficient) <= 1e-9 * fabs(a->coefficient);
}

/* Adds a term to an earlier one of the same calls of MPI: their executions add up. False if there is none. */
static bool add_to_same_call(Builder *builder, XtfProgramTerm *term)
{
    GArray *terms = builder->model->terms;

    for (guint i = 0; term->is_mpi && i < terms->len; i++) {
        XtfProgramTerm *earlier = &g_array_index(terms, XtfProgramTerm, i);
        if (!earlier->is_mpi || !g_str_equal(earlier->label, term->label) ||
            !is_same_power(&earlier->factor, &term->factor))
            continue;
        double executions = earlier->factor.coefficient + term->factor.coefficient;
        earlier->seconds =
            (earlier->seconds * earlier->factor.coefficient + term->seconds * term->factor.coefficient) / executions;
        earlier->messages =
            (earlier->messages * earlier->factor.coefficient + term->messages * term->factor.coefficient) / executions;
        earlier->factor.coefficient = executions;
        earlier->n_parts++;
        return true;
    }
    return false;
}

/* Adds the term behind the others of the same factor. Small terms of the same factor are one term. Takes it. */
static void add_term(Builder *builder, XtfProgramTerm *term)
{
    GArray *terms = builder->model->terms;
    const XtfProgramVariables *variables = &builder->options->variables;
    guint at = terms->len;

    if (add_to_same_call(builder, term)) {
        clear_term(term);
        return;
    }
    bool is_small = !term->is_mpi && term->seconds * xtf_program_product_value(&term->factor, variables) <
                                         least_share * builder->model->time;
    for (guint i = 0; i < terms->len; i++) {
        XtfProgramTerm *earlier = &g_array_index(terms, XtfProgramTerm, i);
        if (!is_same_factor(&earlier->factor, &term->factor))
            continue;
        at = i + 1;
        if (!is_small || earlier->is_mpi || g_strcmp0(earlier->label, "small") != 0)
            continue;
        earlier->seconds += term->seconds;
        earlier->n_parts++;
        clear_term(term);
        return;
    }
    if (is_small)
        term->label = g_strdup("small");
    g_array_insert_val(terms, at, *term);
}

/* Adds the time of a node itself. `factor` is the number of its turns. */
static void add_own_time(Builder *builder, const XtfProgramNode *node, const XtfProgramProduct *factor)
{
    const XtfProgramOptions *options = builder->options;
    const char *name = name_of(builder, node);
    uint64_t own = xtf_program_node_own(node);
    bool is_call = node->kind == XTF_PROGRAM_CALL && node->region != XTF_PROGRAM_PROCESS;
    XtfRegionClass class = is_call ? xtf_region_classes_of(builder->classes, node->region) : XTF_CLASS_PROGRAM;
    XtfProgramTerm term = {.factor = xtf_program_product_copy(factor), .n_parts = 1};
    const char *work = is_call ? find_setting(options->work, name, NULL) : NULL;
    double value;

    if ((own == 0 && !work) || factor->coefficient == 0) {
        xtf_program_product_finish(&term.factor);
        return;
    }
    term.seconds = (double)own / (double)node->turns * builder->tick;
    if (options->shortest && is_call && xtf_program_n_bodies(node) == 0)
        term.seconds = (double)node->shortest * builder->tick;
    if (work && xtf_expression_value(work, &options->variables, &value, NULL)) {
        xtf_program_product_multiply(&term.factor, work, &options->variables);
        term.seconds /= value;
    }
    term.is_mpi = (XTF_CLASS_BIT(class) & XTF_CLASSES_MPI) != 0 && class != XTF_CLASS_MPI_INIT;
    term.is_collective = class == XTF_CLASS_COLLECTIVE || class == XTF_CLASS_BARRIER;
    term.call = g_strdup_printf("%s%s", node->kind == XTF_PROGRAM_LOOP ? "loop of " : "", name);
    if (term.is_mpi) {
        double bytes = node->messages ? (double)node->bytes / (double)node->messages : 0;
        term.messages = fmax((double)MAX(node->sent, node->messages - node->sent) / (double)node->turns, 1);
        term.bytes = node->messages ? xtf_program_guess(&options->variables, bytes, byte_factors) : NULL;
        if (!term.bytes && node->messages)
            term.bytes = g_strdup_printf("%.10g", bytes);
        g_autofree char *word = xtf_text_shown(name, XTF_DIRECTORY_NAME_MAX);
        g_strdelimit(word, " ", '_'); /* a word, for tables */
        term.label = g_strdup_printf("%s(%s)", word, term.bytes ? term.bytes : "");
    }
    add_term(builder, &term);
}

/* ---- Nodes. */

static XtfProgramRow *add_node_row(Builder *builder, const XtfProgramNode *node, unsigned depth, char *text)
{
    double turns = (double)node->turns, visits = (double)MAX(node->visits, 1);
    XtfProgramRow row = {.depth = depth,
                         .turns = turns / visits,
                         .executions = turns / builder->n_procs,
                         .seconds = turns > 0 ? (double)node->ticks * builder->tick / turns : 0,
                         .total = (double)node->ticks * builder->tick / builder->n_procs,
                         .text = text};

    if (node->turns > 1)
        row.folding_error = (double)(node->longest - node->shortest) * builder->tick * turns / builder->n_procs;
    g_array_append_val(builder->model->rows, row);
    return &g_array_index(builder->model->rows, XtfProgramRow, builder->model->rows->len - 1);
}

/* Returns the alternative of a branch that takes longest. */
static unsigned find_longest(const XtfProgramNode *branch)
{
    unsigned longest = 0;
    double most = -1;

    for (unsigned i = 0; i < xtf_program_n_bodies(branch); i++) {
        const XtfProgramBody *body = xtf_program_body(branch, i);
        double ticks = 0;
        for (unsigned k = 0; k < body->items->len; k++)
            ticks += (double)xtf_program_item(body, k)->ticks / (double)MAX(body->times, 1);
        if (ticks > most)
            longest = i;
        most = fmax(most, ticks);
    }
    return longest;
}

static void add_branch(Builder *builder, const XtfProgramNode *branch, const XtfProgramProduct *factor, unsigned depth)
{
    unsigned longest = find_longest(branch);

    if (builder->is_inside)
        add_node_row(builder, branch, depth, g_strdup("branch"));
    for (unsigned i = 0; i < xtf_program_n_bodies(branch); i++) {
        const XtfProgramBody *body = xtf_program_body(branch, i);
        double frequency = (double)body->times / (double)MAX(branch->visits, 1);
        XtfProgramNode alternative = *branch;
        g_auto(XtfProgramProduct) product = xtf_program_product_copy(factor);
        bool is_left_out = builder->options->worst && i != longest;

        alternative.turns = alternative.visits = body->times;
        alternative.ticks = 0;
        for (unsigned k = 0; k < body->items->len; k++)
            alternative.ticks += xtf_program_item(body, k)->ticks;
        alternative.shortest = alternative.longest = 0;
        if (builder->is_inside)
            add_node_row(builder, &alternative, depth + 1, g_strdup_printf("%.4g %%", 100 * frequency));
        product.coefficient *= is_left_out ? 0 : builder->options->worst ? 1 : frequency;
        for (unsigned k = 0; k < body->items->len; k++)
            add_model_node(builder, xtf_program_item(body, k), &product, (double)MAX(body->times, 1),
                           builder->is_inside ? depth + 2 : 0);
    }
}

/* True if the turns of a loop begin with another loop. */
static bool begins_with_loop(const XtfProgramNode *node)
{
    while (node->kind != XTF_PROGRAM_CALL) {
        const XtfProgramBody *body = xtf_program_body(node, 0);
        if (body->items->len == 0)
            return false;
        node = xtf_program_item(body, 0);
        if (node->kind != XTF_PROGRAM_BRANCH && node->most_turns > 1)
            return true;
    }
    return false;
}

/* Multiplies by the turns of a loop, and returns their expression; NULL: a number. The caller frees it. */
static char *multiply_turns(Builder *builder, const XtfProgramNode *node, XtfProgramProduct *product)
{
    const XtfProgramOptions *options = builder->options;
    g_autofree char *label = g_strdup_printf("L%u", builder->n_loops);
    const char *region = begins_with_loop(node) ? "" : name_of(builder, node);
    char *expression = g_strdup(find_setting(options->turns, region, label));
    double mean = (double)node->turns / (double)node->visits, value;
    double turns = options->worst ? (double)node->most_turns : mean;

    if (!expression)
        expression = xtf_program_guess(&options->variables, mean, turn_factors);
    if (expression && xtf_expression_value(expression, &options->variables, &value, NULL)) {
        xtf_program_product_multiply(product, expression, &options->variables);
        turns /= value;
    }
    if (fabs(turns - 1) > 1e-9)
        product->coefficient *= turns;
    return expression;
}

/* True if a node is a call of the region that is modelled. */
static bool is_modelled(const Builder *builder, const XtfProgramNode *node)
{
    return node->kind == XTF_PROGRAM_CALL && g_str_equal(name_region(builder, node->region), builder->options->region);
}

/* Adds a row of a call or a loop, and the term of its own time. Takes `expression`, that of its turns. */
static void add_node(Builder *builder, const XtfProgramNode *node, const XtfProgramProduct *product, unsigned loop,
                     char *expression, unsigned depth)
{
    bool is_mixed = xtf_program_n_bodies(node) > 0 && xtf_program_body(node, 0)->mixed;
    XtfProgramRow *row =
        add_node_row(builder, node, depth,
                     g_strdup_printf("%s%s", node->kind == XTF_PROGRAM_CALL ? name_of(builder, node) : "loop",
                                     is_mixed       ? " (calls in any order)"
                                     : node->is_cut ? " (calls left out)"
                                                    : ""));

    row->loop = loop;
    row->expression = expression;
    add_own_time(builder, node, product);
}

/* Adds a node and the nodes below it. `factor` is the number of executions of its parent, which has `parents` turns
 * in the folded run. Outside of the region that is modelled, nodes count only as factors. */
static void add_model_node(Builder *builder, const XtfProgramNode *node, const XtfProgramProduct *factor,
                           double parents, unsigned depth)
{
    g_auto(XtfProgramProduct) product = xtf_program_product_copy(factor);
    bool is_loop = node->kind != XTF_PROGRAM_BRANCH && node->most_turns > 1 && node->region != XTF_PROGRAM_PROCESS;
    bool was_inside = builder->is_inside;

    product.coefficient *= (double)node->visits / parents;
    if (node->kind == XTF_PROGRAM_BRANCH) {
        add_branch(builder, node, &product, depth);
        return;
    }
    builder->is_inside = was_inside || is_modelled(builder, node);
    builder->n_loops += is_loop;
    unsigned number = is_loop ? builder->n_loops : 0;
    char *expression = is_loop ? multiply_turns(builder, node, &product) : NULL;
    if (builder->is_inside)
        add_node(builder, node, &product, number, expression, depth);
    else
        g_free(expression);
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        const XtfProgramBody *body = xtf_program_body(node, i);
        for (unsigned k = 0; k < body->items->len; k++)
            add_model_node(builder, xtf_program_item(body, k), &product, (double)node->turns,
                           builder->is_inside ? depth + 1 : 0);
    }
    builder->is_inside = was_inside;
}

/* ---- The model. */

static bool has_label(const XtfProgramModel *model, guint before, const char *label)
{
    for (guint i = 0; i < before; i++) {
        if (g_str_equal(xtf_program_term(model, i)->label, label))
            return true;
    }
    return false;
}

/* Gives a term of MPI calls a label that no earlier term has: MPI_Send_2(8). */
static void number_label(const XtfProgramModel *model, guint i, XtfProgramTerm *term)
{
    g_autofree char *given = g_strdup(term->label);
    const char *bytes = strrchr(given, '(');

    for (unsigned k = 2; has_label(model, i, term->label); k++) {
        g_free(term->label);
        term->label = g_strdup_printf("%.*s_%u%s", (int)(bytes - given), given, k, bytes);
    }
}

/* Numbers the terms of the program in their order. */
static void label_terms(XtfProgramModel *model)
{
    unsigned n = 0;

    for (guint i = 0; i < model->terms->len; i++) {
        XtfProgramTerm *term = &g_array_index(model->terms, XtfProgramTerm, i);
        if (term->is_mpi) {
            number_label(model, i, term);
            continue;
        }
        if (term->n_parts > 1) {
            g_free(term->call);
            term->call = g_strdup_printf("%.0f small parts", term->n_parts);
        }
        g_free(term->label);
        term->label = g_strdup_printf("t%u", ++n);
    }
}

static bool check_settings(const XtfProgramOptions *options, GArray *settings, const char *noun, bool used,
                           GError **error)
{
    double value;

    for (guint i = 0; settings && i < settings->len; i++) {
        const XtfProgramSetting *setting = &g_array_index(settings, XtfProgramSetting, i);
        if (!xtf_expression_value(setting->expression, &options->variables, &value, error))
            return false;
        if (!isfinite(value))
            return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is no finite number in the recorded run",
                            setting->expression);
        if (!(value > 0))
            return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is not above 0 in the recorded run", setting->expression);
        if (used && !setting->is_used)
            return xtf_fail(error, XTF_ERROR_INVALID, "the model has no %s \"%s\"", noun, setting->name);
    }
    return true;
}

/* Adds up the ticks of the outermost calls of the region that is modelled. False if there are none. */
static bool add_region_ticks(const Builder *builder, const XtfProgramNode *node, uint64_t *ticks)
{
    bool found = false;

    if (is_modelled(builder, node)) {
        *ticks += node->ticks;
        return true;
    }
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        const XtfProgramBody *body = xtf_program_body(node, i);
        for (unsigned k = 0; k < body->items->len; k++)
            found |= add_region_ticks(builder, xtf_program_item(body, k), ticks);
    }
    return found;
}

bool xtf_program_model_init(XtfProgramModel *model, const XtfFoldedRun *run, XtfTree *tree, XtfProgramOptions *options,
                            GError **error)
{
    const XtfTimeScale *scale = &tree->context.scale;
    double tick = (double)scale->den / (double)scale->num;
    Builder builder = {.model = model, .options = options, .n_procs = (double)run->n_procs, .tick = tick};
    g_auto(XtfProgramProduct) one = {.coefficient = 1};

    *model = (XtfProgramModel){.options = options};
    options->variables.values[0] = (double)run->n_procs;
    model->rows = g_array_new(FALSE, TRUE, sizeof(XtfProgramRow));
    g_array_set_clear_func(model->rows, clear_row);
    model->terms = g_array_new(FALSE, TRUE, sizeof(XtfProgramTerm));
    g_array_set_clear_func(model->terms, clear_term);
    builder.names = xtf_trace_context_regions(&tree->context, error);
    builder.classes = builder.names ? xtf_trace_context_classes(&tree->context, error) : NULL;
    if (!builder.classes || !check_settings(options, options->turns, "loop", false, error) ||
        !check_settings(options, options->work, "region", false, error))
        return false;
    uint64_t ticks = options->region ? 0 : run->root->ticks;
    if (options->region && !add_region_ticks(&builder, run->root, &ticks))
        return xtf_fail(error, XTF_ERROR_INVALID, "the run has no call of \"%s\"", options->region);
    model->time = (double)ticks * tick / (double)run->n_procs;
    builder.is_inside = !options->region;
    add_model_node(&builder, run->root, &one, (double)run->n_procs, 0);
    label_terms(model);
    return check_settings(options, options->turns, "loop", true, error) &&
           check_settings(options, options->work, "region", true, error);
}

void xtf_program_model_finish(XtfProgramModel *model)
{
    g_clear_pointer(&model->rows, g_array_unref);
    g_clear_pointer(&model->terms, g_array_unref);
}

/* ---- Predictions. */

/* Returns the rounds of messages of a collective operation. */
static double count_rounds(const XtfProgramVariables *variables)
{
    return fmax(ceil(log2(variables->values[0])), 1);
}

double xtf_program_term_time(const XtfProgramModel *model, const XtfProgramTerm *term,
                             const XtfProgramVariables *variables)
{
    const XtfProgramOptions *options = model->options;
    double executions = xtf_program_product_value(&term->factor, variables), bytes = 0, recorded = 0;
    double rounds = term->is_collective ? count_rounds(variables) : 1;

    if (!term->is_mpi)
        return executions * term->seconds;
    if (term->bytes && (!xtf_expression_value(term->bytes, variables, &bytes, NULL) ||
                        !xtf_expression_value(term->bytes, &options->variables, &recorded, NULL)))
        return NAN;
    if (options->has_network)
        return executions * rounds *
               (term->bytes || term->is_collective ? options->latency + term->messages * bytes / options->bandwidth
                                                   : 0);
    if (term->is_collective)
        rounds /= count_rounds(&options->variables);
    return executions * term->seconds * rounds * (recorded > 0 ? bytes / recorded : 1);
}
