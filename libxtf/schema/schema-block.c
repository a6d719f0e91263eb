#include "libxtf/schema/schema-block.h"

static char empty[1]; /* the string of no bytes */

XtfSchemaBlock xtf_schema_block_new(uint32_t n_fields, size_t n_labels, size_t text_bytes)
{
    size_t fields = n_fields * sizeof(XtfField), labels = n_labels * sizeof(char *);
    XtfSchema *schema = g_malloc(sizeof *schema + fields + labels + text_bytes);

    memset(schema, 0, sizeof *schema + fields + labels);
    schema->fields = (XtfField *)(void *)(schema + 1);
    char **first_label = (char **)(void *)(schema->fields + n_fields);
    return (XtfSchemaBlock){.schema = schema, .labels = first_label, .text = (char *)(first_label + n_labels)};
}

char *xtf_schema_block_text(XtfSchemaBlock *block, const char *text, size_t length)
{
    if (length == 0)
        return empty;
    char *added = block->text;
    memcpy(added, text, length);
    added[length] = '\0';
    block->text += length + 1;
    return added;
}

char **xtf_schema_block_labels(XtfSchemaBlock *block, uint32_t n)
{
    char **labels = block->labels;

    block->labels += n + 1;
    return labels;
}
