/*
 * Runs a unit test that starts threads, without Criterion: thread-tests SUITE/TEST
 */
#include <criterion/criterion.h>

static ThreadTest *tests;

void thread_test_add(ThreadTest *test)
{
    test->next = tests;
    tests = test;
}

int main(int argc, char **argv)
{
    for (const ThreadTest *test = tests; argc == 2 && test; test = test->next) {
        if (strcmp(test->name, argv[1]) == 0) {
            test->run();
            return 0;
        }
    }
    fprintf(stderr, "usage: thread-tests SUITE/TEST\n");
    return 2;
}
