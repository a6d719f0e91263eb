/* Text as XML takes it: valid, without control characters; the same as an element. */
#pragma once

#include <stdio.h>

void xtf_cube_put_text(FILE *file, const char *text);
void xtf_cube_put_element(FILE *file, const char *name, const char *text);
