/* Defines C functions whose symbols look like symbols of a Fortran compiler. */
void dotted(int *n) __asm__("helper.2");
void of_module(int *n) __asm__("__work_MOD_of_c");

void dotted(int *n)
{
    (*n)++;
}

void of_module(int *n)
{
    (*n)++;
}

void of_c_(int *n)
{
    dotted(n);
    of_module(n);
}
