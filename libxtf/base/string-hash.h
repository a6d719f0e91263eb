/*
 * A hash of strings that come from files. The author of a file chooses its strings. With a known hash function the
 * author could make all strings collide, and every lookup would be linear. The hash therefore has a random key, drawn
 * at its first use in the process.
 */
#pragma once

#include <glib.h>

/* Returns the hash of a NUL-terminated string. A GHashFunc, thread-safe. Hashes differ between processes. */
guint xtf_string_hash(gconstpointer text);
