/*
 * Letters between the shares of a run: parts of its work, each done by one thread.
 *
 * Letters of one share to another arrive in order. They travel in batches, so that a letter costs a copy. A full batch
 * is delivered at once, others when their sender flushes. A share without work waits. If all shares wait and no letter
 * is on its way, the run is quiet. Then the share that began to wait last may use the data of all shares, until it
 * resumes some of them or ends the run.
 *
 * Each share number is used by one thread. The threads share memory, or each share is a rank of a job, which uses its
 * own share only. In a job, all ranks learn that the run is quiet, and decide together (src/world/world.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/world/world.h"

typedef struct XtfMail XtfMail;

XtfMail *xtf_mail_new(uint32_t n_shares);
/* Creates the mail of a job, with a share for each rank. Borrows the world. */
XtfMail *xtf_mail_new_of_ranks(XtfWorld *world);
void xtf_mail_free(XtfMail *mail); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfMail, xtf_mail_free)

/* Returns space for a letter of `n_bytes`, which the caller fills before its next call. `to` is another share. */
void *xtf_mail_put(XtfMail *mail, uint32_t from, uint32_t to, uint32_t kind, uint32_t n_bytes);
/* Delivers the batches of a share that are not full. */
void xtf_mail_flush(XtfMail *mail, uint32_t from);
/* True if a share waits, or may wait: letters should not stay in batches. Cheap. */
bool xtf_mail_is_awaited(const XtfMail *mail);

/* True if many batches wait until other ranks of a job take them. This rank should then put no letters of its own
 * accord, but call xtf_mail_pause() and take letters until the function is false. So the others go on. False once the
 * run has ended, and between threads. */
bool xtf_mail_is_full(XtfMail *mail);
/* Lets other ranks work for a moment. */
void xtf_mail_pause(XtfMail *mail);

/* Reads a letter; its bytes are valid during the call. */
typedef void (*XtfMailRead)(void *data, uint32_t kind, const void *bytes, uint32_t n_bytes);
/* Reads all letters that were delivered to a share. Cheap if there are none. In a job, only some calls look for new
 * ones. */
void xtf_mail_take(XtfMail *mail, uint32_t self, XtfMailRead read, void *data);

typedef enum {
    XTF_MAIL_NEWS,  /* letters have arrived, or the share was resumed */
    XTF_MAIL_QUIET, /* all shares wait, and the caller may decide what is next: in a job, each rank is such a caller */
    XTF_MAIL_ENDED, /* in a job, also if another rank has failed */
} XtfMailState;

/* Flushes, and waits for letters. */
XtfMailState xtf_mail_wait(XtfMail *mail, uint32_t self);
/* Marks a share that has work again, in a quiet run. xtf_mail_resume() wakes all marked shares, at least one. Then it
 * waits like xtf_mail_wait(). Not in a job, where ranks just go on. */
void xtf_mail_mark(XtfMail *mail, uint32_t share);
XtfMailState xtf_mail_resume(XtfMail *mail, uint32_t self);
/* Ends the run. Any share may call it at any time, for an error. In a job it warns the other ranks; a run that is quiet
 * ends without it. */
void xtf_mail_end(XtfMail *mail);
bool xtf_mail_has_ended(const XtfMail *mail); /* cheap */

/* The work of a share in a thread of its own. */
typedef struct {
    void *share;
    GError **error; /* of the share; it is set, and the run ends, if the thread cannot be started */
} XtfMailThread;

/* Calls run() for the n shares of this process at once, since shares wait for each other. The first one runs in the
 * caller's thread, each other one in a thread of its own, named `name`. Returns when all are done. */
void xtf_mail_run_threads(XtfMail *mail, const char *name, GThreadFunc run, const XtfMailThread *threads, uint32_t n);
