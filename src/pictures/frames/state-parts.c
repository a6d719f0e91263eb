/* Functions that the parts of state.svg share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/pictures/frames/state-drawing.h"

static int compare_procs(const void *a, const void *b)
{
    const XtfProcessState *x = a, *y = b;
    return x->proc < y->proc ? -1 : x->proc > y->proc;
}

uint32_t xtf_state_index(const XtfStateDrawing *state, uint64_t proc)
{
    const XtfProcessState wanted = {.proc = proc};
    const XtfProcessState *found = bsearch(&wanted, state->all, state->n, sizeof wanted, compare_procs);

    return found ? (uint32_t)(found - state->all) : state->n;
}

XtfColour xtf_share_colour(XtfShare share)
{
    switch (share) {
    case XTF_SHARE_PROGRAM:
        return xtf_program_colour(0);
    case XTF_SHARE_P2P:
        return xtf_class_colour(XTF_CLASS_P2P, "MPI_Send");
    case XTF_SHARE_COLLECTIVE:
        return xtf_class_colour(XTF_CLASS_COLLECTIVE, "MPI_Allreduce");
    case XTF_SHARE_WAIT:
        return xtf_class_colour(XTF_CLASS_WAIT, "MPI_Wait");
    default:
        return xtf_class_colour(XTF_CLASS_MPI_OTHER, "MPI_Init");
    }
}

const char *xtf_light_letter(XtfLight light)
{
    static const char *const letters[XTF_N_LIGHTS] = {"", "G", "Y", "R"};
    return letters[light];
}

void xtf_state_draw_title(const XtfStateDrawing *state, const XtfProcessState *process)
{
    const XtfTimeScale *scale = &state->job->views->context->scale;
    char text[XTF_TIME_TEXT_MAX], *end = text + sizeof text - 1;

    *end = '\0';
    xtf_draw(state->drawing, "<title>process %" PRIu64 ", %s:", process->proc,
             process->light ? xtf_light_names[process->light] : "not recorded at the end");
    for (unsigned share = 0; share < XTF_N_SHARES; share++) {
        uint64_t ticks = (uint64_t)MIN(process->times[share], (unsigned __int128)UINT64_MAX);
        xtf_draw(state->drawing, " %s %s s,", xtf_share_names[share], xtf_time_scale_put(scale, ticks, end));
    }
    xtf_draw(state->drawing, " sent %" PRIu64 " B, received %" PRIu64 " B", process->sent.bytes,
             process->received.bytes);
    for (unsigned i = 0; xtf_states_have_tasks(&state->states) && i < XTF_N_TASK_STATES; i++)
        xtf_draw(state->drawing, "%s %" PRIu64 " %s", i ? "," : "; tasks:", process->tasks[i], xtf_task_names[i]);
    xtf_draw(state->drawing, "</title>");
}

void xtf_state_draw_arrow_text(const XtfStateDrawing *state, const XtfArrow *arrow)
{
    const char *plural = arrow->count == 1 ? "" : "s";

    xtf_draw(state->drawing, "%" PRIu64 " to %" PRIu64 ": %" PRIu64, arrow->from, arrow->to, arrow->count);
    if (arrow->is_tasks)
        xtf_draw(state->drawing, " task%s %s", plural, arrow->kind);
    else
        xtf_draw(state->drawing, " message%s, %" PRIu64 " B", plural, arrow->bytes);
}

char *xtf_state_link(const XtfStateDrawing *state, const XtfProcessState *process)
{
    char proc[24];

    g_snprintf(proc, sizeof proc, "%" PRIu64, process->proc);
    return xtf_picture_link(&state->links, state->from, state->to, &(XtfPictureTarget){.proc = proc});
}

bool xtf_state_has_room(const XtfStateDrawing *state, const char *link, size_t later_bytes)
{
    return xtf_drawing_left(state->drawing) > (link ? strlen(link) : 0) + XTF_STATE_TITLE + later_bytes;
}
