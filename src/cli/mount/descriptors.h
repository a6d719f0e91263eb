/* Descriptors that a process was started with. */
#pragma once

/* Closes all but the standard ones: a lock or a pipe of whoever started us is not to be held until the mount ends. */
void xtf_close_inherited(void);
