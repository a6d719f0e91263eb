#include "src/model/task-states.h"

#include <glib.h>

#include "src/model/schemas.h"

/* Letters of the first states. The names of all later states are their letters. */
static const char letters[] = "SPXIAWF";

#define NAME(name) #name,
static const char *const names[] = {XTF_TASK_STATES_EVENTS(NAME)};
#undef NAME

char xtf_task_state_letter(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(name, names[i]))
            return i < sizeof letters - 1 ? letters[i] : name[0];
    return 0;
}

int xtf_task_state_of_letter(const char *text)
{
    static int8_t states[128]; /* by letter: the number of the state plus 1 */
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
            states[(unsigned char)xtf_task_state_letter(names[i])] = (int8_t)(i + 1);
        g_once_init_leave(&made, 1);
    }
    unsigned char letter = (unsigned char)text[0];
    return letter != 0 && letter < sizeof states && text[1] == '\0' ? states[letter] - 1 : -1;
}
