/*
 * Unwind information of loaded object files: the section .eh_frame, found by its sorted index .eh_frame_hdr (Linux
 * Standard Base, 10.6; System V ABI for AMD64).
 *
 * Linkers make the index of offsets with 32 bits. Other indices are not read: their functions have no rule.
 */
#include <link.h>
#include <stddef.h>

#include "src/record/stack/frame-program.h"
#include "src/record/stack/rule.h"

#ifdef __x86_64__

/* Codes of addresses. */
enum {
    CODE_SIZE = 0x0f,
    CODE_LEB = 0x01,
    CODE_TWO_BYTES = 0x02,
    CODE_FOUR_BYTES = 0x03,
    CODE_EIGHT_BYTES = 0x04,
    CODE_SIGNED = 0x08,
    CODE_BASE = 0x70,
    CODE_FROM_PLACE = 0x10,
    CODE_FROM_INDEX = 0x30,
    CODE_INDIRECT = 0x80,
    CODE_NONE = 0xff,
    CODE_OF_INDEX = CODE_FROM_INDEX | CODE_SIGNED | CODE_FOUR_BYTES,
};

enum { INDEX_VERSION = 1, CIE_VERSIONS = 1 << 1 | 1 << 3 };

typedef struct {
    uintptr_t address;
    XtfStackRule rule;
} Search;

/* A function in the index. Both numbers count from the start of the index. */
typedef struct {
    int32_t begin, description;
} Entry;

/* Returns the memory of an object file from an address to the end of its segment. */
static XtfStackBytes segment_from(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && address - begin < segment->p_filesz)
            return (XtfStackBytes){.at = (const uint8_t *)address, .end = (const uint8_t *)begin + segment->p_filesz};
    }
    return (XtfStackBytes){.bad = true};
}

static uint64_t read_number(XtfStackBytes *bytes, unsigned code)
{
    unsigned size = code & (CODE_SIZE & ~CODE_SIGNED);

    if (size == CODE_LEB)
        return xtf_stack_read_leb(bytes, code & CODE_SIGNED);
    if (size > CODE_EIGHT_BYTES) {
        bytes->bad = true;
        return 0;
    }
    unsigned length = size == 0 ? 8 : 1u << (size - 1);
    return code & CODE_SIGNED ? (uint64_t)xtf_stack_read_signed(bytes, length) : xtf_stack_read(bytes, length);
}

/* Reads an address that counts from its own place, or is absolute. */
static uintptr_t read_address(XtfStackBytes *bytes, unsigned code)
{
    uintptr_t place = (uintptr_t)bytes->at;
    unsigned base = code & CODE_BASE;

    if (code & CODE_INDIRECT || (base != 0 && base != CODE_FROM_PLACE))
        bytes->bad = true;
    return read_number(bytes, code) + (base == CODE_FROM_PLACE ? place : 0);
}

/* Reads the length of an entry of .eh_frame, and returns its bytes after that. The last entry is empty. */
static XtfStackBytes read_entry(XtfStackBytes *bytes)
{
    uint64_t length = xtf_stack_read(bytes, 4);

    if (length == 0 || length >= 0xfffffff0)
        bytes->bad = true;
    return xtf_stack_part(bytes, length);
}

/* Properties of the functions that share a CIE. */
typedef struct {
    unsigned address_code;
    bool is_augmented; /* their descriptions have data before the instructions */
} Common;

/* Reads the data that the letters of the augmentation name. Returns false for a letter that is not known, and for
 * frames of signal handlers. */
static bool read_augmentation(XtfStackBytes *bytes, const char *letters, Common *common)
{
    XtfStackBytes data = xtf_stack_part(bytes, xtf_stack_read_leb(bytes, false));

    for (; *letters; letters++) {
        unsigned code;
        switch (*letters) {
        case 'R':
            common->address_code = (unsigned)xtf_stack_read(&data, 1);
            break;
        case 'L':
            xtf_stack_read(&data, 1);
            break;
        case 'P':
            code = (unsigned)xtf_stack_read(&data, 1);
            if (code != CODE_NONE)
                read_number(&data, code);
            break;
        default:
            return false;
        }
    }
    return !data.bad;
}

