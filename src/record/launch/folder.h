/*
 * The folder of a job's parts.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The path, absolute, of the folder for a job's parts: "xtf-JOB" in the first of $XTF_TMPDIR, $TMPDIR and /tmp that is
 * told. The caller frees it. */
char *xtf_folder_name(const char *job);
/* Makes it, for the user alone; one of this name may be there already if it is the user's. XTF_ERROR_IO, also if less
 * than 2 % of its file system is free; a folder that was made for it is gone then. */
bool xtf_folder_make(const char *folder, GError **error);

/*
 * Makes a folder that is named by the user, or takes the one that is there for this job: all processes of a job call
 * this at once, and all find the same. Its file "job" says whose it is. A folder of another job is emptied of it with
 * `replace`, else XTF_ERROR_INVALID; a folder with something in it that was not made so is left alone in any case.
 */
bool xtf_folder_join(const char *folder, const char *job, bool replace, GError **error);
/* Notes there that this process of the job begins, and is to be recorded; a rank of G_MAXUINT32 is none, and no matter.
 */
bool xtf_folder_count_in(const char *folder, guint32 rank, GError **error);

/* Removes a folder of parts, and what a job leaves in it; what else is in it stays, and so does the folder. False with
 * XTF_ERROR_IO. */
bool xtf_folder_remove(const char *folder, GError **error);

/* A name for a job that no other has: host, process and time. The caller frees it. */
char *xtf_job_new(void);
/* The same in all processes that a launcher has started together, as far as the environment tells. The caller frees
 * it. */
char *xtf_job_of_rank(void);

/* The name of a file system by its number (statfs(2)) if other machines share it: "NFS"; else NULL. */
const char *xtf_shared_file_system(unsigned long number);
/* The same of the file system that a folder lies on. */
const char *xtf_folder_is_shared(const char *folder);
