#!/bin/sh
# What recording costs: see record.py, which this runs, for its options. Needs Open MPI or MPICH with their compilers; hpcc and
# eztrace where they are to be compared (scripts/install-deps.sh record).
exec python3 "$(dirname "$0")/record.py" "$@"
