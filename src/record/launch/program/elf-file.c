#include "src/record/launch/program/elf-file.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "libxtf/error.h"

typedef ElfW(Ehdr) Header;
typedef ElfW(Phdr) Segment;
typedef ElfW(Shdr) Section;
typedef ElfW(Dyn) Dynamic;
typedef ElfW(Sym) Symbol;

#if __SIZEOF_POINTER__ == 8
#define OWN_CLASS ELFCLASS64
#else
#define OWN_CLASS ELFCLASS32
#endif
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    Header header;
} File;

/* Returns the bytes at an offset; NULL if they are not all in the file. */
static const uint8_t *bytes_at(const File *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static bool set_outside_error(const File *file, const char *table_name, GError **error)
{
    return xtf_damaged(error, "%s: its %s lie outside of the file", file->name, table_name);
}

/* Returns the ELF machine number of this program, read from its own file. */
static unsigned own_machine(void)
{
    static gsize machine;

    if (g_once_init_enter(&machine)) {
        g_autoptr(GMappedFile) self = g_mapped_file_new("/proc/self/exe", FALSE, NULL);
        Header header = {0};
        if (self && g_mapped_file_get_length(self) >= sizeof header)
            memcpy(&header, g_mapped_file_get_contents(self), sizeof header);
        g_once_init_leave(&machine, 1 + (gsize)header.e_machine);
    }
    return (unsigned)(machine - 1);
}

/* Returns segment i, which must be in the file. */
static Segment segment_at(const File *file, unsigned i)
{
    Segment segment;

    memcpy(&segment, file->bytes + file->header.e_phoff + (uint64_t)i * sizeof segment, sizeof segment);
    return segment;
}

/* Finds the offset in the file of a memory address, and the bytes from there on. Returns false if there is none. */
static bool offset_of(const File *file, uint64_t address, uint64_t *offset, uint64_t *size)
{
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Segment segment = segment_at(file, i);
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz &&
            segment.p_offset <= file->size) {
            *offset = segment.p_offset + (address - segment.p_vaddr);
            *size =
                MIN(segment.p_filesz - (address - segment.p_vaddr), *offset <= file->size ? file->size - *offset : 0);
            return true;
        }
    }
    return false;
}

typedef struct {
    const uint8_t *entries;
    size_t n_entries;
    const char *strings;
    size_t strings_size;
} DynamicTable;

static Dynamic dynamic_at(const DynamicTable *table, size_t i)
{
    Dynamic entry;

    memcpy(&entry, table->entries + i * sizeof entry, sizeof entry);
    return entry;
}

/* Returns a string of the table; NULL if the offset is invalid. */
static const char *string_at(const DynamicTable *table, uint64_t offset)
{
    if (offset >= table->strings_size || !memchr(table->strings + offset, '\0', table->strings_size - offset))
        return NULL;
    return table->strings + offset;
}

static bool find_strings(const File *file, DynamicTable *table, GError **error)
{
    uint64_t address = 0, size = 0, offset, available;

    for (size_t i = 0; i < table->n_entries; i++) {
        Dynamic entry = dynamic_at(table, i);
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ)
            size = entry.d_un.d_val;
    }
    if (!offset_of(file, address, &offset, &available) || size > available)
        return set_outside_error(file, "names", error);
    table->strings = (const char *)file->bytes + offset;
    table->strings_size = size;
    return true;
}

static bool read_dynamic(const File *file, const Segment *segment, XtfElf *elf, GError **error)
{
    DynamicTable table = {.entries = bytes_at(file, segment->p_offset, segment->p_filesz),
                          .n_entries = segment->p_filesz / sizeof(Dynamic)};

    if (!table.entries)
        return set_outside_error(file, "dynamic entries", error);
    if (!find_strings(file, &table, error))
        return false;
    for (size_t i = 0; i < table.n_entries; i++) {
        Dynamic entry = dynamic_at(&table, i);
        bool path = entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !elf->path);
        if (entry.d_tag == DT_NULL)
            break;
        if (!path && entry.d_tag != DT_NEEDED)
            continue;
        const char *text = string_at(&table, entry.d_un.d_val);
        if (!text)
            return set_outside_error(file, "names", error);
        if (path) {
            g_free(elf->path);
            elf->path = g_strdup(text);
            elf->old_path = entry.d_tag == DT_RPATH;
        } else {
            g_ptr_array_add(elf->needed, g_strdup(text));
        }
    }
    return true;
}

