/*
 * Errors of the XTF library: one GError domain.
 *
 * A function that fails returns false or NULL, sets *error and leaves its outputs unchanged. "Not found" is not an
 * error: functions that search report it through a `bool *found`.
 */
#pragma once

#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>

/* Enclose the declarations of every public header: C linkage, and symbols exported by the shared library. */
#define XTF_BEGIN_DECLS G_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define XTF_END_DECLS   _Pragma("GCC visibility pop") G_END_DECLS

XTF_BEGIN_DECLS

typedef enum {
    XTF_ERROR_IO,          /* the operating system refused a read or a write; the message has the reason */
    XTF_ERROR_NOT_XTF,     /* the file has another format, or no complete commit */
    XTF_ERROR_UNSUPPORTED, /* a version or feature that this library does not know */
    XTF_ERROR_DAMAGED,     /* the content breaks an invariant; the message names the place */
    XTF_ERROR_INVALID,     /* invalid arguments: time going backwards, a bad schema */
    XTF_ERROR_NOT_FOUND,   /* a name that must exist does not: a path, a table, a process */
    XTF_ERROR_CANCELLED,   /* the user interrupted the work */
    XTF_ERROR_TOO_LARGE,   /* more than the format, or one block of memory, can hold */
    XTF_ERROR_STALE,       /* the file's writer has discarded the commit that was opened */
} XtfErrorCode;

#define XTF_ERROR (xtf_error_quark())
GQuark xtf_error_quark(void);

/* Sets *error in this domain and returns false. For the library, and for programs that report errors in this domain. */
bool xtf_fail(GError **error, XtfErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define xtf_damaged(error, ...) xtf_fail(error, XTF_ERROR_DAMAGED, __VA_ARGS__)

/* Returns the errno for an error, for interfaces that only have errno (FUSE, exit codes). */
int xtf_error_to_errno(const GError *error);

XTF_END_DECLS
