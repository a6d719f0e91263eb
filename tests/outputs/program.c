/* A program with instrumented functions. */
static int work(int n)
{
    return n > 0 ? n + work(n - 1) : 0;
}

int main(void)
{
    for (int i = 0; i < 20; i++)
        work(i);
    return 0;
}
