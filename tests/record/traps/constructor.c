/* A library whose constructor is an instrumented function. */
static volatile int constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed = 1;
}
