/* Functions that are called too often to be worth recording, also while a call is open. */
#include <stdio.h>
#include <stdlib.h>
#ifdef BY_HAND
#include <xtf/user.h>
#endif

static volatile long sum;

static __attribute__((noinline)) void hot(void)
{
    sum++;
}

static __attribute__((noinline)) void dive(int depth)
{
    sum++;
    if (depth > 0)
        dive(depth - 1);
}

static __attribute__((noinline)) void outer(int n)
{
    for (int i = 0; i < n; i++)
        hot();
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);

    outer(n);
    for (int i = 0; i < n / 100; i++)
        dive(99);
    outer(1);
#ifdef BY_HAND
    for (int i = 0; i < n; i++) {
        XTF_REGION_BEGIN("by hand");
        sum++;
        XTF_REGION_END("by hand");
    }
#endif
    printf("%ld\n", sum);
    return 0;
}
