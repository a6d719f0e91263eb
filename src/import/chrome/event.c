#include "src/import/chrome/event.h"

#include <string.h>

enum { EVENT_MAX = 4 << 20 }; /* bytes of an event after which further texts are not kept */

void xtf_chrome_event_init(XtfChromeEvent *event)
{
    *event = (XtfChromeEvent){.arguments = g_array_new(FALSE, FALSE, sizeof(XtfChromeArgument)),
                              .bytes = g_string_sized_new(XTF_CHROME_JSON_MAX)};
}

void xtf_chrome_event_finish(XtfChromeEvent *event)
{
    g_clear_pointer(&event->arguments, g_array_unref);
    if (event->bytes)
        g_string_free(event->bytes, TRUE);
    event->bytes = NULL;
}

void xtf_chrome_event_clear(XtfChromeEvent *event)
{
    memset(event->members, 0, sizeof event->members);
    g_array_set_size(event->arguments, 0);
    g_string_truncate(event->bytes, 0);
    event->cut_argument = false;
}

/* Returns the length of a text of at most `most` bytes that ends at a character. */
static gsize shortened(const char *text, gsize size, gsize most)
{
    if (size <= most)
        return size;
    while (most > 0 && ((uint8_t)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* Appends a text and a NUL. Returns where it begins. An event whose texts are too long together gets empty ones. */
static guint keep_text(XtfChromeEvent *event, const char *text, gsize size)
{
    const guint at = (guint)event->bytes->len;
    gsize kept = shortened(text, size, XTF_CHROME_TEXT_MAX);

    if (at > EVENT_MAX) {
        event->cut_argument = true;
        return at - 1;
    }
    event->cut_argument |= kept < size;
    g_string_append_len(event->bytes, text, (gssize)kept);
    g_string_append_c(event->bytes, '\0');
    return at;
}

static void append_quoted(GString *bytes, const char *text, gsize size)
{
    g_string_append_c(bytes, '"');
    for (gsize i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\')
            g_string_append_c(bytes, '\\');
        if ((uint8_t)text[i] < ' ')
            g_string_append_printf(bytes, "\\u%04x", text[i]);
        else
            g_string_append_c(bytes, text[i]);
    }
    g_string_append_c(bytes, '"');
}

static void append_token(GString *bytes, const XtfJson *json, XtfJsonToken token)
{
    static const char *const texts[] = {
        [XTF_JSON_OBJECT] = "{",  [XTF_JSON_OBJECT_END] = "}", [XTF_JSON_ARRAY] = "[",   [XTF_JSON_ARRAY_END] = "]",
        [XTF_JSON_TRUE] = "true", [XTF_JSON_FALSE] = "false",  [XTF_JSON_NULL] = "null",
    };

    if (token == XTF_JSON_KEY || token == XTF_JSON_STRING)
        append_quoted(bytes, json->text, json->size);
    else if (token == XTF_JSON_NUMBER)
        g_string_append_len(bytes, json->text, (gssize)json->size);
    else
        g_string_append(bytes, texts[token]);
    if (token == XTF_JSON_KEY)
        g_string_append_c(bytes, ':');
}

/* Keeps the JSON of an object or array, whose first token was read. Text beyond the bound is left out. */
static XtfJsonToken keep_json(XtfChromeEvent *event, XtfJson *json, XtfJsonToken token, XtfChromeValue *value)
{
    const unsigned depth = json->depth - 1;
    const gsize at = event->bytes->len;
    XtfJsonToken last = XTF_JSON_OBJECT;

    for (;; token = xtf_json_next(json)) {
        if (token <= XTF_JSON_CUT)
            return token;
        bool separated = last == XTF_JSON_OBJECT || last == XTF_JSON_ARRAY || last == XTF_JSON_KEY ||
                         token == XTF_JSON_OBJECT_END || token == XTF_JSON_ARRAY_END;
        if (event->bytes->len - at <= XTF_CHROME_JSON_MAX && at <= EVENT_MAX) {
            if (!separated)
                g_string_append_c(event->bytes, ',');
            append_token(event->bytes, json, token);
        }
        last = token;
        if (json->depth == depth)
            break;
    }
    gsize size = shortened(event->bytes->str + at, event->bytes->len - at, XTF_CHROME_JSON_MAX);
    event->cut_argument |= size < event->bytes->len - at;
    g_string_truncate(event->bytes, at + size);
    if (size == 0) /* the event is too long */
        return token;
    g_string_append_c(event->bytes, '\0');
    *value = (XtfChromeValue){.kind = XTF_CHROME_JSON, .at = (guint)at, .size = (guint)size};
    return token;
}

XtfJsonToken xtf_chrome_value_read(XtfChromeEvent *event, XtfJson *json, XtfJsonToken token, XtfChromeValue *value)
{
    *value = (XtfChromeValue){0};
    switch (token) {
    case XTF_JSON_STRING:
    case XTF_JSON_NUMBER:
        value->kind = token == XTF_JSON_STRING ? XTF_CHROME_TEXT : XTF_CHROME_NUMBER;
        value->at = keep_text(event, json->text, json->size);
        value->size = (guint)strlen(event->bytes->str + value->at);
        return token;
    case XTF_JSON_TRUE:
    case XTF_JSON_FALSE:
        value->kind = XTF_CHROME_BOOLEAN;
        value->size = token == XTF_JSON_TRUE;
        return token;
    case XTF_JSON_OBJECT:
    case XTF_JSON_ARRAY:
        return keep_json(event, json, token, value);
    default:
        return token;
    }
}

/* ---- Members. */

enum {
    ARGS = XTF_CHROME_N_MEMBERS, /* members that are objects */
    ID2,
    N_KEYS,
};

/* Returns the member of the last key; N_KEYS if it is ignored. */
static unsigned member_of(const XtfJson *json)
{
    static const struct {
        uint8_t size;
        char text[8];
    } keys[N_KEYS] = {
        {2, "ph"}, {4, "name"},  {3, "cat"}, {2, "ts"},      {3, "dur"},   {3, "pid"},  {3, "tid"},
        {2, "id"}, {5, "scope"}, {1, "s"},   {7, "bind_id"}, {5, "local"}, {4, "args"}, {3, "id2"},
    };
    unsigned member = 0;

    while (member < N_KEYS &&
           (keys[member].size != json->size || memcmp(keys[member].text, json->text, json->size) != 0))
        member++;
    return member;
}

/* Reads the arguments, whose OBJECT token was read. */
static XtfJsonToken read_arguments(XtfChromeEvent *event, XtfJson *json)
{
    XtfJsonToken token;

    while ((token = xtf_json_next(json)) == XTF_JSON_KEY) {
        XtfChromeArgument argument = {.key = keep_text(event, json->text, json->size)};
        token = xtf_chrome_value_read(event, json, xtf_json_next(json), &argument.value);
        if (token <= XTF_JSON_CUT)
            return token;
        if (event->arguments->len < XTF_CHROME_ARGUMENTS_MAX)
            g_array_append_val(event->arguments, argument);
        else
            event->cut_argument = true;
    }
    return token;
}

/* Reads the member "id2": an object whose only member, "local" or "global", is the id. */
static XtfJsonToken read_id2(XtfChromeEvent *event, XtfJson *json)
{
    XtfJsonToken token;

    while ((token = xtf_json_next(json)) == XTF_JSON_KEY) {
        const bool local = strcmp(json->text, "local") == 0;
        event->members[XTF_CHROME_LOCAL] = (XtfChromeValue){.kind = XTF_CHROME_BOOLEAN, .size = local};
        if ((token = xtf_chrome_value_read(event, json, xtf_json_next(json), &event->members[XTF_CHROME_ID])) <=
            XTF_JSON_CUT)
            return token;
    }
    return token;
}

static XtfJsonToken read_member(XtfChromeEvent *event, XtfJson *json)
{
    const unsigned member = member_of(json);
    XtfJsonToken token = xtf_json_next(json);

    if (member < XTF_CHROME_N_MEMBERS)
        return xtf_chrome_value_read(event, json, token, &event->members[member]);
    if (member == ARGS && token == XTF_JSON_OBJECT) {
        g_array_set_size(event->arguments, 0); /* of two members the second counts */
        return read_arguments(event, json);
    }
    if (member == ID2 && token == XTF_JSON_OBJECT)
        return read_id2(event, json);
    return xtf_json_skip(json, token);
}

XtfJsonToken xtf_chrome_event_read(XtfChromeEvent *event, XtfJson *json)
{
    XtfJsonToken token;

    xtf_chrome_event_clear(event);
    while ((token = xtf_json_next(json)) == XTF_JSON_KEY)
        if ((token = read_member(event, json)) <= XTF_JSON_CUT)
            return token;
    return token;
}
