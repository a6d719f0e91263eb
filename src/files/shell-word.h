/*
 * Names of files in commands that are printed for people to type.
 */
#pragma once

/* A word as a shell reads it: quoted if it must be. The caller frees it with g_free(). */
char *xtf_shell_word(const char *word);
