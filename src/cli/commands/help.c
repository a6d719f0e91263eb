/*
 * xtf help [TABLE...]: the commands; or what the columns of tables mean, from the declarations beside the code.
 */
#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/predict/predict-table.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/network/tables/cluster-view.h"
#include "src/network/tables/link-view.h"
#include "src/pictures/findings/findings.h"
#include "src/pictures/frames/arrows.h"
#include "src/pictures/frames/run.h"
#include "src/studies/model/report.h"
#include "src/studies/representative/report.h"
#include "src/studies/scaling/report.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/views/info.h"
#include "src/tables/views/view.h"
#include "src/tree/diff/diff.h"
#include "src/tree/entries/wait-entries.h"

/* Tables that are not views. */
static const XtfTableDeclaration *const other_tables[] = {
    &xtf_table_columns,
    &xtf_table_findings,
    &xtf_table_run,
    &xtf_table_arrows,
    &xtf_table_colours,
    &xtf_table_members,
    &xtf_table_causes,
    &xtf_table_diff_facts,
    &xtf_table_diff_regions,
    &xtf_table_statistics,
    &xtf_table_outliers,
    &xtf_table_curve,
    &xtf_table_segments,
    &xtf_table_fits,
    &xtf_table_portions,
    &xtf_table_clusters,
    &xtf_table_pairs,
    &xtf_table_cluster_pairs,
    &xtf_table_representative,
    &xtf_table_model_calls,
    &xtf_table_model_terms,
    &xtf_table_model_predictions,
    &xtf_table_scaling_runs,
    &xtf_table_scaling_models,
    &xtf_table_predict,
};

static const char *const types[] = {
    [XTF_COLUMN_NUMBER] = "whole number", [XTF_COLUMN_TIME] = "time", [XTF_COLUMN_PERCENT] = "percent",
    [XTF_COLUMN_REAL] = "number",         [XTF_COLUMN_ANY] = "any",   [XTF_COLUMN_WORD] = "text",
    [XTF_COLUMN_TEXT] = "text",
};

/* Returns the path of a view's table, which the caller frees. Tables of an analysis are in directories of its types. */
static char *view_path(const XtfView *view)
{
    static const XtfViewSubject *const subjects[] = {&xtf_about_waits, &xtf_about_delays, &xtf_about_path,
                                                     &xtf_about_callpaths};

    for (unsigned i = 0; i < G_N_ELEMENTS(subjects); i++) {
        if (view->subject == subjects[i])
            return g_strconcat(subjects[i]->types[0], "/", view->table.name, NULL);
    }
    return g_strdup(view->table.name);
}

static const char *unit_of(const XtfColumn *column)
{
    return column->unit ? column->unit : column->type == XTF_COLUMN_TIME ? "s" : NULL;
}

static void print_table(const char *path, const XtfTableDeclaration *table)
{
    printf("%s: %s\n", path, table->meaning);
    for (const XtfColumn *column = table->columns; column < table->columns + table->n_columns; column++) {
        const char *unit = unit_of(column);
        g_autofree char *type = g_strconcat(types[column->type], unit ? " in " : NULL, unit, NULL);
        printf("  %-18s %-16s %s\n", column->name, type, column->meaning);
    }
}

/* Calls a function for the tables of a path, or of a name that is its last part; NULL: all. False if there is none. */
static bool for_each_table(const char *wanted, void (*visit)(const char *path, const XtfTableDeclaration *table))
{
    bool found = false;

    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        g_autofree char *path = view_path(*view);
        if (wanted && !g_str_equal(wanted, path) && !g_str_equal(wanted, (*view)->table.name))
            continue;
        visit(path, &(*view)->table);
        found = true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(other_tables); i++) {
        g_autofree char *name = g_path_get_basename(other_tables[i]->name);
        if (wanted && !g_str_equal(wanted, other_tables[i]->name) && !g_str_equal(wanted, name))
            continue;
        visit(other_tables[i]->name, other_tables[i]);
        found = true;
    }
    return found;
}

/* ---- The reference in docs/TREE.md. It explains a column of several tables once, before the tables. */

enum { LINE_COLUMNS = 100 };

/* Entries of columns: how many tables have the same one. */
static GHashTable *tables_of_entry;

/* Entries of columns that several tables have, by the column's name. */
static GTree *shared_entries;

