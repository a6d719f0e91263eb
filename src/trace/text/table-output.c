#include "src/trace/text/table-output.h"

void xtf_table_output_init_text(XtfTableOutput *output)
{
    *output = (XtfTableOutput){.text = g_string_new(NULL)};
}

void xtf_table_output_init_rows(XtfTableOutput *output)
{
    *output = (XtfTableOutput){0};
}

void xtf_table_output_finish(XtfTableOutput *output)
{
    if (output->text)
        g_string_free(g_steal_pointer(&output->text), TRUE);
    xtf_rows_finish(&output->rows);
}

XtfLines *xtf_table_output_begin(XtfTableOutput *output, const XtfTimeScale *scale)
{
    if (output->text) {
        xtf_lines_init(&output->lines, &output->grid, scale, output->text);
    } else {
        xtf_rows_init(&output->rows, output->grid.n);
        xtf_lines_init_rows(&output->lines, &output->grid, scale, &output->rows);
    }
    xtf_lines_header(&output->lines);
    return &output->lines;
}
