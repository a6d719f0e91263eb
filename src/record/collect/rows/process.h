/*
 * Rows about the process as a whole: its node, its program, how it ended.
 */
#pragma once

#include "src/record/collect/rows/collect.h"

/* Description of the program, from the system. */
typedef struct XtfCollectProgram {
    char *host, *executable, *build_id; /* "": unknown */
    char **arguments;                   /* NULL-terminated */
    char *affinity;                     /* CPUs on which it may run, "0-3,8"; "": unknown */
    uint32_t n_cpus, node_cpus;         /* number of these CPUs, and of all CPUs of the host; 0: unknown */
} XtfCollectProgram;

void xtf_collect_program_init(XtfCollectProgram *program, const XtfWireProcess *process);
void xtf_collect_program_finish(XtfCollectProgram *program);

/* Adds the process's properties: host, program, environment. */
void xtf_collect_add_program(XtfCollector *collector, const XtfCollectProgram *program);
/* Adds the rows that are known from the start, including the properties of xtf_collect_add_program(). The collector's
 * numbers must be set. */
void xtf_collect_process_begin(XtfCollector *collector, const XtfCollectProgram *program);
/* Appends PROGRAM_BEGIN to the first thread's records; the second function appends PROGRAM_END. */
bool xtf_collect_program_begin(XtfCollectRing *ring, uint64_t time);
bool xtf_collect_program_end(XtfCollectRing *ring, uint64_t time, int64_t exit_status);
/* Updates locations, tags and remarks before a commit. `rings` are all rings with records. */
void xtf_collect_process_update(XtfCollector *collector, XtfCollectRing *const *rings, size_t n_rings);

/* Sets or replaces a property of the process in the table `definition_properties`. */
void xtf_collect_set_property(XtfCollector *collector, const char *name, const char *value);
void xtf_collect_set_number(XtfCollector *collector, const char *name, uint64_t value);
