#!/bin/sh
# Measures the cost of recording: runs record.py, which describes the options. Needs Open MPI or MPICH with their
# compilers, and hpcc and eztrace for the comparison with them (scripts/install-deps.sh record).
exec python3 "$(dirname "$0")/record.py" "$@"
