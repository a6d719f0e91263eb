/*
 * The vocabulary of traces: the names by which importers and readers understand each other.
 *
 * The container knows rows and times only. What a field means is its role; what a trace defines stands in tables. An
 * importer that has something for one of these names uses it, and adds names of its own for the rest. A reader takes
 * what it finds: every role and every table may be missing.
 */
#pragma once

/* Roles of the fields of records and side rows. */
#define XTF_ROLE_TIME   "time"   /* ticks; always the first field */
#define XTF_ROLE_SEQ    "seq"    /* ordinal among all records of the location. A side row bears that of its record. */
#define XTF_ROLE_EVENT  "event"  /* labels: which event of the source it was, by its usual name: ENTER, MPI_SEND */
#define XTF_ROLE_REGION "region" /* row of `regions`: entered or left, or the innermost that it happened in */
#define XTF_ROLE_PEER   "peer"   /* the other side's rank in the record's communicator */
#define XTF_ROLE_COMM   "comm"   /* row of `communicators` */
#define XTF_ROLE_TAG    "tag"
#define XTF_ROLE_BYTES  "bytes" /* moved by the record; for a collective, sent */
/* In `enters_leaves`: how many rows of the array back. For LEAVE to its ENTER, for ENTER to the ENTER around it; 0:
 * none. */
#define XTF_ROLE_ENTER "enter"
/* In `enters_leaves`: not 0 if no other frame of the region is open around this one. A LEAVE has what its ENTER has;
 * without one 0. */
#define XTF_ROLE_OUTERMOST "outermost"
/* In `enters_leaves`: how deep in the stack the frame stands, 1 being outermost. A LEAVE has what its ENTER has;
 * without one 0.
 */
#define XTF_ROLE_DEPTH "depth"
/* In `recvs`: how many records of the location back the receive was posted; 0: by this record, or it is not known. */
#define XTF_ROLE_POSTED     "posted"
#define XTF_ROLE_MESSAGE    "message"    /* of a side row: row of `recvs` (in `postings`) or `sends` (in `cancelled`) */
#define XTF_ROLE_METRIC     "metric"     /* row of `metrics`: what a value is of; with XTF_FIELD_NAMES in the record */
#define XTF_ROLE_VALUE      "value"      /* of a side row: 64 bits, to be read as its value type says */
#define XTF_ROLE_VALUE_TYPE "value_type" /* labels */
/* In `metric_values`: by how much the metric grew since its value before; see VOCABULARY.md. */
#define XTF_ROLE_GROWTH "growth"
/* In `waits`: the process, by its number in the tree, that was waited for. */
#define XTF_ROLE_CULPRIT "culprit"

/* The record type that makes up the call stack. ENTER is 0 in its field `event`, LEAVE 1. */
#define XTF_RECORD_ENTERS_LEAVES "enters_leaves"
#define XTF_EVENT_ENTER          "ENTER"
#define XTF_EVENT_LEAVE          "LEAVE"

/* Record types, and a side array, that readers add up. */
#define XTF_RECORD_SENDS         "sends"
#define XTF_RECORD_RECVS         "recvs"
#define XTF_RECORD_REQUESTS      "requests"
#define XTF_RECORD_COLLECTIVES   "collectives"
#define XTF_RECORD_COUNTERS      "counters"
#define XTF_RECORD_LINKS         "links"
#define XTF_RECORD_METRIC_VALUES "metric_values" /* of `counters` */

/*
 * Side arrays by which messages are matched: the k-th message sent with an envelope, (comm, sender, receiver, tag), is
 * the k-th one that is received with the envelope, in the order in which the receives were posted.
 *
 * `postings` has a row for each row of `recvs`, in the order of posting: time and seq of the record by which it was
 * posted, its envelope, which is known once it is complete, and its `message`. `cancelled` has a row for each row of
 * `sends` that was cancelled: a send that counts for none. The last aggregate of both, and of `sends`, is by comm,
 * peer and tag.
 */
