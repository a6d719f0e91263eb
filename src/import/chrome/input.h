/*
 * The bytes of a JSON file, which gzip may have packed.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    struct gzFile_s *file;
    const char *path; /* borrowed */
    uint64_t size;    /* bytes of the file, as packed */
    bool started;     /* the beginning was read, at which a byte order mark may be */
    bool cut;         /* the packed bytes end early */
} XtfChromeInput;

bool xtf_chrome_input_open(XtfChromeInput *input, const char *path, GError **error);
void xtf_chrome_input_close(XtfChromeInput *input); /* all zeros is fine */
/* Reads unpacked bytes: an XtfJsonRead, whose data is the XtfChromeInput. */
gssize xtf_chrome_input_read(void *input, void *bytes, gsize size, GError **error);
/* Returns the share of the file that was read, from 0 to 1. */
double xtf_chrome_input_share(const XtfChromeInput *input);
