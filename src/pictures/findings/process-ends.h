/* How the processes of a selection ended, from their properties and the last calls of their threads. */
#pragma once

#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

#define XTF_END_NO_REGION UINT64_MAX
#define XTF_END_NO_PROC   UINT64_MAX

typedef struct {
    uint64_t proc;
    XtfEndKind kind;
    int64_t number;            /* number of the signal, or the exit status */
    uint32_t threads, pending; /* threads of the program; how many of them were in a call of MPI at their end */
    uint64_t since;            /* time at which the first of these, which represents the process, entered its call */
    uint64_t peer;             /* process that all of them waited for; XTF_END_NO_PROC: any, or several */
    uint64_t comm, tag;        /* communicator and tag of the first one's call; XTF_END_NO_PROC: none, or any */
    uint64_t region; /* row of the first one's call, or of the region in which it ended; XTF_END_NO_REGION: none */
    uint32_t site;   /* call site of that call; UINT32_MAX: none */
    bool elsewhere;  /* another thread ended in another region */
} XtfProcessEnd;

typedef struct {
    const XtfFindingJob *job;
    XtfProcessEnd *ends; /* n of them, by process */
    uint32_t n;
    const XtfTable *regions;  /* NULL: the trace has no regions */
    const XtfSchema *pending; /* NULL: no process ended in a call of MPI */
    const XtfSites *sites;    /* borrowed; none of them: the trace has no call sites */
} XtfProcessEnds;

/* Reads how all processes ended. Sets *any if one was killed, or ended in a call of MPI; else it reads no threads. */
bool xtf_process_ends_init(XtfProcessEnds *ends, const XtfFindingJob *job, bool *any, GError **error);
void xtf_process_ends_finish(XtfProcessEnds *ends); /* all zeros is valid */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProcessEnds, xtf_process_ends_finish)

/* Finds the end of a process; NULL: the process is not selected. */
XtfProcessEnd *xtf_process_end_find(const XtfProcessEnds *ends, uint64_t proc);
/* Returns the words for the sites of the calls in which some processes, XtfProcessEnd, ended: ", called by exchange
 * (stencil.c:142)"; "" without sites. NULL with an error. The caller frees it. */
char *xtf_process_ends_called(const XtfProcessEnds *ends, const GPtrArray *some, GError **error);
/* Returns the name of a region, as sentences show it. The caller frees it. */
char *xtf_process_end_region(const XtfProcessEnds *ends, uint64_t region, GError **error);
