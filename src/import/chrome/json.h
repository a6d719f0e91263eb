/*
 * A pull tokenizer of JSON, which reads its text in pieces.
 *
 *     while ((token = xtf_json_next(json)) > XTF_JSON_CUT)
 *         ...
 *
 * It checks the whole grammar. It accepts what Python's json accepts, also NaN and Infinity, with these differences:
 * - A comma may follow the last item of an array.
 * - A string of more than XTF_JSON_STRING_MAX bytes, or nesting deeper than XTF_JSON_DEPTH, is an error.
 * - Bytes of a string that are not UTF-8, halves of surrogate pairs and NUL characters become U+FFFD.
 * The memory is that of the longest token.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_JSON_STRING_MAX = 8 << 20,
    XTF_JSON_DEPTH = 500,
};

typedef enum {
    XTF_JSON_ERROR, /* see json->error */
    XTF_JSON_END,   /* the document has ended, and only space follows */
    XTF_JSON_CUT,   /* the text ends inside the document */
    XTF_JSON_OBJECT,
    XTF_JSON_OBJECT_END,
    XTF_JSON_ARRAY,
    XTF_JSON_ARRAY_END,
    XTF_JSON_KEY,
    XTF_JSON_STRING,
    XTF_JSON_NUMBER, /* also NaN, Infinity and -Infinity */
    XTF_JSON_TRUE,
    XTF_JSON_FALSE,
    XTF_JSON_NULL,
} XtfJsonToken;

/* Reads up to `size` bytes. Returns their number: 0 at the end of the text, less than 0 with an error. */
typedef gssize (*XtfJsonRead)(void *data, void *bytes, gsize size, GError **error);

typedef struct {
    /* The text of a KEY, STRING or NUMBER, which is valid until the next token. A NUL follows a KEY and a STRING. */
    const char *text;
    gsize size;
    unsigned depth; /* number of open objects and arrays */
    GError *error;  /* its message says what is wrong, without the place */

    XtfJsonRead read;
    void *data;
    char *buffer; /* a NUL follows the bytes */
    gsize capacity;
    char *at, *end;         /* the bytes that were not read yet */
    char *token;            /* bytes from here on are kept while the buffer is filled; NULL: none */
    uint64_t offset;        /* of the buffer's first byte in the text */
    uint64_t line;          /* of `at`, from 1 */
    uint64_t n_last_commas; /* commas after the last items of arrays */
    bool ended;             /* the whole text is in the buffer, or was */
    unsigned state;
    GString *unescaped;
    uint8_t objects[XTF_JSON_DEPTH]; /* by depth: the open item is an object, not an array */
} XtfJson;

XtfJson *xtf_json_new(XtfJsonRead read, void *data);
void xtf_json_free(XtfJson *json); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfJson, xtf_json_free)

XtfJsonToken xtf_json_next(XtfJson *json);
/* Skips the rest of a value whose first token was `first`. Returns the value's last token; ERROR or CUT. */
XtfJsonToken xtf_json_skip(XtfJson *json, XtfJsonToken first);
/* Returns the offset in the text of the next byte to read, from 0. */
uint64_t xtf_json_offset(const XtfJson *json);
