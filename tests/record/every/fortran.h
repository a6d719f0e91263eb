/* Functions of the bridges of every_fortran.py: conversions of texts, and the variant of a routine's call. */

int variant; /* 1: second call of a routine, in place and without statuses */

/* Returns statuses in place of the constants by which C ignores statuses. The value of Fortran's constants is known
 * only to its library. */
static const MPI_Status *given(const MPI_Status *statuses)
{
    static MPI_Status ignored[2];

    return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE ? ignored : statuses;
}

/* Removes the blanks with which Fortran has filled a text. */
static void trim_text(char *filled)
{
    int end = sizeof text - 1;

    while (end > 0 && filled[end - 1] == ' ')
        end--;
    filled[end] = 0;
}

/* Copies up to n texts, filled with blanks as in Fortran. An empty text follows the last one. */
static void fill_texts(char filled[][4096], char *const *texts, int n)
{
    memset(filled, ' ', (size_t)n * sizeof *filled);
    for (int i = 0; i < n && texts[i]; i++)
        memcpy(filled[i], texts[i], strlen(texts[i]));
}

/* Sets the status of generalized requests, which MPI queries. */
void set_status(MPI_Status *status)
{
    query_status(NULL, status);
}