static bool read_common(XtfStackBytes bytes, XtfFrameProgram *program, Common *common)
{
    XtfStackBytes entry = read_entry(&bytes);
    bool is_cie = xtf_stack_read(&entry, 4) == 0;
    unsigned version = (unsigned)xtf_stack_read(&entry, 1) & 7;
    const char *letters = (const char *)entry.at;

    while (xtf_stack_read(&entry, 1) != 0) {
    }
    program->code_unit = xtf_stack_read_leb(&entry, false);
    program->data_unit = (int64_t)xtf_stack_read_leb(&entry, true);
    if (version == 1)
        xtf_stack_read(&entry, 1); /* the register of the return address */
    else
        xtf_stack_read_leb(&entry, false);
    if (entry.bad || !is_cie || !(1 << version & CIE_VERSIONS))
        return false;
    common->is_augmented = *letters == 'z';
    if (*letters && (!common->is_augmented || !read_augmentation(&entry, letters + 1, common)))
        return false;
    program->common = entry;
    return !entry.bad;
}

/* Returns the rule of an address by the description of its function (FDE). */
static XtfStackRule rule_by_description(const struct dl_phdr_info *info, uintptr_t description, uintptr_t address)
{
    const XtfStackRule unknown = xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0);
    XtfStackBytes bytes = segment_from(info, description), entry = read_entry(&bytes);
    uintptr_t place = (uintptr_t)entry.at, back = xtf_stack_read(&entry, 4);
    XtfFrameProgram program;
    Common common = {0};

    if (entry.bad || back == 0 || !read_common(segment_from(info, place - back), &program, &common))
        return unknown;
    program.begin = read_address(&entry, common.address_code);
    uintptr_t size = read_number(&entry, common.address_code & CODE_SIZE);
    if (common.is_augmented)
        xtf_stack_part(&entry, xtf_stack_read_leb(&entry, false));
    program.own = entry;
    if (entry.bad || address - program.begin >= size)
        return unknown;
    return xtf_frame_rule(&program, address);
}

/* Finds the last function of the index that begins at the address or before. Returns its description, or 0. */
static uintptr_t find_description(XtfStackBytes bytes, uintptr_t address)
{
    uintptr_t index = (uintptr_t)bytes.at;
    unsigned version = (unsigned)xtf_stack_read(&bytes, 1), frame_code = (unsigned)xtf_stack_read(&bytes, 1);
    unsigned count_code = (unsigned)xtf_stack_read(&bytes, 1), entry_code = (unsigned)xtf_stack_read(&bytes, 1);
    intptr_t wanted = (intptr_t)(address - index);

    read_number(&bytes, frame_code);
    uint64_t low = 0, high = read_number(&bytes, count_code);
    if (bytes.bad || version != INDEX_VERSION || entry_code != CODE_OF_INDEX ||
        high > (uintptr_t)(bytes.end - bytes.at) / sizeof(Entry) || (uintptr_t)bytes.at % _Alignof(Entry))
        return 0;
    const Entry *entries = (const Entry *)(const void *)bytes.at;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (entries[middle].begin <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? index + (uintptr_t)(intptr_t)entries[low - 1].description : 0;
}

/* Looks for the address in an object file, for dl_iterate_phdr(). */
static int look_into_object(struct dl_phdr_info *info, size_t size, void *data)
{
    Search *search = data;
    const ElfW(Phdr) *index = NULL;
    bool found = false;

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_GNU_EH_FRAME)
            index = segment;
        found |=
            segment->p_type == PT_LOAD && search->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
    }
    if (found && index) {
        uintptr_t description = find_description(segment_from(info, info->dlpi_addr + index->p_vaddr), search->address);
        if (description)
            search->rule = rule_by_description(info, description, search->address);
    }
    return found;
}

XtfStackRule xtf_stack_find_rule(uintptr_t address)
{
    /* The call is before its return address, perhaps at the end of the function. */
    Search search = {.address = address - 1, .rule = xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0)};

    dl_iterate_phdr(look_into_object, &search);
    return search.rule;
}

#else

XtfStackRule xtf_stack_find_rule(uintptr_t address)
{
    return xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0);
}

#endif
