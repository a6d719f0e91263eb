/*
 * What a part says of its process as a whole: its place in the machine, what it runs, how it ended.
 */
#pragma once

#include "src/record/collect/rows/collect.h"

/* What is known of the program, from the system. */
typedef struct XtfCollectProgram {
    char *host, *executable, *build_id; /* "": not known */
    char **arguments;                   /* NULL-terminated */
} XtfCollectProgram;

void xtf_collect_program_init(XtfCollectProgram *program, int32_t pid);
void xtf_collect_program_finish(XtfCollectProgram *program);

/* The properties of the process, which say where it ran, and what. */
void xtf_collect_add_program(XtfCollector *collector, const XtfCollectProgram *program);
/* Writes the rows that are known from the start, these properties among them. The collector's numbers are known. */
void xtf_collect_process_begin(XtfCollector *collector, const XtfCollectProgram *program);
/* Appends PROGRAM_BEGIN to the first thread, PROGRAM_END. */
bool xtf_collect_program_begin(XtfCollectRing *ring, uint64_t time);
bool xtf_collect_program_end(XtfCollectRing *ring, uint64_t time, int64_t exit_status);
/* Before a commit: rows of locations, tags and remarks. `rings` are those that are open. */
void xtf_collect_process_update(XtfCollector *collector, XtfCollectRing *const *rings, size_t n_rings);

/* A property of the process, in the table `definition_properties`: set or replaced. */
void xtf_collect_set_property(XtfCollector *collector, const char *name, const char *value);
void xtf_collect_set_number(XtfCollector *collector, const char *name, uint64_t value);
