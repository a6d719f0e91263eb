/*
 * xtf help [TABLE...]: the commands; or what the columns of tables mean, from the declarations beside the code.
 */
#include <stdio.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/network/tables/cluster-view.h"
#include "src/network/tables/link-view.h"
#include "src/pictures/findings/findings.h"
#include "src/pictures/frames/arrows.h"
#include "src/pictures/frames/run.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/views/info.h"
#include "src/tables/views/view.h"
#include "src/tree/diff/diff.h"
#include "src/tree/entries/wait-entries.h"

/* Tables that are not views. */
static const XtfTableDeclaration *const other_tables[] = {
    &xtf_table_columns,  &xtf_table_findings, &xtf_table_run,           &xtf_table_arrows,       &xtf_table_colours,
    &xtf_table_members,  &xtf_table_causes,   &xtf_table_diff_facts,    &xtf_table_diff_regions, &xtf_table_statistics,
    &xtf_table_outliers, &xtf_table_curve,    &xtf_table_segments,      &xtf_table_fits,         &xtf_table_portions,
    &xtf_table_clusters, &xtf_table_pairs,    &xtf_table_cluster_pairs,
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

static void print_table(const char *path, const XtfTableDeclaration *table, bool markdown)
{
    if (markdown)
        printf("\n**`%s`**: %s.\n%s", path, table->meaning, table->n_columns ? "\n" : "");
    else
        printf("%s: %s\n", path, table->meaning);
    for (const XtfColumn *column = table->columns; column < table->columns + table->n_columns; column++) {
        const char *unit = unit_of(column);
        g_autofree char *type = g_strconcat(types[column->type], unit ? " in " : NULL, unit, NULL);
        if (markdown)
            printf("- `%s` (%s): %s\n", column->name, type, column->meaning);
        else
            printf("  %-18s %-16s %s\n", column->name, type, column->meaning);
    }
}

/* Prints the tables of a path, or of a name that is its last part; NULL: all. False if there is none. */
static bool print_tables(const char *wanted, bool markdown)
{
    bool found = false;

    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        g_autofree char *path = view_path(*view);
        if (wanted && !g_str_equal(wanted, path) && !g_str_equal(wanted, (*view)->table.name))
            continue;
        print_table(path, &(*view)->table, markdown);
        found = true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(other_tables); i++) {
        g_autofree char *name = g_path_get_basename(other_tables[i]->name);
        if (wanted && !g_str_equal(wanted, other_tables[i]->name) && !g_str_equal(wanted, name))
            continue;
        print_table(other_tables[i]->name, other_tables[i], markdown);
        found = true;
    }
    return found;
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
    if (all || markdown)
        print_tables(NULL, markdown);
    for (int i = 1; i < argc; i++) {
        if (print_tables(argv[i], markdown))
            continue;
        fprintf(stderr, "xtf: help: unknown table \"%s\"; xtf help --all lists all\n", argv[i]);
        status = XTF_EXIT_FAILED;
    }
    return status;
}
