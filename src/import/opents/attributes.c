#include "src/import/opents/attributes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "src/model/schemas.h"

const char *const xtf_opents_elements[XTF_OPENTS_N_ELEMENTS] = {
    [XTF_OPENTS_TRACE] = "trace",       [XTF_OPENTS_SLICE] = "slice", [XTF_OPENTS_RANK] = "rank",
    [XTF_OPENTS_RESOURCE] = "resource", [XTF_OPENTS_TASK] = "task",   [XTF_OPENTS_DETAIL] = "detail",
    [XTF_OPENTS_MESSAGE] = "message",   [XTF_OPENTS_EXTRA] = "extra",
};

static const char *const known_attributes[XTF_OPENTS_N_ELEMENTS][XTF_ATTRIBUTES_MAX] = {
    [XTF_OPENTS_TRACE] = {"ranks", "cmd", "time"},
    [XTF_OPENTS_SLICE] = {"num", "time"},
    [XTF_OPENTS_RANK] = {"num"},
    [XTF_OPENTS_RESOURCE] = {"mbytes", "mflops", "tasks", "idle", "sched", "mpi"},
    [XTF_OPENTS_TASK] = {"type", "count"},
    [XTF_OPENTS_DETAIL] = {"count", "to", "from"},
    [XTF_OPENTS_MESSAGE] = {"sbytes", "scount", "rbytes", "rcount"},
    [XTF_OPENTS_EXTRA] = {"sbytes", "scount", "rbytes", "rcount", "type"},
};

bool xtf_attributes_fault(XtfAttributes *attributes, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_free(attributes->fault);
    attributes->fault = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return false;
}

/* Returns the index of an attribute; -1: it is unknown. The search begins at `likely`, since files keep to an order. */
static int index_of(XtfOpentsElement element, const char *name, unsigned likely)
{
    for (unsigned i = 0; i < XTF_ATTRIBUTES_MAX; i++) {
        unsigned at = (likely + i) % XTF_ATTRIBUTES_MAX;
        if (known_attributes[element][at] && strcmp(known_attributes[element][at], name) == 0)
            return (int)at;
    }
    return -1;
}

bool xtf_attributes_is_known(XtfOpentsElement element, const char *name)
{
    return index_of(element, name, 0) >= 0;
}

bool xtf_attributes_store(XtfAttributes *attributes, const char **names, const char **values)
{
    unsigned likely = 0;

    for (; *names; names++, values++) {
        int i = index_of(attributes->element, *names, likely);
        if (i < 0) {
            attributes->unknown++;
            continue;
        }
        if (attributes->values[i])
            return xtf_attributes_fault(attributes, "<%s> has the attribute \"%s\" twice",
                                        xtf_opents_elements[attributes->element], *names);
        attributes->values[i] = *values;
        likely = (unsigned)i + 1;
    }
    return true;
}

bool xtf_attributes_require(XtfAttributes *attributes, unsigned attribute)
{
    return attributes->values[attribute] ||
           xtf_attributes_fault(attributes, "<%s> has no attribute \"%s\"", xtf_opents_elements[attributes->element],
                                known_attributes[attributes->element][attribute]);
}

static bool fail_to_read(XtfAttributes *attributes, unsigned attribute)
{
    const char *text = attributes->values[attribute];

    return xtf_attributes_fault(attributes, "%s=\"%.40s\" of <%s> is %s",
                                known_attributes[attributes->element][attribute], text,
                                xtf_opents_elements[attributes->element],
                                text[0] == '-'             ? "negative, or no number"
                                : g_ascii_isdigit(text[0]) ? "no number, or too large a one"
                                                           : "no number");
}

bool xtf_attributes_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n)
{
    const char *text = attributes->values[attribute];

    return xtf_attributes_require(attributes, attribute) &&
           (xtf_opents_read_count(text, n) || fail_to_read(attributes, attribute));
}

bool xtf_attributes_optional_count(XtfAttributes *attributes, unsigned attribute, uint64_t *n)
{
    *n = XTF_NONE64;
    return !attributes->values[attribute] || xtf_attributes_count(attributes, attribute, n);
}

bool xtf_attributes_time(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, bool required,
                         uint64_t *ticks)
{
    const char *text = attributes->values[attribute];
    XtfDecimal decimal;
    bool rounded;

    *ticks = XTF_NONE64;
    if (!text)
        return !required || xtf_attributes_require(attributes, attribute);
    if (!xtf_opents_read_decimal(text, &decimal) || !xtf_opents_ticks(&decimal, ticks, &rounded))
        return fail_to_read(attributes, attribute);
    attributes->rounded += rounded;
    xtf_notation_note(attributes->notation, kind, &decimal);
    return true;
}

bool xtf_attributes_real(XtfAttributes *attributes, unsigned attribute, XtfDecimalAttribute kind, double *value)
{
    const char *text = attributes->values[attribute];
    const uint64_t none = XTF_NONE64;
    XtfDecimal decimal;

    memcpy(value, &none, sizeof none);
    if (!text)
        return true;
    if (!xtf_opents_read_decimal(text, &decimal) || !xtf_opents_real(&decimal, text, value))
        return fail_to_read(attributes, attribute);
    decimal.unusual |= decimal.digits >= XTF_NOTATION_DIGITS_OF_REALS;
    xtf_notation_note(attributes->notation, kind, &decimal);
    return true;
}
