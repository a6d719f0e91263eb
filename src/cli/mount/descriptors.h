/* Inherited descriptors. */
#pragma once

/* Closes all descriptors except the standard ones, so that the mount does not keep locks or pipes of its caller open.
 */
void xtf_close_inherited(void);
