#include "src/import/definitions/source-order.h"

#include "src/model/schemas.h"

void xtf_source_order_init(XtfSourceOrder *order)
{
    *order = (XtfSourceOrder){
        .definitions = g_array_new(FALSE, FALSE, sizeof(XtfSourceDefinition)),
        .references = g_array_new(FALSE, FALSE, sizeof(XtfDefinitionReferenceRow)),
    };
}

void xtf_source_order_finish(XtfSourceOrder *order)
{
    g_array_unref(order->definitions);
    g_array_unref(order->references);
    g_clear_pointer(&order->numbers, g_hash_table_unref);
    g_clear_pointer(&order->texts, g_hash_table_unref);
    g_free(order->region_ids);
}

void xtf_source_order_add(XtfSourceOrder *order, unsigned table, uint32_t row)
{
    const XtfSourceDefinition definition = {table, row};
    g_array_append_val(order->definitions, definition);
}

void xtf_source_order_move(XtfSourceOrder *order, unsigned table, const uint32_t *moved)
{
    guint kept = 0;

    for (guint i = 0; i < order->definitions->len; i++) {
        XtfSourceDefinition definition = g_array_index(order->definitions, XtfSourceDefinition, i);
        if (definition.table == table)
            definition.row = moved[definition.row];
        if (definition.table != table || definition.row != XTF_NONE32)
            g_array_index(order->definitions, XtfSourceDefinition, kept++) = definition;
    }
    g_array_set_size(order->definitions, kept);
}
