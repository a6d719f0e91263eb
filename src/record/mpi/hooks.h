/*
 * What the snippets of generate/kinds_*.py call, all together.
 */
#pragma once

#include "src/record/mpi/collectives.h"
#include "src/record/mpi/comms.h"
#include "src/record/mpi/connect.h"
#include "src/record/mpi/create.h"
#include "src/record/mpi/files.h"
#include "src/record/mpi/messages.h"
#include "src/record/mpi/pmpi.h"
#include "src/record/mpi/records.h"
#include "src/record/mpi/rma.h"
#include "src/record/mpi/spawn.h"
#include "src/record/mpi/start.h"
#include "src/record/mpi/valid.h"
#include "src/record/mpi/world.h"
#include "src/record/mpi/wrapper.h"
