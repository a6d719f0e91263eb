/*
 * Numbers the rows of a part.
 *
 * The identity of a row may include references to other rows, which must be numbered first. An explicit stack does that
 * instead of recursion, because chains of references, such as call paths, may be long. Rows that refer to themselves,
 * even indirectly, are joined with no other row.
 */
#include "libxtf/merge/join-private.h"

static XtfPartTable *part_table(const XtfPartJoin *part, const char *name)
{
    const XtfJoinedTable *table = xtf_join_find_table(part->join, name);
    XtfPartTable *of_part = table ? &part->tables[table->schema->id] : NULL;

    return of_part && of_part->to ? of_part : NULL;
}

static bool append_row(XtfPartJoin *part, XtfPartTable *table, uint32_t row, uint32_t *whole, GError **error)
{
    XtfJoinedTable *to = table->to;
    uint32_t row_size = to->schema->row_size;

    if ((uint64_t)to->rows->len + row_size > XTF_TABLE_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "table \"%s\": the rows of all parts exceed the limit of a file",
                        to->schema->name);
    *whole = to->n_rows++;
    g_byte_array_append(to->rows, xtf_part_row(table, row), row_size);
    g_array_append_val(to->last_part, part->join->n_parts);
    g_array_append_val(part->joined, ((XtfJoinedRow){.table = table, .row = row, .whole = *whole, .first = true}));
    return true;
}

/* ---- Identities of rows. */

static bool identifies(const XtfSchema *schema, const XtfReference *reference)
{
    return schema->fields[reference->field].flags & XTF_FIELD_IDENTIFIES;
}

/* Finds the row of the part that a reference leads to. Returns its table, or NULL if there is no such row. */
static XtfPartTable *find_target(const XtfPartJoin *part, const XtfReference *reference, const XtfSchema *schema,
                                 const uint8_t *row, uint32_t *number)
{
    XtfPartTable *target =
        reference->table && xtf_reference_holds(reference, schema, row) ? part_table(part, reference->table) : NULL;
    uint64_t value = xtf_field_get(&schema->fields[reference->field], row);

    *number = (uint32_t)value;
    return target && value < target->n ? target : NULL;
}

/* Finds a row that must be numbered before this one. Returns its table, or NULL if there is none. */
static XtfPartTable *find_needed(const XtfPartJoin *part, const XtfPartTable *table, uint32_t row, uint32_t *needed)
{
    const XtfSchema *schema = table->to->schema;

    for (guint i = 0; i < table->to->references->len; i++) {
        const XtfReference *reference = xtf_reference_at(table->to->references, i);
        XtfPartTable *target = identifies(schema, reference)
                                   ? find_target(part, reference, schema, xtf_part_row(table, row), needed)
                                   : NULL;
        if (target && target->rows[*needed] == XTF_ROW_UNKNOWN)
            return target;
    }
    return NULL;
}

/* Appends a field's contribution to the identity: its value in the whole. Sets *good to false if the row leads to
 * itself. */
static bool add_identity_field(const XtfPartJoin *part, const XtfPartTable *table, uint32_t row, uint32_t f,
                               GByteArray *identity, bool *good, GError **error)
{
    const XtfSchema *schema = table->to->schema;
    const uint8_t *at = xtf_part_row(table, row);
    uint64_t value = xtf_field_get(&schema->fields[f], at);
    uint8_t kind = xtf_field_is_none(&schema->fields[f], at) ? 'n' : 'v';

    for (guint i = 0; i < table->to->references->len; i++) {
        const XtfReference *reference = xtf_reference_at(table->to->references, i);
        uint32_t whole;
        if (reference->field != f || !xtf_reference_holds(reference, schema, at))
            continue;
        if (!reference->table) {
            if (!xtf_part_join_string(part, value, &whole, error))
                return false;
            kind = 's';
            value = whole;
            continue;
        }
        const XtfPartTable *target = find_target(part, reference, schema, at, &whole);
        if (!target)
            continue;
        *good &= target->rows[whole] < XTF_ROW_BUSY;
        kind = 'r';
        value = target->rows[whole];
    }
    g_byte_array_append(identity, &kind, sizeof kind);
    g_byte_array_append(identity, (const guint8 *)&value, sizeof value);
    return true;
}

/* ---- Numbers. */

/* Numbers a row: finds the row of the whole with its identity, or appends a new one. */
static bool number_row(XtfPartJoin *part, XtfPartTable *table, uint32_t row, GError **error)
{
    XtfJoinedTable *to = table->to;
    g_autoptr(GByteArray) identity = g_byte_array_new();
    bool good = to->numbers && !to->is_list;

    for (uint32_t f = 0; good && f < to->schema->n_fields; f++)
        if (to->schema->fields[f].flags & XTF_FIELD_IDENTIFIES &&
            !add_identity_field(part, table, row, f, identity, &good, error))
            return false;
    if (!good)
        return append_row(part, table, row, &table->rows[row], error);

    g_autoptr(GBytes) key = g_bytes_new(identity->data, identity->len);
    uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(to->numbers, key));
    if (known > 0 && g_array_index(to->last_part, uint32_t, known - 1) != part->join->n_parts) {
        table->rows[row] = known - 1;
        g_array_index(to->last_part, uint32_t, known - 1) = part->join->n_parts;
        g_array_append_val(part->joined, ((XtfJoinedRow){.table = table, .row = row, .whole = known - 1}));
        return true;
    }
    if (!append_row(part, table, row, &table->rows[row], error))
        return false;
    if (known == 0)
        g_hash_table_insert(to->numbers, g_steal_pointer(&key), GUINT_TO_POINTER(table->rows[row] + 1));
    return true;
}

