/*
 * Errors of the XTF library: one GError domain.
 *
 * Functions that can fail return false or NULL and set *error; their outputs are then left alone.
 * "Not found" is not an error: such functions answer through a `bool *found`.
 */
#pragma once

#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>

/* Around the declarations of every public header: C linkage, and symbols that the shared library shows. */
#define XTF_BEGIN_DECLS G_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define XTF_END_DECLS   _Pragma("GCC visibility pop") G_END_DECLS

XTF_BEGIN_DECLS

typedef enum {
    XTF_ERROR_IO,          /* the operating system refused a read or a write; the message has its reason */
    XTF_ERROR_NOT_XTF,     /* the file is something else, or no commit of it ever completed */
    XTF_ERROR_UNSUPPORTED, /* a version or a feature that this library does not know */
    XTF_ERROR_DAMAGED,     /* the content breaks an invariant; the message names the place */
    XTF_ERROR_INVALID,     /* the caller asked for something that makes no sense: time going backwards, bad schema */
    XTF_ERROR_NOT_FOUND,   /* a name that must exist does not: a path, a table, a process */
    XTF_ERROR_CANCELLED,   /* the user interrupted the work */
    XTF_ERROR_TOO_LARGE,   /* more than the format, or one block of memory, can hold */
    XTF_ERROR_STALE,       /* the file's writer has gone on, and no longer keeps the commit that was opened */
} XtfErrorCode;

#define XTF_ERROR (xtf_error_quark())
GQuark xtf_error_quark(void);

/* Set *error in this domain, and return false: for the library, and for programs that fail in its terms. */
bool xtf_fail(GError **error, XtfErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define xtf_damaged(error, ...) xtf_fail(error, XTF_ERROR_DAMAGED, __VA_ARGS__)

/* The errno that stands for an error at a border that knows only errno (FUSE, exit codes). */
int xtf_error_to_errno(const GError *error);

XTF_END_DECLS
