/*
 * Syncing the name of a file: after a crash of the machine a synced file may lack its name until its folder is synced.
 */
#pragma once

/* Syncs the folder of a file that was created or renamed. Reports no errors: some file systems cannot sync folders, and
 * a folder may be unreadable. */
void xtf_sync_name(const char *path);
