/*
 * A hash of strings that come from files. Whoever writes a file chooses its strings: by a hash that he can compute he
 * would make all of them collide, and each look-up as slow as a list. This one has a key, drawn when the process first
 * asks for it.
 */
#pragma once

#include <glib.h>

/* A GHashFunc of NUL-terminated strings. Any thread may call it. The numbers differ from process to process. */
guint xtf_string_hash(gconstpointer text);
