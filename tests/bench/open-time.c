/* Measures opening in the library: open-time [--rows] FILE... */
#include "bench.h"
#include "opening.h"

int main(int argc, char **argv)
{
    gboolean rows_only = FALSE;
    const GOptionEntry entries[] = {
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE...");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error), error, "bad arguments");
    if (!rows_only)
        bench_head();
    for (int i = 1; i < argc; i++)
        bench_opening(argv[i]);
    return 0;
}
