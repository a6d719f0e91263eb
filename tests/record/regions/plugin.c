/* A library whose function `turn` calls one that is named on the command line. */
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
