#include "src/tree/entries/collective-entries.h"

#include "src/tree/entries/call-entries.h"

static const char *const names[] = {"first", "last", "root", "members", NULL};

bool xtf_collective_entry_has(const char *name)
{
    return g_strv_contains(names, name);
}

static bool identify_member(XtfNode *directory, uint32_t location, uint64_t row, XtfCollectiveId *id, bool *found,
                            GError **error)
{
    return xtf_collectives_identify(&directory->tree->collectives, location, row, id, found, error);
}

/* Finds the operation that a record is part of, if any. */
static bool find_operation(XtfNode *directory, const XtfSpan *span, XtfCollectiveId *id, bool *found, GError **error)
{
    const XtfSchema *schema = directory->tree->collectives.types.schema;

    *found = false;
    return !schema || span->array.schema->id != schema->id ||
           identify_member(directory, span->tag, span->lo, id, found, error);
}

/* ---- members */

static bool identify_operation(XtfNode *file, XtfCollectiveId *id, GError **error)
{
    bool found;
    return identify_member(file, (uint32_t)file->member.location, file->member.row, id, &found, error) &&
           (found || xtf_no_such("members", error) != NULL);
}

static bool members_size(XtfNode *file, uint64_t *size, GError **error)
{
    XtfCollectiveId id;
    return identify_operation(file, &id, error) && xtf_members_size(&file->tree->collectives, &id, size, error);
}

static bool clocks_contradict(XtfNode *file)
{
    return xtf_clock_check_verdict(&file->tree->clocks) == XTF_CLOCKS_CONTRADICT;
}

static bool members_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    XtfCollectiveId id;
    return identify_operation(file, &id, error) &&
           xtf_members_read(&file->tree->collectives, &id, clocks_contradict(file), offset, buffer, length, error);
}

static bool members_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    XtfCollectiveId id;
    return identify_operation(file, &id, error) &&
           xtf_members_rows(&file->tree->collectives, &id, clocks_contradict(file), sink, error);
}

/* Makes `members`. Records of other members may follow while the trace grows. */
static XtfNode *new_members_file(XtfNode *directory, const XtfSpan *span, GError **error)
{
    static const XtfNodeClass members_file = {.kind = XTF_NODE_FILE,
                                              .size = members_size,
                                              .read = members_read,
                                              .rows = members_rows,
                                              .same_by_size_if_final = xtf_node_never_same_by_size};
    XtfNode *node = xtf_node_new(directory, &members_file);

    node->member.location = span->tag;
    node->member.row = span->lo;
    return xtf_node_with_size(node, error);
}

/* ---- Links. */

/* Finds the path that a link leads to. *target is NULL if there is none. */
static bool find_link_target(XtfNode *directory, const XtfCollectiveId *id, XtfMemberLink link, char **target,
                             GError **error)
{
    XtfCollectives *collectives = &directory->tree->collectives;
    uint32_t location;
    uint64_t row;
    bool found;

    *target = NULL;
    return xtf_members_link(collectives, id, link, &location, &row, &found, error) &&
           (!found ||
            xtf_location_path(directory, location, collectives->context->type_names[collectives->types.schema->id], row,
                              target, error));
}

XtfNode *xtf_collective_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error)
{
    XtfCollectiveId id;
    char *target;
    bool found;

    if (!find_operation(directory, span, &id, &found, error))
        return NULL;
    if (!found)
        return xtf_no_such(name, error);
    if (g_str_equal(name, "members"))
        return new_members_file(directory, span, error);
    for (unsigned link = 0; link < XTF_N_MEMBER_LINKS; link++) {
        if (!g_str_equal(name, names[link]))
            continue;
        if (!find_link_target(directory, &id, (XtfMemberLink)link, &target, error))
            return NULL;
        return target ? xtf_node_new_link(directory, target) : xtf_no_such(name, error);
    }
    return xtf_no_such(name, error);
}

bool xtf_collective_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error)
{
    XtfCollectiveId id;
    bool found;

    if (!find_operation(directory, span, &id, &found, error))
        return false;
    for (unsigned link = 0; found && link < XTF_N_MEMBER_LINKS; link++) {
        g_autofree char *target = NULL;
        if (!find_link_target(directory, &id, (XtfMemberLink)link, &target, error))
            return false;
        if (target)
            xtf_lister_show(lister, names[link], XTF_NODE_LINK);
    }
    if (found)
        xtf_lister_show(lister, "members", XTF_NODE_FILE);
    return true;
}
