/*
 * States of OpenTS's tasks: letters in its files, names in traces.
 *
 * The states are those of "Visualization tool of the T-application execution trace" (Abramov et al.), which shows one
 * letter, X, of tasks that went to another process. The other letters are ours. A letter that is none of them is its
 * own name.
 */
#pragma once

/* The number of the state that a letter means, one of XTF_TASK_STATES_EVENTS; -1: the text is no letter. */
int xtf_task_state_of_letter(const char *text);
/* The letter of a state by its name; 0: there is no such state. */
char xtf_task_state_letter(const char *name);
