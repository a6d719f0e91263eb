/*
 * Writer of results of network_test, with a matrix for each length.
 */
#pragma once

#include "src/network/results/network.h"

typedef struct {
    uint32_t processes;
    int64_t begin, step, end; /* lengths, bytes */
    int64_t repeats;          /* -1: unknown */
    const char *test;
    XtfNetworkValue value; /* kind of the matrices' values, not XTF_NETWORK_REPEAT */
} XtfResultFacts;

typedef struct XtfResultWriter XtfResultWriter;

/* Creates the file `path`, or replaces it. Errors name it `name`. Fails with XTF_ERROR_TOO_LARGE if a fact exceeds 31
 * bits. */
XtfResultWriter *xtf_result_writer_new(const XtfResultFacts *facts, const char *path, const char *name, GError **error);
/* Adds the matrix of the next length, in the order of xtf_network_read(). */
bool xtf_result_writer_add(XtfResultWriter *writer, const double *matrix, GError **error);
/* Writes and closes the file. */
bool xtf_result_writer_end(XtfResultWriter *writer, GError **error);
/* Frees a writer, which may be NULL. Without xtf_result_writer_end(), the file is incomplete. */
void xtf_result_writer_free(XtfResultWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfResultWriter, xtf_result_writer_free)
