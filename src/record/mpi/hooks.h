/* Includes all hooks that the snippets of generate/kinds_*.py call. */
#pragma once

#include "src/record/mpi/comms/clocks.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/together.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/connect.h"
#include "src/record/mpi/creation/create.h"
#include "src/record/mpi/creation/spawn.h"
#include "src/record/mpi/creation/start.h"
#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/library/valid.h"
#include "src/record/mpi/library/wrapper.h"
#include "src/record/mpi/messages/collectives.h"
#include "src/record/mpi/messages/messages.h"
#include "src/record/mpi/windows/files.h"
#include "src/record/mpi/windows/rma.h"
