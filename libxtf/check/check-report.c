#include "libxtf/check/check-private.h"

void xtf_checking_problem(XtfChecking *check, const char *format, ...)
{
    va_list arguments;

    if (xtf_checking_stopping(check))
        return;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    check->report.problems++;
    check->problem(message, check->data);
}

void xtf_checking_take_error(XtfChecking *check, GError **error)
{
    xtf_checking_problem(check, "%s", (*error)->message);
    g_clear_error(error);
}

void xtf_checking_report_progress(XtfChecking *check)
{
    if (check->progress)
        check->cancelled |= !check->progress((double)check->report.pages / (double)(check->n_uses + 1), check->data);
}

bool xtf_checking_go_on(XtfChecking *check)
{
    xtf_checking_report_progress(check);
    return !xtf_checking_stopping(check);
}
