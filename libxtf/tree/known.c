/*
 * Features of a file that this version does not know. FORMAT.md, section 2, defines the consequences.
 */
#include "libxtf/disk/format.h"
#include "libxtf/tree/trace-private.h"

static bool is_version_known(const XtfTraceInfo *info, GError **error)
{
    return info->version_minor <= XTF_VERSION_MINOR ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "the file has format %u.%u; this program writes formats up to %d.%d and would lose newer content",
                    info->version_major, info->version_minor, XTF_VERSION_MAJOR, XTF_VERSION_MINOR);
}

bool xtf_trace_is_supported(const XtfTrace *trace, GError **error)
{
    const XtfSuperblock *superblock = &trace->superblock;
    uint64_t unknown = superblock->read_only | superblock->compatible; /* no such feature is defined yet */

    if (!is_version_known(&superblock->info, error))
        return false;
    if (unknown != 0)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file has unknown features that this program would lose (bits 0x%" PRIx64 ")", unknown);
    if (trace->catalog.has_unknown)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the file has an unknown section that this program would lose");
    for (uint32_t i = 0; i < trace->catalog.n_schemas; i++)
        if (!xtf_schema_is_supported(trace->catalog.schemas[i], error))
            return false;
    return true;
}
