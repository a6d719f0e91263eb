/* Files, processes and sockets that the rows of confined-rows.def try to reach. They exist before a process is
 * confined. */
#pragma once

#include <netinet/in.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

typedef struct {
    char folder[64];                               /* temporary folder; the trace's folder is in it */
    char trace[96], inside[96], private_file[96];  /* the trace's folder, its file, and another user's file in it */
    char outside[96], outside_folder[96], new[96]; /* paths outside of the trace; `new` does not exist */
    char link_out[96], link_in[96], part[96];      /* links in the trace's folder: to `outside`, and to the part */
    int writable, readable;                        /* descriptors of `outside` and of `inside` */
    pid_t victim;                                  /* process of the same user that waits */
    int nice;                                      /* of the victim */
    int tcp, local, datagram, pair[2];             /* sockets: not connected; a connected pair */
    struct sockaddr_in listening;                  /* address at which the parent listens */
    struct sockaddr_un abstract, log;              /* addresses of the parent: to connect, and to send to */
    socklen_t abstract_size, log_size;
    int terminal;               /* descriptor of a terminal; -1: none */
    struct file_handle *handle; /* of `outside`; NULL: none */
    int mount_fd;               /* descriptor of the file system of `handle` */
} Place;

extern Place place;

/* ---- Attempts of more than one call. Each returns -1 with errno if the attempt is refused. */

long try_thread(void);
long try_process(void);
long try_clone3(void);
long try_program_by_descriptor(void);
long try_executable_later(void);
long try_executable_file(void);
long try_read_of_victim(void);
long try_capabilities(void);
long try_scheduling_of(pid_t pid);
long try_send_descriptor(void);
long try_send_to_address(void);
long try_connect_abstract(void);
long try_32_bit_call(void);
long try_limits_of_victim(void);
long try_signal_by_pidfd(void);
long try_signal_queue(void);
long try_descriptor_of_victim(void);
long try_splice_into_file(void);
long try_list(const char *folder);
long try_timer(void);
long try_terminal_input(void);
long try_thread_in_namespace(void);
