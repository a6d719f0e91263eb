/*
 * Results of network_test, written: a matrix for each length.
 */
#pragma once

#include "src/network/results/network.h"

typedef struct {
    uint32_t processes;
    int64_t begin, step, end; /* lengths, bytes */
    int64_t repeats;          /* -1: not known */
    const char *test;
    XtfNetworkValue value; /* what the matrices are of; not REPEAT */
} XtfResultFacts;

typedef struct XtfResultWriter XtfResultWriter;

/* The file `path` is replaced; errors name it `name`. XTF_ERROR_TOO_LARGE: the facts are 31-bit numbers there. */
XtfResultWriter *xtf_result_writer_new(const XtfResultFacts *facts, const char *path, const char *name, GError **error);
/* The matrix of the next length, as xtf_network_read() has it. */
bool xtf_result_writer_add(XtfResultWriter *writer, const double *matrix, GError **error);
bool xtf_result_writer_end(XtfResultWriter *writer, GError **error);
/* What was not ended is not whole. NULL is fine. */
void xtf_result_writer_free(XtfResultWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfResultWriter, xtf_result_writer_free)
