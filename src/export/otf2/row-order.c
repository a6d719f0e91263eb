#include <string.h>

#include "src/export/otf2/names.h"

/* Returns the field that refers to a row of the same table, such as a communicator's parent; NULL if there is none. */
static const XtfField *parent_field(unsigned tag)
{
    const XtfSchema *schema = xtf_model_schema(tag);

    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (strcmp(schema->fields[i].refers_to, schema->name) == 0)
            return &schema->fields[i];
    return NULL;
}

/* Adds row i after its ancestors. `added` has a byte for each row. A circle of parents is cut where it closes. */
static void add_with_ancestors(GArray *order, const XtfModelTable *table, const XtfField *field, uint64_t i,
                               uint8_t *added)
{
    g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof i);
    uint8_t buffer[XTF_ROW_MAX];

    for (; i < table->n && !added[i]; i = xtf_field_get(field, xtf_model_table_row(table, i, buffer))) {
        added[i] = true;
        g_array_append_val(chain, i);
    }
    for (guint k = chain->len; k > 0; k--)
        g_array_append_val(order, g_array_index(chain, uint64_t, k - 1));
}

uint64_t *xtf_otf2_row_order(const XtfModelTable *table, unsigned tag)
{
    const XtfField *field = parent_field(tag);

    if (!field || table->n == 0)
        return NULL;
    GArray *order = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autofree uint8_t *added = g_new0(uint8_t, table->n);
    for (uint64_t i = 0; i < table->n; i++)
        add_with_ancestors(order, table, field, i, added);
    return (uint64_t *)(void *)g_array_free(order, FALSE);
}