static bool read_segments(const File *file, XtfElf *elf, GError **error)
{
    bool interpreter = false, dynamic = false;

    if (file->header.e_phentsize != sizeof(Segment) ||
        !bytes_at(file, file->header.e_phoff, (uint64_t)file->header.e_phnum * sizeof(Segment)))
        return set_outside_error(file, "segments", error);
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Segment segment = segment_at(file, i);
        interpreter |= segment.p_type == PT_INTERP;
        if (segment.p_type != PT_DYNAMIC || dynamic)
            continue;
        dynamic = true;
        if (!read_dynamic(file, &segment, elf, error))
            return false;
    }
    elf->is_static = !interpreter;
    return true;
}

/* True if a symbol table defines the function MPI_Init. Tables outside of the file count as empty. */
static bool defines_init(const File *file, const Section *symbols, const Section *names)
{
    const uint8_t *entries = bytes_at(file, symbols->sh_offset, symbols->sh_size);
    const char *text = (const char *)bytes_at(file, names->sh_offset, names->sh_size);

    for (uint64_t i = 0; entries && text && i < symbols->sh_size / sizeof(Symbol); i++) {
        static const char wanted[] = "MPI_Init";
        Symbol symbol;
        memcpy(&symbol, entries + i * sizeof symbol, sizeof symbol);
        if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            symbol.st_name < names->sh_size && names->sh_size - symbol.st_name >= sizeof wanted &&
            memcmp(text + symbol.st_name, wanted, sizeof wanted) == 0)
            return true;
    }
    return false;
}

/* Reads the symbol tables. Missing sections are no error: the dynamic linker does not need them. */
static void read_sections(const File *file, XtfElf *elf)
{
    const Header *header = &file->header;
    const uint8_t *table = bytes_at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Section));

    if (!table || header->e_shentsize != sizeof(Section))
        return;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Section section, names;
        memcpy(&section, table + (size_t)i * sizeof section, sizeof section);
        if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || section.sh_link >= header->e_shnum)
            continue;
        memcpy(&names, table + (size_t)section.sh_link * sizeof names, sizeof names);
        elf->defines_init |= defines_init(file, &section, &names);
    }
}

static bool read_file(File *file, bool *is_elf, XtfElf *elf, GError **error)
{
    const unsigned char *ident = file->header.e_ident;

    *is_elf = file->size >= EI_NIDENT && memcmp(file->bytes, ELFMAG, SELFMAG) == 0;
    if (!*is_elf)
        return true;
    memcpy(&file->header, file->bytes, MIN(sizeof file->header, file->size));
    elf->foreign = ident[EI_CLASS] != OWN_CLASS || ident[EI_DATA] != OWN_ORDER ||
                   (own_machine() && file->header.e_machine != own_machine());
    if (elf->foreign)
        return true;
    if (file->size < sizeof file->header)
        return xtf_damaged(error, "%s: it ends within its ELF header", file->name);
    if (!read_segments(file, elf, error))
        return false;
    read_sections(file, elf);
    return true;
}

bool xtf_elf_read(const char *path, bool *is_elf, XtfElf *elf, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(GMappedFile) mapped = g_mapped_file_new(path, FALSE, &reason);
    g_auto(XtfElf) result = {.needed = g_ptr_array_new_with_free_func(g_free)};
    bool has_elf_head;

    if (!mapped)
        return xtf_fail(error, XTF_ERROR_IO, "%s", reason->message);
    File file = {.name = path,
                 .bytes = (const uint8_t *)g_mapped_file_get_contents(mapped),
                 .size = g_mapped_file_get_length(mapped)};
    if (!read_file(&file, &has_elf_head, &result, error))
        return false;
    *is_elf = has_elf_head;
    *elf = result;
    result = (XtfElf){0};
    return true;
}

void xtf_elf_finish(XtfElf *elf)
{
    g_clear_pointer(&elf->needed, g_ptr_array_unref);
    g_clear_pointer(&elf->path, g_free);
}
