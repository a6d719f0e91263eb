/*
 * Options of commands that write a file: page size, codec, level.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/writer.h"

typedef struct {
    char *page_size, *codec, *level; /* the options as the user typed them; NULL: not given */
} XtfCliStorage;

/* Entries of the options, for GLib. */
#define XTF_CLI_STORAGE_ENTRIES(storage)                                                                          \
    {                                                                                                             \
        "page-size",                                                                                              \
        0,                                                                                                        \
        0,                                                                                                        \
        G_OPTION_ARG_STRING,                                                                                      \
        &(storage).page_size,                                                                                     \
        "Page size: a power of two, 4K to 1M (default: 4K)",                                                      \
        "BYTES"},                                                                                                 \
        {"codec", 0, 0, G_OPTION_ARG_STRING, &(storage).codec, "Way of storing rows: compact (default) or plain", \
         "NAME"},                                                                                                 \
    {                                                                                                             \
        "level", 0, 0, G_OPTION_ARG_STRING, &(storage).level,                                                     \
            "Effort of packing, 1 (fast, default) to 9 (1 or 2% smaller)", "N"                                    \
    }

/* Sets page_size, codec and level, 0 or NULL if they were not given. If one is invalid, prints a message and returns
 * false. */
bool xtf_cli_storage_options(const char *command, const XtfCliStorage *storage, XtfWriterOptions *options);
void xtf_cli_storage_finish(XtfCliStorage *storage);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCliStorage, xtf_cli_storage_finish)
