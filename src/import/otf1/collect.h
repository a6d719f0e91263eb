/*
 * The definitions of an archive as OTF's library passes them to handlers. They may refer to later definitions, so
 * define.h makes rows of them when all are read.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/import/definitions/definitions.h"
#include "src/import/otf1/otf1-library.h"

/* Kinds of definitions that only have a name. */
typedef enum {
    XTF_OTF1_FUNCTION_GROUP,
    XTF_OTF1_COUNTER_GROUP,
    XTF_OTF1_SOURCE_FILE,
    XTF_OTF1_FILE_GROUP,
    XTF_OTF1_MARKER, /* its type is part of its name */
} XtfOtf1Named;

/* Texts are ids of strings of `definitions`. */
typedef struct {
    uint32_t id, parent, name;
} XtfOtf1Process;

typedef struct {
    uint32_t id, name, n;
    uint32_t *members; /* owned */
} XtfOtf1Group;

typedef struct {
    uint32_t id, group, source, name;
} XtfOtf1Function;

typedef struct {
    uint32_t id, file, line;
} XtfOtf1Source;

typedef struct {
    uint32_t id, properties, group, unit, name;
} XtfOtf1Counter;

typedef struct {
    uint32_t id, type, name;
    const char *text; /* the name */
} XtfOtf1Collective;

typedef struct {
    uint32_t id, group;
} XtfOtf1File;

typedef struct {
    uint32_t of, list; /* a process or a group, and its list of attributes */
} XtfOtf1Attributed;

typedef struct {
    XtfDefinitions definitions;
    uint64_t resolution, uid;
    bool has_uid;
    GArray *processes, *groups, *functions, *sources, *counters, *collectives, *files, *attributed, *assignments;
    GHashTable *names;                 /* uint64_t (kind << 32 | id) -> text, owned */
    GHashTable *attribute_lists;       /* id -> GArray of OTF_ATTR_TYPE */
    GHashTable *collective_operations; /* id of a DefCollectiveOperation -> operation + 1, made by define.c */
    GHashTable *float_counters;        /* ids of counters whose values are floats, as a set */
    uint64_t count;                    /* definitions read */
    uint64_t local;                    /* of these, definitions of single streams */
    uint64_t substitutes, sample_points, key_values, unknown; /* definitions and lists that are left out */
    uint64_t n_guessed; /* collective operations that are named by their type: set by define.c */
} XtfOtf1Definitions;

void xtf_otf1_definitions_init(XtfOtf1Definitions *source);
void xtf_otf1_definitions_finish(XtfOtf1Definitions *source);

/* Sets the handlers of all kinds of definitions, and of DefMarker. */
void xtf_otf1_set_definition_handlers(OTF_HandlerArray *handlers, XtfOtf1Definitions *source);

/* Returns the name of a definition; "": there is none. */
const char *xtf_otf1_name(const XtfOtf1Definitions *source, XtfOtf1Named kind, uint32_t id);

/* A handler of one kind of records. The library has one type for all handlers, and passes each its own arguments. */
typedef struct {
    OTF_FunctionPointer *handler;
    uint32_t record;
} XtfOtf1Handler;

#define XTF_OTF1_HANDLER(function, RECORD)                                     \
    {                                                                          \
        (OTF_FunctionPointer *)(void (*)(void))function, OTF_##RECORD##_RECORD \
    }

/* Sets n handlers, whose first argument is `data`. */
void xtf_otf1_set_handlers(OTF_HandlerArray *handlers, const XtfOtf1Handler *list, size_t n, void *data);