/* Returns a column's name, its unit unless that is its type's, and its meaning, which the caller frees. */
static char *column_entry(const XtfColumn *column)
{
    return column->unit ? g_strdup_printf("`%s` (%s): %s", column->name, column->unit, column->meaning)
                        : g_strdup_printf("`%s`: %s", column->name, column->meaning);
}

static unsigned count_tables(const char *entry)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(tables_of_entry, entry));
}

static void count_columns(const char *path, const XtfTableDeclaration *table)
{
    (void)path;
    for (unsigned i = 0; i < table->n_columns; i++) {
        char *entry = column_entry(&table->columns[i]);
        g_hash_table_replace(tables_of_entry, entry, GUINT_TO_POINTER(count_tables(entry) + 1));
    }
}

/* Shares, of the columns of each name, the one that most tables have, and at least two. */
static void share_columns(const char *path, const XtfTableDeclaration *table)
{
    (void)path;
    for (unsigned i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        g_autofree char *entry = column_entry(&table->columns[i]);
        const char *before = g_tree_lookup(shared_entries, name);
        if (count_tables(entry) > (before ? count_tables(before) : 1))
            g_tree_replace(shared_entries, g_strdup(name), g_steal_pointer(&entry));
    }
}

static gboolean print_shared_entry(gpointer name, gpointer entry, gpointer unused)
{
    (void)name, (void)unused;
    printf("- %s\n", (const char *)entry);
    return FALSE;
}

/* Prints a paragraph in lines of at most LINE_COLUMNS. */
static void print_wrapped(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    size_t used = 0;

    for (char **word = words; *word; word++) {
        size_t length = strlen(*word);
        bool fits = used + 1 + length <= LINE_COLUMNS;
        printf("%s%s", used == 0 ? "" : fits ? " " : "\n", *word);
        used = used > 0 && fits ? used + 1 + length : length;
    }
    putchar('\n');
}

/* Prints a table's columns in their order, or its meaning if it has the columns of another table. Shared columns have
 * their names alone. The page says before what the table shows. */
static void print_reference(const char *path, const XtfTableDeclaration *table)
{
    g_autoptr(GString) text = g_string_new(NULL);
    bool shared_before = false;

    g_string_printf(text, "**`%s`**:", path);
    if (table->n_columns == 0)
        g_string_append_printf(text, " %s", table->meaning);
    for (unsigned i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        g_autofree char *entry = column_entry(&table->columns[i]);
        bool shared = g_strcmp0(entry, g_tree_lookup(shared_entries, name)) == 0;
        g_string_append(text, i == 0 ? " " : shared && shared_before ? ", " : ". ");
        if (shared)
            g_string_append_printf(text, "`%s`", name);
        else
            g_string_append(text, entry);
        shared_before = shared;
    }
    g_string_append_c(text, '.');
    putchar('\n');
    print_wrapped(text->str);
}

static int compare_names(gconstpointer a, gconstpointer b, gpointer unused)
{
    (void)unused;
    return strcmp(a, b);
}

static void print_all_references(void)
{
    tables_of_entry = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    shared_entries = g_tree_new_full(compare_names, NULL, g_free, g_free);
    for_each_table(NULL, count_columns);
    for_each_table(NULL, share_columns);
    printf("\nColumns of several tables:\n\n");
    g_tree_foreach(shared_entries, print_shared_entry, NULL);
    for_each_table(NULL, print_reference);
    g_tree_destroy(shared_entries);
    g_hash_table_destroy(tables_of_entry);
}

int xtf_command_help(int argc, char **argv)
{
    gboolean all = FALSE, markdown = FALSE;
    const GOptionEntry entries[] = {
        {"all", 0, 0, G_OPTION_ARG_NONE, &all, "Explain all tables", NULL},
        {"markdown", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &markdown, NULL, NULL}, /* for docs/TREE.md */
        {0},
    };
    int status = XTF_EXIT_DONE;

    if (!xtf_cli_parse(&argc, &argv, XTF_CLI_ANY, "TABLE...",
                       "Explains the columns of tables.\n"
                       "\n"
                       "  xtf help profile waits/profile",
                       entries))
        return XTF_EXIT_USAGE;
    if (markdown)
        print_all_references();
    if (all)
        for_each_table(NULL, print_table);
    for (int i = 1; i < argc; i++) {
        if (for_each_table(argv[i], print_table))
            continue;
        xtf_print_line(stderr, "xtf: help: unknown table \"%s\"; xtf help --all lists all", argv[i]);
        status = XTF_EXIT_FAILED;
    }
    return status;
}
