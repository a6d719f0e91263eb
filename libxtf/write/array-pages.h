/*
 * The pages that an array takes in the file.
 */
#pragma once

#include "libxtf/write/writer-private.h"

/* Appends the places of all pages of an array (uint64_t), those that are reserved too, to `places`. False, with none
 * appended, if they are not all known: a page is damaged, or the array is closed. */
bool xtf_array_writer_find_pages(const XtfArrayWriter *array, GArray *places);
