/* A library that calls MPI for a program. */
#pragma once

int wrapped_sum(int value);
int wrapped_deep(int depth);
int wrapped_aligned(int n);
int wrapped_call_back(int (*function)(void));
void wrapped_start_thread(void);
