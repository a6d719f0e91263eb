#include "src/record/collect/rows/build-id.h"

#include <elf.h>
#include <fcntl.h>
#include <glib.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    HEADERS_MAX = 128,
    NOTES_MAX = 1 << 16,
    ID_MAX = 64,
};

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static char *hexadecimal(const uint8_t *bytes, size_t n)
{
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < n; i++)
        g_string_append_printf(text, "%02x", bytes[i]);
    return g_string_free(text, FALSE);
}

/* Returns the build id among ELF notes; NULL if there is none. */
static char *find_id(const uint8_t *notes, size_t size)
{
    ElfW(Nhdr) note;

    for (size_t at = 0; size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3), id = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
        if (name + id > size - at)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
            note.n_descsz <= ID_MAX)
            return hexadecimal(notes + at + name, note.n_descsz);
        at += name + id;
    }
    return NULL;
}

char *xtf_collect_build_id(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) elf;
    char *id = NULL;

    if (fd < 0)
        return g_strdup("");
    if (read_at(fd, &elf, sizeof elf, 0) && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
        elf.e_phentsize == sizeof(ElfW(Phdr)))
        for (unsigned i = 0; i < MIN(elf.e_phnum, HEADERS_MAX) && !id; i++) {
            ElfW(Phdr) part;
            if (!read_at(fd, &part, sizeof part, elf.e_phoff + i * sizeof part) || part.p_type != PT_NOTE ||
                part.p_filesz > NOTES_MAX)
                continue;
            g_autofree uint8_t *notes = g_malloc(part.p_filesz + 1);
            if (read_at(fd, notes, part.p_filesz, part.p_offset))
                id = find_id(notes, part.p_filesz);
        }
    close(fd);
    return id ? id : g_strdup("");
}
