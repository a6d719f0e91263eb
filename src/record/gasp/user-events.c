/*
 * Events of the program, which it creates by pupc_create_event(). A START and an END are a call of a region with the
 * event's name. An event without duration is a call that ends when it begins. Its arguments become attributes of the
 * ENTER.
 *
 * The description of an event is a format of printf(). This file reads the types of the arguments from it, and formats
 * nothing. So a format that does not fit its arguments does no harm.
 */
#include <stdlib.h>
#include <string.h>

#include "src/record/gasp/context.h"

#define EXPORT __attribute__((visibility("default")))

enum { ATTRIBUTES_MAX = 4 };

EXPORT unsigned int gasp_create_event(gasp_context_t context, const char *name, const char *description)
{
    unsigned first = xtf_gasp_user_first(context->dialect);
    uint32_t n = context->n_user_events;

    if (!context->records || n == XTF_GASP_USER_EVENTS)
        return xtf_gasp_user_last(context->dialect); /* this number is never assigned */
    context->user_events[n].region =
        xtf_regions_named(name ? name : "user event", "", 0, XTF_REGIONS_ROLE_CODE, XTF_REGIONS_PARADIGM_USER);
    context->user_events[n].description = strdup(description ? description : "");
    context->n_user_events++;
    return first + n;
}

/* Skips the flags, width and precision of a conversion. Returns NULL if they are arguments themselves. */
static const char *skip_layout(const char *at)
{
    at += strspn(at, "-+ #0123456789.'");
    return *at == '*' ? NULL : at;
}

/* Reads the next argument by its conversion, and moves *at behind that. Returns false if the conversion is unknown, so
 * that no further argument can be read. *attribute: XTF_WIRE_N_ATTRIBUTES for an argument that is no number. */
static bool read_conversion(const char **at, va_list *arguments, uint32_t *attribute, uint64_t *value)
{
    const char *conversion = skip_layout(*at);
    size_t n_long = conversion ? strspn(conversion, "lzjt") : 0;

    if (!conversion)
        return false;
    conversion += n_long > 0 ? n_long : strspn(conversion, "h");
    *at = conversion + 1;
    if (*conversion && strchr("dic", *conversion)) {
        *attribute = XTF_WIRE_ATTRIBUTE_INTEGER;
        *value = n_long > 0 ? (uint64_t)va_arg(*arguments, long) : (uint64_t)va_arg(*arguments, int);
    } else if (*conversion && strchr("uxXo", *conversion)) {
        *attribute = XTF_WIRE_ATTRIBUTE_UNSIGNED;
        *value = n_long > 0 ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
    } else if (*conversion && strchr("eEfFgG", *conversion)) {
        *attribute = XTF_WIRE_ATTRIBUTE_DOUBLE;
        double number = va_arg(*arguments, double);
        memcpy(value, &number, sizeof number);
    } else if (*conversion == 's' || *conversion == 'p') {
        *attribute = XTF_WIRE_N_ATTRIBUTES;
        va_arg(*arguments, const void *);
    } else {
        return false;
    }
    return true;
}

static void record_arguments(XtfRing *ring, uint64_t time, const char *description, va_list *arguments)
{
    const char *at = description;
    uint32_t attribute;
    uint64_t value;

    for (uint32_t n = 0; n < ATTRIBUTES_MAX && (at = strchr(at, '%')); n++) {
        at++;
        if (*at == '%') {
            at++;
            n--;
            continue;
        }
        if (!read_conversion(&at, arguments, &attribute, &value))
            return;
        if (attribute < XTF_WIRE_N_ATTRIBUTES)
            xtf_gasp_attribute(ring, time, attribute + n, value);
    }
}

static void start_event(const XtfGaspUserEvent *event, va_list *arguments)
{
    XtfRing *ring = xtf_regions_begin();

    if (!ring)
        return;
    uint64_t time = xtf_regions_enter(ring, event->region);
    if (time > 0 && !xtf_core_is_off(ring) && event->description)
        record_arguments(ring, time, event->description, arguments);
    xtf_core_end();
}

static void end_event(const XtfGaspUserEvent *event)
{
    XtfRing *ring = xtf_regions_begin_end();

    if (!ring)
        return;
    xtf_regions_leave(ring, event->region);
    xtf_core_end();
}

void xtf_gasp_user_event(XtfGaspContext *context, uint32_t n, gasp_evttype_t type, va_list arguments)
{
    const XtfGaspUserEvent *event = &context->user_events[n];
    va_list copy;

    if (event->region == XTF_REGIONS_NONE)
        return;
    va_copy(copy, arguments);
    if (type != GASP_END)
        start_event(event, &copy);
    if (type != GASP_START)
        end_event(event);
    va_end(copy);
}
