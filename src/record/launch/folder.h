/*
 * The folder of a job's parts.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Returns the absolute path of the folder for a job's parts: "xtf-JOB" in the first of $XTF_TMPDIR, $TMPDIR and /tmp
 * that is set. The caller frees it. */
char *xtf_folder_name(const char *job);
/* Creates the folder, accessible to the user alone. An existing folder of the user is accepted. XTF_ERROR_IO on
 * failure, or if less than 2 % of the file system is free; then removes a folder that it created. */
bool xtf_folder_make(const char *folder, GError **error);

/*
 * Creates or joins a folder that the user named. All processes of a job call this at the same time. The file "job" in
 * the folder names its job. If that is another job, removes its files with `replace`; else XTF_ERROR_INVALID. Also
 * XTF_ERROR_INVALID for a non-empty folder without that file.
 */
bool xtf_folder_join(const char *folder, const char *job, bool replace, GError **error);
/* Records in the folder that this process of the job begins and will be traced. Rank G_MAXUINT32: the process has no
 * rank, and is not counted. */
bool xtf_folder_count_in(const char *folder, guint32 rank, GError **error);

/* The file of a folder that has the absolute path of the merged trace. `xtf record` creates it before the program. */
#define XTF_FOLDER_OUTPUT "output"
/* Records in the folder which file its parts will be merged into: an absolute path. A failure is ignored, as the
 * program must run: followers then do not find the merged file. */
void xtf_folder_set_output(const char *folder, const char *output);
/* Returns the path of the file that the parts of a folder are merged into; NULL: unknown. A folder NAME.xtf.d
 * without that record is merged into NAME.xtf. The caller frees the path. */
char *xtf_folder_output(const char *folder);

/* Removes a job's files from a folder of parts, then the folder. Other files stay, and then so does the folder: false
 * with XTF_ERROR_IO. */
bool xtf_folder_remove(const char *folder, GError **error);

/* Returns a unique name for a job: host, process and time. The caller frees it. */
char *xtf_job_new(void);
/* Returns a name that is the same in all processes that a launcher started together, as far as the environment shows.
 * The caller frees it. */
char *xtf_job_of_rank(void);

/* Returns the name of a file system, such as "NFS", by its number (statfs(2)), if machines share it; else NULL. */
const char *xtf_shared_file_system(unsigned long number);
/* Returns the name of the file system of a folder, such as "NFS", if machines share it; else NULL. */
const char *xtf_folder_is_shared(const char *folder);
