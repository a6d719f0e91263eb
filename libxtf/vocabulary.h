/*
 * The vocabulary of traces: the names that importers and readers share.
 *
 * The container knows only rows and times. A field's role gives its meaning; tables hold the definitions of a trace. An
 * importer uses these names where they apply, and adds its own names for everything else. A reader must accept that any
 * role and any table may be missing.
 */
#pragma once

/* Roles of the fields of records and side rows. */
#define XTF_ROLE_TIME  "time"  /* ticks; always the first field */
#define XTF_ROLE_SEQ   "seq"   /* ordinal among all records of the location. A side row has the seq of its record. */
#define XTF_ROLE_EVENT "event" /* labels: the source's event, by its usual name: ENTER, MPI_SEND */
#define XTF_ROLE_REGION \
    "region"                  /* row of `regions`: the region entered or left, or the innermost region at the record */
#define XTF_ROLE_PEER  "peer" /* the other side's rank in the record's communicator */
#define XTF_ROLE_COMM  "comm" /* row of `communicators` */
#define XTF_ROLE_TAG   "tag"
#define XTF_ROLE_BYTES "bytes" /* bytes that the record moved; for a collective, bytes sent */
/* In `enters_leaves`: number of rows back in the array. From a LEAVE to its ENTER, from an ENTER to the enclosing
 * ENTER; 0: none. */
#define XTF_ROLE_ENTER "enter"
/* In `enters_leaves`: nonzero if no outer open frame has the same region. A LEAVE has the value of its ENTER; 0 without
 * an ENTER. */
#define XTF_ROLE_OUTERMOST "outermost"
/* In `enters_leaves`: depth of the frame in the stack; 1 is outermost. A LEAVE has the value of its ENTER; 0 without an
 * ENTER. */
#define XTF_ROLE_DEPTH "depth"
/* In `enters_leaves`: row of `sites`, the place in the program that makes the call. A LEAVE has the value of its ENTER.
 * A site has one region. */
#define XTF_ROLE_SITE "site"
/* In `recvs`: number of records of the location back to the record that posted the receive; 0: this record posted it,
 * or unknown. */
#define XTF_ROLE_POSTED     "posted"
#define XTF_ROLE_MESSAGE    "message" /* of a side row: row of `recvs` (in `postings`) or `sends` (in `cancelled`) */
#define XTF_ROLE_METRIC     "metric" /* row of `metrics`: the metric of a value; the record's field has XTF_FIELD_NAMES */
#define XTF_ROLE_VALUE      "value"      /* of a side row: 64 bits, interpreted according to the value type */
#define XTF_ROLE_VALUE_TYPE "value_type" /* of a side row: type of its value; labels name the types */
/* In `metric_values`: increase of the metric since its previous value; see docs/VOCABULARY.md. */
#define XTF_ROLE_GROWTH "growth"
/* In `waits`: the process that was waited for, by its number in the tree. */
#define XTF_ROLE_CULPRIT "culprit"

/* The record type that defines the call stack. Its field `event` is 0 for ENTER and 1 for LEAVE. */
#define XTF_RECORD_ENTERS_LEAVES "enters_leaves"
#define XTF_EVENT_ENTER          "ENTER"
#define XTF_EVENT_LEAVE          "LEAVE"

/* Record types, and one side array, whose values readers add up. */
#define XTF_RECORD_SENDS         "sends"
#define XTF_RECORD_RECVS         "recvs"
#define XTF_RECORD_REQUESTS      "requests"
#define XTF_RECORD_COLLECTIVES   "collectives"
#define XTF_RECORD_COUNTERS      "counters"
#define XTF_RECORD_LINKS         "links"
#define XTF_RECORD_METRIC_VALUES "metric_values" /* side array of `counters` */

/*
 * Side arrays for matching messages. An envelope is (comm, sender, receiver, tag). The k-th message sent with an
 * envelope is the k-th message received with it, in the order in which the receives were posted.
 *
 * `postings` has a row for each row of `recvs`, in the order of posting. The row has the time and seq of the record
 * that posted the receive, its envelope, and its `message`. The envelope is known once the receive is complete.
 * `cancelled` has a row for each row of `sends` that was cancelled; such a send does not count. The last aggregate of
 * both, and of `sends`, has the keys comm, peer and tag.
 */
