/* A library whose function `turn` calls a function that the compiler's command line names. */
static volatile int sum;

static __attribute__((noinline)) void NAME(void)
{
    sum++;
}

void turn(void);

void turn(void)
{
    NAME();
}
