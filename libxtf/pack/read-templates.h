/*
 * Reading the times and the templates of packed rows. The bytes may be damaged: the functions check every number
 * against the number of rows and the schema before they use it.
 */
#pragma once

#include "libxtf/pack/read-streams.h"
#include "libxtf/schema/row-map.h"

enum { XTF_COPY_BYTES = 16 }; /* bytes copied at once */

typedef struct {
    uint64_t value;
    bool is_chained;
} XtfTemplateValue;

/* The templates while they are read. */
typedef struct {
    const XtfSchema *schema;
    uint32_t count;
    unsigned n_fields; /* number of fields, the time left out */
    XtfPackField fields[XTF_FIELDS_MAX];
    uint64_t before[XTF_FIELDS_MAX]; /* for STEP fields: the value before the first row */
    unsigned n;
    size_t image_size;        /* row_size rounded up to a multiple of XTF_COPY_BYTES */
    uint8_t *images;          /* one row for each template, with the values of VALUE fields */
    XtfTemplateValue *values; /* of STEP and DISTANCE fields: n values for each field */
    const uint8_t *numbers;   /* the template of each row */
} XtfReadTemplates;

/* Stores the low bits of `value` that fit the field. */
static inline void xtf_put_field(const XtfPackField *field, uint8_t *row, uint64_t value)
{
    uint8_t *at = row + field->load.at;
    uint64_t lower_fields = xtf_load64(at) & ~(UINT64_MAX << field->load.shift); /* bytes of earlier fields */

    xtf_store64(at, lower_fields | value << field->load.shift);
}

/* Reads the times, the first part of packed rows. */
bool xtf_read_times(XtfPackReader *reader, uint32_t count, uint64_t *times);
/* Reads the templates, and the template of each row, into scratch memory. The schema, `count` and `n_fields` are set.
 * Reading a stream overwrites `numbers`. */
bool xtf_read_templates(XtfPackReader *reader, XtfReadTemplates *templates);
/* Returns the set of fields whose values are in templates. */
XtfFieldSet xtf_fields_in_templates(const XtfReadTemplates *templates);
/* Skips the streams of a field's column, if it has one. Returns false on a fault. */
bool xtf_skip_column(XtfPackReader *reader, const XtfPackField *field);
/* Ends the use of scratch memory. Returns false and sets *fault if the reader has a fault. */
bool xtf_finish_reading(const XtfPackReader *reader, const char **fault);
