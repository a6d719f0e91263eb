/*
 * Reads the file's outermost value: an array of events, or an object whose member "traceEvents" is that array. The
 * object's other members become properties of the trace.
 */
#include <inttypes.h>
#include <string.h>

#include "src/import/chrome/import.h"

enum {
    BEAT = 1 << 14,        /* events between two signs of progress */
    PROPERTIES_MAX = 1000, /* most properties that are kept */
};

static void keep_property(XtfChromeImport *import, const char *prefix, const char *key, const XtfChromeValue *value)
{
    const char *text = value->kind == XTF_CHROME_BOOLEAN ? (value->size ? "true" : "false")
                                                         : xtf_chrome_bytes(&import->event, value->at);

    if (value->kind != XTF_CHROME_NONE && g_hash_table_size(import->properties) < PROPERTIES_MAX)
        g_hash_table_insert(import->properties, g_strconcat(prefix, key, NULL), g_strdup(text));
}

/* Reads a value, and keeps it as a property. `key` is copied. */
static XtfJsonToken read_property(XtfChromeImport *import, const char *prefix, const char *key)
{
    XtfChromeValue value;
    XtfJsonToken token;

    xtf_chrome_event_clear(&import->event);
    token = xtf_chrome_value_read(&import->event, import->json, xtf_json_next(import->json), &value);
    if (token > XTF_JSON_CUT)
        keep_property(import, prefix, key, &value);
    return token;
}

/* Reads the members of an object as properties. */
static XtfJsonToken read_properties(XtfChromeImport *import)
{
    XtfJsonToken token;

    while ((token = xtf_json_next(import->json)) == XTF_JSON_KEY) {
        g_autofree char *key = g_strdup(import->json->text);
        if ((token = read_property(import, "", key)) <= XTF_JSON_CUT)
            return token;
    }
    return token;
}

/* ---- Events. */

/* Reads the array of events, whose ARRAY token was read. */
static XtfJsonToken read_event_array(XtfChromeImport *import, GError **error)
{
    XtfJsonToken token;

    import->in_events = true;
    while ((token = xtf_json_next(import->json)) > XTF_JSON_CUT && token != XTF_JSON_ARRAY_END) {
        if (++import->n_events % BEAT == 0)
            xtf_chrome_beat(import, 0, XTF_CHROME_READ_SHARE, xtf_chrome_input_share(&import->input));
        if (token != XTF_JSON_OBJECT) {
            xtf_chrome_leave_out(import, XTF_CHROME_NO_EVENT);
            token = xtf_json_skip(import->json, token);
        } else {
            token = xtf_chrome_event_read(&import->event, import->json);
            if (token > XTF_JSON_CUT && !xtf_chrome_collect(import, error))
                return XTF_JSON_ERROR;
        }
        if (token <= XTF_JSON_CUT)
            return token;
    }
    return token;
}

static XtfJsonToken read_member(XtfChromeImport *import, GError **error)
{
    g_autofree char *key = g_strdup(import->json->text);

    if (strcmp(key, "traceEvents") == 0 || strcmp(key, "otherData") == 0) {
        XtfJsonToken token = xtf_json_next(import->json);
        bool events = *key == 't';
        if (token == (events ? XTF_JSON_ARRAY : XTF_JSON_OBJECT))
            return events ? read_event_array(import, error) : read_properties(import);
        return xtf_json_skip(import->json, token);
    }
    if (strcmp(key, "stackFrames") == 0 || strcmp(key, "samples") == 0 || strcmp(key, "systemTraceEvents") == 0) {
        import->n_sampled++;
        return xtf_json_skip(import->json, xtf_json_next(import->json));
    }
    return read_property(import, "chrome.", key);
}

static XtfJsonToken read_document(XtfChromeImport *import, GError **error)
{
    XtfJsonToken token = xtf_json_next(import->json);

    if (token == XTF_JSON_ARRAY) {
        token = read_event_array(import, error);
    } else if (token == XTF_JSON_OBJECT) {
        while ((token = xtf_json_next(import->json)) == XTF_JSON_KEY)
            if ((token = read_member(import, error)) <= XTF_JSON_CUT)
                return token;
    } else if (token > XTF_JSON_CUT) {
        xtf_fail(error, XTF_ERROR_DAMAGED, "%s: is JSON, but neither an array nor an object of events",
                 import->job->anchor);
        return XTF_JSON_ERROR;
    }
    return token <= XTF_JSON_CUT ? token : xtf_json_next(import->json);
}

/* ---- The end. */

/* Returns "line L, byte B", both from 1, of the next byte. */
static char *place_of(const XtfJson *json)
{
    return g_strdup_printf("line %" PRIu64 ", byte %" PRIu64, json->line, xtf_json_offset(json) + 1);
}

/* Handles a fault of the JSON: refuses the file, or with --keep-going keeps what was read. */
static bool handle_fault(XtfChromeImport *import, char **cut, GError **error)
{
    XtfJson *json = import->json;
    g_autofree char *place = place_of(json);

    if (import->job->options->keep_going && import->in_events && json->error->code == XTF_ERROR_DAMAGED) {
        *cut = g_strdup_printf("%s: %s; everything after that is left out", place, json->error->message);
        return true;
    }
    return xtf_fail(error, json->error->code, "%s: %s: %s", import->job->anchor, place, json->error->message);
}

bool xtf_chrome_read(XtfChromeImport *import, char **cut, GError **error)
{
    GError *failed = NULL;
    XtfJsonToken token = read_document(import, &failed);

    *cut = NULL;
    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (token == XTF_JSON_ERROR)
        return handle_fault(import, cut, error);
    if (token == XTF_JSON_END && import->in_events)
        return true;
    g_autofree char *place = place_of(import->json);
    if (!import->in_events)
        return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: %s: the file ends, and has no array of events",
                        import->job->anchor, place);
    *cut = g_strdup_printf("%s: the %s before the JSON does: what was read is imported", place,
                           import->input.cut ? "packed file ends" : "file ends");
    return true;
}
