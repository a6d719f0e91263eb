/* Returns 0. The program has debug information: a made-up process (sited.py) calls MPI from its functions. */
int come_first(int n);
int come_second(int n);

int come_first(int n)
{
    return n + 1;
}

int come_second(int n)
{
    return 2 * come_first(n);
}

int main(void)
{
    return come_second(-1);
}
