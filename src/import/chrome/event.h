/*
 * One event of the JSON: an object with the key "ph", its phase. The reader keeps one event in memory.
 */
#pragma once

#include "src/import/chrome/json.h"

/* A value as the file has it. */
typedef struct {
    enum { XTF_CHROME_NONE, XTF_CHROME_TEXT, XTF_CHROME_NUMBER, XTF_CHROME_BOOLEAN, XTF_CHROME_JSON } kind;
    guint at, size; /* the bytes in the event's `bytes`, which a NUL follows; BOOLEAN: `size` is the value */
} XtfChromeValue;

typedef struct {
    guint key; /* in the event's `bytes`, which a NUL follows */
    XtfChromeValue value;
} XtfChromeArgument;

/* The members that are read. Others are ignored. */
typedef enum {
    XTF_CHROME_PH,
    XTF_CHROME_NAME,
    XTF_CHROME_CAT,
    XTF_CHROME_TS,
    XTF_CHROME_DUR,
    XTF_CHROME_PID,
    XTF_CHROME_TID,
    XTF_CHROME_ID,
    XTF_CHROME_SCOPE, /* of the id */
    XTF_CHROME_S,     /* the scope of a marker */
    XTF_CHROME_BIND_ID,
    XTF_CHROME_LOCAL, /* true: the id is one of its process */
    XTF_CHROME_N_MEMBERS,
} XtfChromeMember;

typedef struct {
    XtfChromeValue members[XTF_CHROME_N_MEMBERS];
    GArray *arguments; /* of XtfChromeArgument */
    GString *bytes;
    bool cut_argument; /* an argument was longer than the bound, or there were too many */
} XtfChromeEvent;

enum {
    XTF_CHROME_ARGUMENTS_MAX = 1000, /* most arguments of one event */
    XTF_CHROME_JSON_MAX = 4096,      /* most bytes of an object or array that is an argument */
    XTF_CHROME_TEXT_MAX = 64 << 10,  /* most bytes of a text */
};

void xtf_chrome_event_init(XtfChromeEvent *event);
void xtf_chrome_event_finish(XtfChromeEvent *event);
/* Reads an event, whose OBJECT token was read. Returns OBJECT_END, ERROR or CUT. */
XtfJsonToken xtf_chrome_event_read(XtfChromeEvent *event, XtfJson *json);

/* Reads any value, whose first token was read. Returns its last token, ERROR or CUT. */
XtfJsonToken xtf_chrome_value_read(XtfChromeEvent *event, XtfJson *json, XtfJsonToken first, XtfChromeValue *value);
/* Forgets the members and arguments of the last event. */
void xtf_chrome_event_clear(XtfChromeEvent *event);

static inline const char *xtf_chrome_bytes(const XtfChromeEvent *event, guint at)
{
    return event->bytes->str + at;
}

/* Returns a member's text; "" if it is neither a text nor a number. */
static inline const char *xtf_chrome_text(const XtfChromeEvent *event, XtfChromeMember member)
{
    const XtfChromeValue *value = &event->members[member];

    return value->kind == XTF_CHROME_TEXT || value->kind == XTF_CHROME_NUMBER ? xtf_chrome_bytes(event, value->at) : "";
}
