#include "src/tables/views/subject.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/views/view.h"

#define TYPES(...) ((const char *const[]){__VA_ARGS__, NULL})

enum {
    OF_MESSAGES = 1 << XTF_BY_REGION | 1 << XTF_BY_COMM | 1 << XTF_BY_TAG | 1 << XTF_BY_PEER,
};

const XtfViewSubject xtf_about_calls = {"calls", TYPES(XTF_RECORD_ENTERS_LEAVES), 1 << XTF_BY_REGION | 1 << XTF_BY_SITE,
                                        XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_all_calls = {"calls", TYPES(XTF_RECORD_ENTERS_LEAVES), 0, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_messages = {"messages", TYPES(XTF_RECORD_SENDS, XTF_RECORD_RECVS), OF_MESSAGES,
                                           XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_sends = {"messages", TYPES(XTF_RECORD_SENDS), OF_MESSAGES, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_groups = {"whole groups of messages", TYPES(XTF_RECORD_SENDS),
                                         OF_MESSAGES & ~(1 << XTF_BY_REGION), XTF_WHOLE_RUN};
const XtfViewSubject xtf_about_bytes = {"messages and collective operations",
                                        TYPES(XTF_RECORD_SENDS, XTF_RECORD_RECVS, XTF_RECORD_COLLECTIVES), OF_MESSAGES,
                                        XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_comms = {"communicators",
                                        TYPES(XTF_RECORD_COLLECTIVES, XTF_RECORD_SENDS, XTF_RECORD_RECVS),
                                        1 << XTF_BY_COMM, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_operations = {"collective operations", TYPES(XTF_RECORD_COLLECTIVES), 1 << XTF_BY_COMM,
                                             XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_values = {"values of metrics", TYPES(XTF_RECORD_COUNTERS), 0, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_growth = {"values of metrics", TYPES(XTF_RECORD_COUNTERS), 1 << XTF_BY_REGION,
                                         XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_path = {"the critical path", TYPES("critical"), 0, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_callpaths = {"the critical path", TYPES("critical"), 0, XTF_WHOLE_RUN};
const XtfViewSubject xtf_about_waits = {"waits", TYPES(XTF_DERIVED_WAITS),
                                        (OF_MESSAGES & ~(1 << XTF_BY_PEER)) | 1 << XTF_BY_KIND | 1 << XTF_BY_CULPRIT,
                                        XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_delays = {"delays", TYPES(XTF_DERIVED_DELAYS), 1 << XTF_BY_REGION | 1 << XTF_BY_KIND,
                                         XTF_ANY_WINDOW};

#define TYPES_OF_STATES TYPES(XTF_RECORD_ENTERS_LEAVES, XTF_RECORD_SENDS, "resources", "message_totals", "task_states")

const XtfViewSubject xtf_about_waiting = {"calls that wait at the end", TYPES("pending"), 0, XTF_END_OF_RUN};
const XtfViewSubject xtf_about_states = {"processes", TYPES_OF_STATES, 0, XTF_ANY_WINDOW};
const XtfViewSubject xtf_about_monitor = {"processes", TYPES_OF_STATES, 0, XTF_END_OF_RUN};

static bool trace_has(const XtfTraceContext *context, const XtfViewSubject *subject)
{
    for (const char *const *type = subject->types; *type; type++) {
        const XtfSchema *schema = xtf_trace_find_schema(context->trace, *type);
        if (schema && xtf_trace_n_rows(context->trace, schema->id))
            return true;
    }
    return false;
}

bool xtf_view_is_about(const XtfTraceContext *context, const XtfViewSubject *subject, const XtfSelection *selection)
{
    for (const char *const *type = subject->types; *type; type++) {
        const XtfSchema *schema = xtf_trace_find_schema(context->trace, *type);
        if (schema && xtf_selection_has_type(selection, schema))
            return true;
    }
    return false;
}

/* Returns the first directory of the selection that the view does not allow; NULL if there is none. */
static const char *find_foreign_facet(const XtfViewSubject *subject, const XtfSelection *selection)
{
    static const char *const names[XTF_N_FACETS] = {
        [XTF_BY_REGION] = "region/ or class/",
        [XTF_BY_COMM] = "comm/",
        [XTF_BY_TAG] = "tag/",
        [XTF_BY_PEER] = "peer/",
        [XTF_BY_KIND] = "a kind",
        [XTF_BY_CULPRIT] = "culprit/",
        [XTF_BY_SITE] = "site/",
    };

    /* site/ narrows by region, too. */
    if (selection->by[XTF_BY_SITE] && !(subject->facets >> XTF_BY_SITE & 1))
        return names[XTF_BY_SITE];
    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        if (selection->by[i] && !(subject->facets >> i & 1))
            return names[i];
    }
    return NULL;
}

/* Sets the error that says why a selection has no such view. `in_trace`: the whole trace has the view. */
static bool explain_absence(const XtfTraceContext *context, const XtfView *absent, const XtfSelection *selection,
                            bool in_trace, GError **error)
{
    const XtfViewSubject *subject = absent->subject;
    const char *view = absent->table.name;
    g_autofree char *types = subject ? g_strjoinv(", ", (char **)subject->types) : NULL;

    if (context->scale.bytes)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s is about programs, but this is the trace of a measured network",
                        view);
    if (selection->windows)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "%s needs one window for all processes: it exists below proc/N/iter/K/, and below time/", view);
    if (subject && !trace_has(context, subject))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s is about %s (%s), but the trace has none", view, subject->noun,
                        types);
    if (!in_trace && absent->needs)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s needs %s, which the trace does not have", view, absent->needs);
    if (!in_trace)
        return xtf_fail(
            error, XTF_ERROR_NOT_FOUND,
            "%s needs totals or definitions that the trace does not have: was it written by another program?", view);
    if (subject && !xtf_view_is_about(context, subject, selection))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s is about %s (%s), but this selection has none", view,
                        subject->noun, types);
    const char *facet = subject ? find_foreign_facet(subject, selection) : NULL;
    if (facet)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s cannot be narrowed by %s", view, facet);
    if (subject && subject->windows == XTF_WHOLE_RUN && (selection->time_from > 0 || !selection->endless))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s is about the whole run: it does not exist below time/", view);
    if (subject && subject->windows == XTF_END_OF_RUN && !selection->endless)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "%s is about the end of the run: windows that end earlier do not have it", view);
    if (selection->base)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "there is no table %s below num/: totals exist for all records, or for a window of time/",
                        view);
    return xtf_fail(error, XTF_ERROR_NOT_FOUND, "there is no table %s of these records", view);
}

bool xtf_view_exists(const XtfViews *views, const XtfView *view, const XtfSelection *selection)
{
    if ((views->context->scale.bytes && !view->of_lengths) || (selection->windows && !view->by_location))
        return false;
    return !(view->subject && find_foreign_facet(view->subject, selection)) &&
           (!view->exists || view->exists(views->context, selection));
}

/* True if the whole trace has the view, or all records of one of its derived types. */
static bool exists_of_all(const XtfViews *views, const XtfView *view)
{
    g_autoptr(XtfSelection) all = xtf_selection_new(views->context);

    for (const char *const *type = view->subject ? view->subject->types : NULL; type && *type; type++) {
        const XtfSchema *schema = xtf_trace_find_schema(views->context->trace, *type);
        if (!schema || schema->kind != XTF_SCHEMA_DERIVED)
            continue;
        g_autoptr(XtfSelection) derived = xtf_selection_in_type(all, schema->id);
        if (xtf_view_exists(views, view, derived))
            return true;
    }
    return xtf_view_exists(views, view, all);
}

bool xtf_view_check(const XtfViews *views, const XtfView *view, const XtfSelection *selection, GError **error)
{
    return xtf_view_exists(views, view, selection) ||
           explain_absence(views->context, view, selection, exists_of_all(views, view), error);
}
