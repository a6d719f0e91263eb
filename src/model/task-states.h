/*
 * States of OpenTS's tasks: letters in its files, names in traces.
 *
 * Source of the states: "Visualization tool of the T-application execution trace" (Abramov et al.). It shows one
 * letter, X, for tasks that went to another process. The other letters are ours. A letter without a name is its own
 * name.
 */
#pragma once

/* Returns the number of a letter's state, one of XTF_TASK_STATES_EVENTS; -1: the text is no single letter of a
 * state. */
int xtf_task_state_of_letter(const char *text);
/* Returns the letter of a state, given by name; 0: there is no such state. */
char xtf_task_state_letter(const char *name);
