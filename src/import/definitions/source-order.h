/*
 * The order of a source's definitions, and its ids that cannot be derived from the rows. With both, an export can write
 * the definitions as the source had them (tables `definition_order` and `definition_references`).
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
    GArray *definitions;   /* all definitions of the source in its order, including repeats of earlier ones */
    GArray *references;    /* rows of `definition_references`; their texts are resolved */
    GHashTable *numbers;   /* of rows in `definition_order`, by table and row; only while references are collected */
    GHashTable *texts;     /* the source's first id of each text; only while references are collected */
    uint32_t *region_ids;  /* by row of `regions`: the id of its first definition; set by resolving */
    uint32_t n_region_ids; /* number of defined regions; undefined regions follow them */
} XtfSourceOrder;

void xtf_source_order_init(XtfSourceOrder *order);
void xtf_source_order_finish(XtfSourceOrder *order);

/* Adds a definition of the source, which is row `row` of a table of XTF_DEFINED_TABLES. */
void xtf_source_order_add(XtfSourceOrder *order, unsigned table, uint32_t row);
/* Renumbers the rows of a table: moved[old row] is the new row, or all ones if the row is dropped. */
void xtf_source_order_move(XtfSourceOrder *order, unsigned table, const uint32_t *moved);

/* Begins collecting references, before definitions are resolved. */
void xtf_source_order_begin(XtfDefinitions *definitions);
/* Notes that a field of row `row` had the source's id `id`. Resolving replaced it by `value`, a row of table `referred`
 * (0: a string of the trace). Keeps the id if it cannot be derived from `value`. */
bool xtf_source_order_note(XtfDefinitions *definitions, unsigned table, uint32_t row, const char *field,
                           unsigned referred, uint32_t value, uint32_t id, GError **error);
/* Ends collecting references: adds the rows of `definition_order` and `definition_references`. */
void xtf_source_order_end(XtfDefinitions *definitions);
