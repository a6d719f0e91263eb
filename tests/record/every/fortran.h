/* What the bridges of every_fortran.py use: texts, and which call of a routine it is. */

int variant; /* 1: the second call, without statuses, in place */

/* Statuses that C ignores; what Fortran's constants for it are, its library knows. */
static const MPI_Status *given(const MPI_Status *statuses)
{
    static MPI_Status ignored[2];

    return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE ? ignored : statuses;
}

/* Of a text that Fortran has filled with blanks. */
static void trim(char *filled)
{
    int end = sizeof text - 1;

    while (end > 0 && filled[end - 1] == ' ')
        end--;
    filled[end] = 0;
}

/* Texts as Fortran has them, as many as there are, of n; an empty one is behind the last. */
static void blank(char filled[][4096], char *const *texts, int n)
{
    memset(filled, ' ', (size_t)n * sizeof *filled);
    for (int i = 0; i < n && texts[i]; i++)
        memcpy(filled[i], texts[i], strlen(texts[i]));
}

/* Of generalized requests, whose status is asked for. */
void set_status(MPI_Status *status)
{
    query(NULL, status);
}