#define XTF_SIDE_POSTINGS  "postings"
#define XTF_SIDE_CANCELLED "cancelled"

/* Side array of `links` with clustered values. It has the cluster of each pair, one row at the first length of each
 * portion. Fields: peer U32, the receiver; cluster U32. */
#define XTF_SIDE_LINK_CLUSTERS "link_clusters"

/* The collective operations whose records have the bytes moved. */
#define XTF_EVENT_COLLECTIVE_END      "MPI_COLLECTIVE_END"
#define XTF_EVENT_COLLECTIVE_COMPLETE "NON_BLOCKING_COLLECTIVE_COMPLETE"

/* Definition tables, and the fields that readers use. Tables may have further fields. */

/* Properties of the trace as a whole: name STRING, value STRING. */
#define XTF_TABLE_PROPERTIES "properties"
/* The property that names the unit of the clock if it does not count time: "bytes". The clock's resolution is then 1
 * tick. */
#define XTF_PROPERTY_CLOCK "clock"
#define XTF_CLOCK_BYTES    "bytes"

/* tag U32: the distinct tags of messages, ascending. Either all of them, or the least 4096 and a row of "none" which
 * means that there are others. Without the table the tags are unknown. */
#define XTF_TABLE_TAGS "tags"

/* One row for each location, ordered by (proc, thread). The field id U64 is the location, key P. Further fields:
 * name STRING; thread U32, the number within the process; process U32, row of `processes`. The field proc U32 is the
 * process's number in the tree, which is its rank in MPI_COMM_WORLD if it has one. */
#define XTF_TABLE_LOCATIONS "locations"

/* One row for each process, ordered by proc: proc U32, name STRING. */
#define XTF_TABLE_PROCESSES "processes"

/* name STRING, file STRING ("": unknown), line U32 (none: unknown). Each combination of the three is unique. */
#define XTF_TABLE_REGIONS "regions"

/* Fields: name STRING, which may be "" and need not be unique; group U32, row of `groups`, none for a communicator
 * of one process (COMM_SELF). In an intercommunicator, remote_group U32 is the row of `groups` whose ranks the peers
 * are; otherwise it is none. */
#define XTF_TABLE_COMMUNICATORS "communicators"

/* first U64, count U64: rows of `members`, ordered by rank in the group. */
#define XTF_TABLE_GROUPS "groups"

/* member U64: the source's number of the member; proc U32: the process, none if unknown. */
#define XTF_TABLE_MEMBERS "members"

/* name STRING, unit STRING: the quantity measured. */
#define XTF_TABLE_METRICS "metrics"

/* Results of analyses. Fields: records STRING, the name of a schema of kind derived; tool STRING. The field clocks
 * U64 is the digest of the clocks that the analysis used (xtf_trace_clocks_digest()). */
#define XTF_TABLE_ANALYSES "analyses"

/* Has a row if a tool corrected the clocks from the records: clocks U64, the digest of the corrected clocks; tool
 * STRING. */
#define XTF_TABLE_CLOCK_ALIGNMENTS "clock_alignments"

/* The knots of the clock maps before that correction, for locations that had a map, in any order. Fields: location
 * U64, local U64, global U64, jumps U8. */
#define XTF_TABLE_EARLIER_CLOCKS "earlier_clocks"

/* Call paths that derived rows refer to: parent U32, row of `contexts`, none for an outermost call; region U32, row of
 * `regions`. */
#define XTF_TABLE_CONTEXTS "contexts"

/* For clustered `links`, ordered by length: from U64, to U64, lengths; clusters U32, the number of clusters. */
#define XTF_TABLE_PORTIONS "portions"

/* Derived types of the analysis of wait states; docs/VOCABULARY.md, section 9. */
#define XTF_DERIVED_WAITS    "waits"
#define XTF_DERIVED_DELAYS   "delays"
#define XTF_DERIVED_CRITICAL "critical"
#define XTF_DERIVED_ACTIVITY "activity"
#define XTF_DERIVED_IDEAL    "ideal"
