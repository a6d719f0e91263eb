/* Closing the descriptors that a mount inherited from its caller. */
#pragma once

/* Closes all descriptors except the standard ones, so that the mount does not keep locks or pipes of its caller open.
 */
void xtf_close_inherited(void);
