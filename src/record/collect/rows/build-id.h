/* Build ids of ELF files. */
#pragma once

/* Returns the build id that the linker gave an ELF file, in hexadecimal; "" if it has none. The caller frees it. */
char *xtf_collect_build_id(const char *path);
