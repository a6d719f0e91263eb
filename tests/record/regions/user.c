/* Regions that a program names itself. It prints a result, so that runs with and without a recorder can be compared. */
#include <pthread.h>
#include <stdio.h>
#include <xtf/user.h>

static volatile int sum;

static void leaf(void)
{
    XTF_FUNCTION;
    sum++;
}

static void descend(int n)
{
    XTF_FUNCTION;
    sum++;
    if (n > 0)
        descend(n - 1);
}

static int leave_early(int n)
{
    for (int i = 0;; i++) {
        XTF_REGION("turn");
        sum++;
        if (i == n)
            return i;
    }
}

static void *work(void *unused)
{
    for (int i = 0; i < 10; i++) {
        XTF_REGION_BEGIN("work");
        sum++;
        XTF_REGION_END("work");
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    char name[16];

    XTF_REGION_BEGIN("outer");
    for (int i = 0; i < 7; i++)
        leaf();
    descend(4);
    leave_early(2);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "step %d", i % 2);
        XTF_REGION_BEGIN_NAMED(name);
        sum++;
        XTF_REGION_END_NAMED(name);
    }
    XTF_REGION_BEGIN("half");
    XTF_RECORDING_OFF();
    leaf();
    XTF_REGION_END("half");
    XTF_REGION_BEGIN("resumed");
    XTF_REGION_BEGIN("unseen");
    XTF_REGION_END("unseen");
    XTF_RECORDING_ON();
    XTF_REGION_END("resumed");
    XTF_REGION_END("outer");
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
        else
            pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
