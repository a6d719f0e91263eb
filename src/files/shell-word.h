/*
 * File names in commands that xtf prints for the user to type.
 */
#pragma once

/* Returns the word as a shell reads it, quoted if necessary. The caller frees it with g_free(). */
char *xtf_shell_word(const char *word);
