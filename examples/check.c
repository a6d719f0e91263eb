/*
 * Says whether a trace is sound: check FILE
 *
 * One line a problem; then a summary. Every page that the last commit reaches is read.
 */
#include <libxtf/xtf.h>
#include <stdio.h>

static void print_problem(const char *message, void *data)
{
    printf("%s: %s\n", (const char *)data, message);
}

static bool check(char *path, bool *sound, GError **error)
{
    XtfCheckReport report;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace || !xtf_trace_check(trace, print_problem, NULL, path, &report, error))
        return false;
    printf("%" G_GUINT64_FORMAT " arrays, %" G_GUINT64_FORMAT " rows, %" G_GUINT64_FORMAT " pages\n", report.arrays,
           report.rows, report.pages);
    *sound = report.problems == 0;
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    bool sound = false;

    if (argc != 2) {
        fprintf(stderr, "usage: check FILE\n");
        return 2;
    }
    if (!check(argv[1], &sound, &error))
        fprintf(stderr, "check: %s\n", error->message);
    return sound ? 0 : 1;
}
