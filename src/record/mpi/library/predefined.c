/* Types that MPI predefines. */
#include <stddef.h>

#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/library/valid.h"

#ifdef OMPI_MAJOR_VERSION

/* Bound of the Fortran numbers of the predefined types. Other types have greater numbers. */
enum { PREDEFINED = 128 };

void xtf_mpi_valid_begin(void)
{
    for (int i = 0; i < PREDEFINED && xtf_pmpi.Type_f2c; i++) {
        MPI_Datatype type = xtf_pmpi.Type_f2c(i);
        if (type && type != MPI_DATATYPE_NULL)
            xtf_mpi_valid_add((uint64_t)(uintptr_t)type);
    }
}

#else

/* Some are MPI_DATATYPE_NULL, if the compilers have no such type. */
static const MPI_Datatype predefined[] = {
    MPI_CHAR,
    MPI_SIGNED_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_BYTE,
    MPI_WCHAR,
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT,
    MPI_UNSIGNED,
    MPI_LONG,
    MPI_UNSIGNED_LONG,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_LONG_DOUBLE,
    MPI_LONG_LONG_INT,
    MPI_UNSIGNED_LONG_LONG,
    MPI_PACKED,
    MPI_FLOAT_INT,
    MPI_DOUBLE_INT,
    MPI_LONG_INT,
    MPI_SHORT_INT,
    MPI_2INT,
    MPI_LONG_DOUBLE_INT,
    MPI_COMPLEX,
    MPI_DOUBLE_COMPLEX,
    MPI_LOGICAL,
    MPI_REAL,
    MPI_DOUBLE_PRECISION,
    MPI_INTEGER,
    MPI_2INTEGER,
    MPI_2REAL,
    MPI_2DOUBLE_PRECISION,
    MPI_CHARACTER,
    MPI_REAL4,
    MPI_REAL8,
    MPI_REAL16,
    MPI_COMPLEX8,
    MPI_COMPLEX16,
    MPI_COMPLEX32,
    MPI_INTEGER1,
    MPI_INTEGER2,
    MPI_INTEGER4,
    MPI_INTEGER8,
    MPI_INTEGER16,
    MPI_INT8_T,
    MPI_INT16_T,
    MPI_INT32_T,
    MPI_INT64_T,
    MPI_UINT8_T,
    MPI_UINT16_T,
    MPI_UINT32_T,
    MPI_UINT64_T,
    MPI_C_BOOL,
    MPI_C_FLOAT_COMPLEX,
    MPI_C_DOUBLE_COMPLEX,
    MPI_C_LONG_DOUBLE_COMPLEX,
    MPI_AINT,
    MPI_OFFSET,
    MPI_COUNT,
    MPI_CXX_BOOL,
    MPI_CXX_FLOAT_COMPLEX,
    MPI_CXX_DOUBLE_COMPLEX,
    MPI_CXX_LONG_DOUBLE_COMPLEX,
};

void xtf_mpi_valid_begin(void)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (predefined[i] != MPI_DATATYPE_NULL)
            xtf_mpi_valid_add((uint64_t)(uintptr_t)predefined[i]);
}

#endif
