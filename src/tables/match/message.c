#include "src/tables/match/message.h"

const char *const xtf_pair_states[XTF_PAIR_N_STATES] = {
    [XTF_PAIR_CERTAIN] = "certain", [XTF_PAIR_LIKELY] = "likely", [XTF_PAIR_UNCERTAIN] = "uncertain"};

const char *const xtf_pair_doubts[XTF_N_DOUBTS] = {
    [XTF_DOUBT_NONE] = "-",
    [XTF_DOUBT_CANCELLED] = "the send was cancelled",
    [XTF_DOUBT_PEER] = "the communicator, or the other process, is not known",
    [XTF_DOUBT_COUNTS] = "the group has other numbers of sends and receives",
    [XTF_DOUBT_BYTES] = "as many bytes were not received as were sent",
    [XTF_DOUBT_THREADS] = "several threads were sending or receiving in the group at one time",
    [XTF_DOUBT_OPEN] = "a receive that was posted before this one was still open at the last commit",
    [XTF_DOUBT_POSTING] = "it is not known when this receive, or one of its group behind it, was posted",
    [XTF_DOUBT_REMOVED] = "the other end is before the kept time: its volume was removed",
    [XTF_DOUBT_PROBE] = "a probe matched this message, or one of its group that was open with it",
};