#define XTF_SIDE_POSTINGS  "postings"
#define XTF_SIDE_CANCELLED "cancelled"

/* Of `links` whose values are those of clusters: the cluster of each pair, a row at the first length of each portion.
 * peer U32: the receiver; cluster U32. */
#define XTF_SIDE_LINK_CLUSTERS "link_clusters"

/* The collective operations that say what they moved. */
#define XTF_EVENT_COLLECTIVE_END      "MPI_COLLECTIVE_END"
#define XTF_EVENT_COLLECTIVE_COMPLETE "NON_BLOCKING_COLLECTIVE_COMPLETE"

/* Definition tables, and the fields that readers look for, beside any others. */

/* What is known of the trace as a whole: name STRING, value STRING. */
#define XTF_TABLE_PROPERTIES "properties"
/* The property that says what the clock counts, if that is no time: "bytes". Its resolution is 1 tick then. */
#define XTF_PROPERTY_CLOCK "clock"
#define XTF_CLOCK_BYTES    "bytes"

/* tag U32: the distinct tags of messages, ascending: all of them, or the least 4 096 and then a row of "none", which
 * says that there are others. Without the table nothing is known of tags. */
#define XTF_TABLE_TAGS "tags"

/* One row for each location, in the order of (proc, thread). id U64: the location, key P; name STRING; proc U32: the
 * process's number in the tree, its rank in MPI's world where it has one; thread U32: its number within the process;
 * process U32, row of `processes`. */
#define XTF_TABLE_LOCATIONS "locations"

/* One row for each process, in the order of proc: proc U32, name STRING. */
#define XTF_TABLE_PROCESSES "processes"

/* name STRING, file STRING ("" unknown), line U32 (none: unknown). Distinct in the three together. */
#define XTF_TABLE_REGIONS "regions"

/* name STRING (may be "", and need not be unique); group U32: row of `groups`, none for a communicator of oneself;
 * remote_group U32: row of `groups`, whose ranks the peers are if the communicator joins two groups, else none. */
#define XTF_TABLE_COMMUNICATORS "communicators"

/* first U64, count U64: rows of `members`, in the order of their rank in the group. */
#define XTF_TABLE_GROUPS "groups"

/* member U64: what the source lists; proc U32: the process that is meant, none if that is not known. */
#define XTF_TABLE_MEMBERS "members"

/* name STRING, unit STRING: what is measured. */
#define XTF_TABLE_METRICS "metrics"

/* What analyses made: records STRING, the name of a schema of kind derived; clocks U64, the digest of the clocks that
 * it was made with (xtf_trace_clocks_digest()); tool STRING. */
#define XTF_TABLE_ANALYSES "analyses"

/* A row if clocks were corrected by what the records say, and by what: clocks U64, the digest of the corrected ones;
 * tool STRING. */
#define XTF_TABLE_CLOCK_ALIGNMENTS "clock_alignments"

/* The knots of the clock maps before that, of the locations that had any: location U64, local U64, global U64, jumps
 * U8; in any order. */
#define XTF_TABLE_EARLIER_CLOCKS "earlier_clocks"

/* Call paths that derived rows refer to: parent U32, row of `contexts`, none of an outermost call; region U32, row of
 * `regions`. */
#define XTF_TABLE_CONTEXTS "contexts"

/* Of clustered `links`, in the order of lengths: from U64, to U64, lengths; clusters U32, their number. */
#define XTF_TABLE_PORTIONS "portions"

/* Derived types: vocabulary of an analysis of waits; docs/VOCABULARY.md, section 9. */
#define XTF_DERIVED_WAITS    "waits"
#define XTF_DERIVED_DELAYS   "delays"
#define XTF_DERIVED_CRITICAL "critical"
#define XTF_DERIVED_ACTIVITY "activity"
#define XTF_DERIVED_IDEAL    "ideal"
