/*
 * A file of JSON that is written event by event.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    const char *name; /* for messages; borrowed */
    GString *line;    /* the event that is made */
    bool has_events;
} XtfJsonFile;

/* Opens a file for writing. Messages name it `name`. */
bool xtf_json_file_open(XtfJsonFile *json, const char *path, const char *name, GError **error);
/* Closes the file. Fails if any write failed. All zeros is fine. */
bool xtf_json_file_close(XtfJsonFile *json, GError **error);

/* Appends a text in quotes to a line. */
void xtf_json_append_text(GString *line, const char *text);
/* Appends nanoseconds as microseconds with three decimals. */
void xtf_json_append_time(GString *line, uint64_t ns);
/* Appends a value of a type of xtf_value_types, which is no string. */
void xtf_json_append_value(GString *line, unsigned type, uint64_t value);

/* Begins an event: returns the empty line, to which the caller appends the event's object. */
GString *xtf_json_file_begin(XtfJsonFile *json);
/* Ends an event: writes the line. */
void xtf_json_file_end(XtfJsonFile *json);
