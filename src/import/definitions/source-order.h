/*
 * What a source's definitions were like, beyond what they say: their order, and its own numbers where rows cannot tell
 * them. With it the definitions can be written again as they were (`definition_order`, `definition_references`).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct XtfDefinitions XtfDefinitions;

typedef struct {
    uint32_t table, row;
} XtfSourceDefinition;

typedef struct {
    GArray *definitions;   /* all of the source, in its order, those that repeat an earlier one too */
    GArray *references;    /* rows of `definition_references`, whose texts are strings of the trace already */
    GHashTable *numbers;   /* of rows in `definition_order`, by table and row; while references are collected */
    GHashTable *texts;     /* the source's first id of each text; as above */
    uint32_t *region_ids;  /* by row of `regions`: the id of its first definition; from resolving on */
    uint32_t n_region_ids; /* regions that are used and not defined come after them */
} XtfSourceOrder;

void xtf_source_order_init(XtfSourceOrder *order);
void xtf_source_order_finish(XtfSourceOrder *order);

/* A definition of the source is row `row` of a table, one of XTF_DEFINED_TABLES. */
void xtf_source_order_add(XtfSourceOrder *order, unsigned table, uint32_t row);
/* The rows of a table get other numbers: `moved` by the old ones, all ones for a row that is dropped. */
void xtf_source_order_move(XtfSourceOrder *order, unsigned table, const uint32_t *moved);

/* While definitions are resolved, between both: a field of a row had an id of the source, which became `row` of table
 * `referred` (0: a string of the trace). Remembers the id if nobody could find it out again. */
void xtf_source_order_begin(XtfDefinitions *definitions);
bool xtf_source_order_note(XtfDefinitions *definitions, unsigned table, uint32_t row, const char *field,
                           unsigned referred, uint32_t value, uint32_t id, GError **error);
void xtf_source_order_end(XtfDefinitions *definitions);