typedef struct {
    XtfPartTable *table;
    uint32_t row;
} Pending;

/* Numbers a row, after the rows that its identity refers to. */
static bool number_with_needed(XtfPartJoin *part, XtfPartTable *table, uint32_t row, GArray *stack, GError **error)
{
    g_array_set_size(stack, 0);
    g_array_append_val(stack, ((Pending){table, row}));
    while (stack->len > 0) {
        Pending top = g_array_index(stack, Pending, stack->len - 1);
        uint32_t needed;
        if (top.table->rows[top.row] < XTF_ROW_BUSY) {
            g_array_set_size(stack, stack->len - 1);
            continue;
        }
        top.table->rows[top.row] = XTF_ROW_BUSY;
        XtfPartTable *before = find_needed(part, top.table, top.row, &needed);
        if (before)
            g_array_append_val(stack, ((Pending){before, needed}));
        else if (!number_row(part, top.table, top.row, error))
            return false;
    }
    return true;
}

/* ---- Lists. */

static bool is_run(const uint32_t *rows, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (rows[i] >= XTF_ROW_BUSY || rows[i] != rows[0] + i)
            return false;
    return true;
}

/* Copies the rows of a list to the whole, consecutively; *first gets the number of the first. */
static bool copy_list(XtfPartJoin *part, XtfPartTable *members, uint32_t from, uint32_t count, uint64_t *first,
                      GError **error)
{
    if (count > 0 && is_run(members->rows + from, count)) {
        *first = members->rows[from];
        return true;
    }
    *first = members->to->n_rows;
    for (uint32_t row = from; row < from + count; row++) {
        uint32_t whole;
        if (!append_row(part, members, row, &whole, error))
            return false;
        if (members->rows[row] >= XTF_ROW_BUSY)
            members->rows[row] = whole;
    }
    return true;
}

/* Maps the rows of a list that another part has already added, row by row. */
static void adopt_list(const XtfPartJoin *part, const XtfPartTable *members, uint32_t from, uint32_t count,
                       uint64_t first)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *last = &g_array_index(members->to->last_part, uint32_t, first + i);
        if (members->rows[from + i] < XTF_ROW_BUSY || *last == part->join->n_parts)
            continue;
        members->rows[from + i] = (uint32_t)first + i;
        *last = part->join->n_parts;
    }
}

static bool join_list(XtfPartJoin *part, const XtfPartTable *table, const XtfJoinedRow *joined, uint32_t f,
                      const XtfJoinedTable *of, GError **error)
{
    const XtfField *first_field = &table->to->schema->fields[f], *count_field = first_field + 1;
    XtfPartTable *members = &part->tables[of->schema->id];
    const uint8_t *from = xtf_part_row(table, joined->row);
    uint8_t *to = xtf_joined_at(table->to, joined->whole);
    uint64_t first = xtf_field_get(first_field, from), count = xtf_field_get(count_field, from);
    uint64_t known = joined->first ? 0 : xtf_field_get(count_field, to);
    uint64_t n = members->to ? members->n : 0, whole = of->n_rows;

    if (first > n || count > n - first)
        count = 0; /* it lists rows that do not exist */
    if (known > 0 || (count == 0 && !joined->first)) {
        if (known == count && count > 0)
            adopt_list(part, members, (uint32_t)first, (uint32_t)count, xtf_field_get(first_field, to));
        return true;
    }
    if (count > 0 && !copy_list(part, members, (uint32_t)first, (uint32_t)count, &whole, error))
        return false;
    xtf_field_set(first_field, to, whole);
    xtf_field_set(count_field, to, count);
    return true;
}

static bool join_lists(XtfPartJoin *part, GError **error)
{
    for (guint i = 0, n = part->joined->len; i < n;
         i++) { /* the loop appends rows of lists, which have no lists, behind the first n */
        XtfJoinedRow joined = g_array_index(part->joined, XtfJoinedRow, i);
        const XtfSchema *schema = joined.table->to->schema;
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            const XtfJoinedTable *of = xtf_join_list(part->join, schema, f);
            if (of && !join_list(part, joined.table, &joined, f, of, error))
                return false;
        }
    }
    return true;
}

static bool number_tables(XtfPartJoin *part, bool lists, GError **error)
{
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Pending));

    for (guint id = 0; id < part->join->schemas->len; id++) {
        XtfPartTable *table = &part->tables[id];
        if (!table->to || table->to->is_list != lists)
            continue;
        for (uint32_t row = 0; row < table->n; row++)
            if (!number_with_needed(part, table, row, stack, error))
                return false;
    }
    return true;
}

bool xtf_part_join_rows(XtfPartJoin *part, GError **error)
{
    return number_tables(part, false, error) && join_lists(part, error) && number_tables(part, true, error);
}
