"""Makes a C program that calls every function of the table once, where possible. Calls must have an effect. Most are made by a
process with itself (MPI_COMM_SELF), some with the other one of two processes. The program writes its functions, their numbers
of calls and results to a file called-RANK in the given folder.
"""

import re

# Expressions of arguments: by name, else by type. (T) means the type.
BY_NAME = {
    "comm": "SELF", "comm1": "SELF", "comm2": "SELF", "local_comm": "SELF", "peer_comm": "MPI_COMM_WORLD", "intercomm": "inter",
    "buf": "a", "sendbuf": "a", "inbuf": "a", "origin_addr": "a", "compare_addr": "a", "buffer": "a", "base": "a", "location": "a",
    "recvbuf": "b", "outbuf": "b", "inoutbuf": "b", "result_addr": "b", "attribute_val": "&memory", "baseptr": "&memory", "buffer_addr": "&memory",
    "extra_state": "NULL", "dest": "0", "source": "0", "root": "0", "target_rank": "0", "rank": "0", "local_leader": "0", "remote_leader": "1 - world_rank",
    "tag": "7", "sendtag": "7", "recvtag": "7", "target_disp": "0", "disp_unit": "4", "required": "MPI_THREAD_SINGLE", "level": "1",
    "win": "win", "file": "file", "group": "group", "group1": "group", "group2": "group", "local_group": "group", "remote_group": "group", "info": "info",
    "datarep": '"external32"', "outsize": "4096", "insize": "4", "size": "64", "errorcode": "MPI_ERR_OTHER", "errorclass": "error_class", "key": '"key"',
    "value": '"value"', "valuelen": "100", "comm_name": '"a name"', "win_name": '"a window"', "type_name": '"a type"', "string": '"text"',
    "filename": "path", "port_name": "port", "service_name": '(world_rank ? "xtf-every-1" : "xtf-every-0")', "command": "program", "stringtag": '"xtf"', "pset_name": '"mpi://SELF"',
    "assert": "0", "lock_type": "MPI_LOCK_SHARED", "whence": "MPI_SEEK_SET", "offset": "0", "amode": "MPI_MODE_CREATE | MPI_MODE_RDWR", "color": "0",
    "split_type": "MPI_COMM_TYPE_SHARED", "reorder": "0", "high": "world_rank", "order": "MPI_ORDER_C", "typeclass": "MPI_TYPECLASS_INTEGER",
    "etype": "MPI_INT", "filetype": "MPI_INT", "argv": "MPI_ARGV_NULL", "maxprocs": "1", "commute": "1", "weights": "MPI_UNWEIGHTED",
    "sourceweights": "MPI_UNWEIGHTED", "destweights": "MPI_UNWEIGHTED", "op": "MPI_SUM", "errhandler": "MPI_ERRORS_RETURN", "nnodes": "1",
    "n": "1", "direction": "0", "disp": "1", "fd": "connected()", "p": "6", "r": "9", "lb": "0", "extent": "8", "stride": "1",
    "array_of_errcodes": "MPI_ERRCODES_IGNORE", "partition": "0", "partitions": "1", "status": "&st",
}  # yapf: disable
BY_TYPE = {
    "int": "1", "MPI_Count": "1", "MPI_Aint": "4", "MPI_Offset": "4", "MPI_Datatype": "MPI_INT", "MPI_Op": "MPI_SUM", "MPI_Comm": "SELF",
    "MPI_Comm_copy_attr_function": "MPI_COMM_NULL_COPY_FN", "MPI_Comm_delete_attr_function": "MPI_COMM_NULL_DELETE_FN",
    "MPI_Type_copy_attr_function": "MPI_TYPE_NULL_COPY_FN", "MPI_Type_delete_attr_function": "MPI_TYPE_NULL_DELETE_FN",
    "MPI_Win_copy_attr_function": "MPI_WIN_NULL_COPY_FN", "MPI_Win_delete_attr_function": "MPI_WIN_NULL_DELETE_FN",
    "MPI_Copy_function": "MPI_NULL_COPY_FN", "MPI_Delete_function": "MPI_NULL_DELETE_FN", "MPI_User_function": "user_op", "MPI_User_function_c": "user_op_c",
    "MPI_Comm_errhandler_function": "(MPI_Comm_errhandler_function *)on_error", "MPI_Win_errhandler_function": "(MPI_Win_errhandler_function *)on_error",
    "MPI_File_errhandler_function": "(MPI_File_errhandler_function *)on_error", "MPI_Session_errhandler_function": "(MPI_Session_errhandler_function *)on_error",
    "MPI_Grequest_query_function": "query_status", "MPI_Grequest_free_function": "release_state", "MPI_Grequest_cancel_function": "cancel_request",
    "MPI_Datarep_conversion_function": "MPI_CONVERSION_FN_NULL", "MPI_Datarep_conversion_function_c": "MPI_CONVERSION_FN_NULL_C",
    "MPI_Datarep_extent_function": "extent",
}  # yapf: disable

EPOCH = ("PMPI_Win_lock_all(0, win);", "PMPI_Win_unlock_all(win);")
EXPOSED = "PMPI_Win_post(group, 0, win); PMPI_Win_start(group, 0, win); PMPI_Win_complete(win);"
START = "PMPI_Start(&s); PMPI_Wait(&s, MPI_STATUS_IGNORE);"
PARTS = "PMPI_Precv_init(b, 1, 1, MPI_INT, 0, 8, SELF, MPI_INFO_NULL, &both[0]); PMPI_Psend_init(a, 1, 1, MPI_INT, 0, 8, SELF, MPI_INFO_NULL, &both[1]);"
STARTED_PARTS = PARTS + " PMPI_Startall(2, both);"
SESSION = "MPI_Session session; PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); PMPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);"
NO_SESSION = "PMPI_Session_finalize(&session);"
KEYS = {kind: (f"PMPI_{kind}_create_keyval(MPI_{kind.upper()}_NULL_COPY_FN, MPI_{kind.upper()}_NULL_DELETE_FN, &key, NULL);", f"PMPI_{kind}_free_keyval(&key);")
        for kind in ("Comm", "Type", "Win")}

# By name, which has priority, and by kind: (statements before, {argument: expression}, statements after).
KINDS = {
    "send": ("post_receive();", {}, "finish_receive();"),
    "isend": ("post_receive();", {"request": "&s"}, "finish_send(); finish_receive();"),
    "send_init": ("", {"request": "&s"}, "PMPI_Request_free(&s);"),
    "recv": ("post_send();", {}, "finish_send();"),
    "irecv": ("post_send();", {"request": "&r"}, "finish_send(); finish_receive();"),
    "recv_init": ("", {"request": "&r"}, "PMPI_Request_free(&r);"),
    "probe": ("post_send();", {}, "post_receive(); finish_send(); finish_receive();"),
    "iprobe": ("post_send();", {}, "post_receive(); finish_send(); finish_receive();"),
    "mprobe": ("post_send();", {"message": "&message"}, "PMPI_Mrecv(b, 1, MPI_INT, &message, MPI_STATUS_IGNORE); finish_send();"),
    "improbe": ("post_send();", {"message": "&message", "flag": "&done"}, "if (!done) PMPI_Mprobe(0, 7, SELF, &message, &st);"
                " PMPI_Mrecv(b, 1, MPI_INT, &message, MPI_STATUS_IGNORE); finish_send();"),
    "mrecv": ("post_send(); PMPI_Mprobe(0, 7, SELF, &message, &st);", {"message": "&message"}, "finish_send();"),
    "imrecv": ("post_send(); PMPI_Mprobe(0, 7, SELF, &message, &st);", {"message": "&message", "request": "&r"}, "finish_receive(); finish_send();"),
    "isendrecv": ("", {"request": "&r"}, "finish_receive();"),
    "isendrecv_replace": ("", {"request": "&r"}, "finish_receive();"),
    "start": ("persistent_both(); PMPI_Start(&both[1]);", {"request": "&both[0]"}, "free_both();"),
    "startall": ("persistent_both();", {"count": "2", "requests": "both"}, "free_both();"),
    "wait": ("post_send(); post_receive();", {"request": "&r"}, "finish_send();"),
    "test": ("post_send(); post_receive();", {"request": "&r"}, "finish_send(); finish_receive();"),
    "request_get_status": ("post_send(); post_receive();", {"request": "r"}, "finish_send(); finish_receive();"),
    "cancel": ("post_receive();", {"request": "&r"}, "finish_receive();"),
    "request_free": ("PMPI_Send_init(a, 1, MPI_INT, 0, 7, SELF, &s);", {"request": "&s"}, ""),
    "grequest_start": ("", {"request": "&r"}, "PMPI_Grequest_complete(r); finish_receive();"),
    "grequest_complete": ("PMPI_Grequest_start(query_status, release_state, cancel_request, NULL, &r);", {"request": "r"}, "finish_receive();"),
    "psend_init": ("", {"tag": "8", "request": "&s"}, "PMPI_Request_free(&s);"),
    "precv_init": ("", {"tag": "8", "request": "&s"}, "PMPI_Request_free(&s);"),
    "pready": (STARTED_PARTS, {"request": "both[1]", "length": "1", "partition_low": "0", "partition_high": "0"}, "free_both();"),
    "parrived": (STARTED_PARTS + "PMPI_Pready(0, both[1]);", {"request": "both[0]"}, "free_both();"),
    "icollective": ("", {"request": "&s"}, "finish_send();"),
    "collective_init": ("", {"request": "&s"}, START + "PMPI_Request_free(&s);"),
    "comm_idup": ("", {"newcomm": "&made", "request": "&s"}, "finish_send(); PMPI_Comm_free(&made);"),
    "comm_free": ("PMPI_Comm_dup(SELF, &made);", {"comm": "&made"}, ""),
    "comm_disconnect": ("PMPI_Comm_dup(SELF, &made);", {"comm": "&made"}, ""),
    "cart_sub": ("", {"comm": "cart", "newcomm": "&made"}, "PMPI_Comm_free(&made);"),
    "comm_spawn": ("if (!world_rank) {", {"newcomm": "&made", "argv": '((char *[]){"child", NULL})', "info": "MPI_INFO_NULL",
                                          "array_of_commands": "((char *[]){program})", "array_of_argv": '((char **[]){(char *[]){"child", NULL}})',
                                          "array_of_maxprocs": "((int[]){1})", "array_of_info": "((MPI_Info[]){MPI_INFO_NULL})"}, "PMPI_Comm_disconnect(&made); }"),
    "comm_accept": ("if (!world_rank) PMPI_Open_port(MPI_INFO_NULL, port); PMPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD); if (!world_rank) {",
                    {"newcomm": "&made", "info": "MPI_INFO_NULL"},
                    "} else PMPI_Comm_connect(port, MPI_INFO_NULL, 0, SELF, &made); PMPI_Comm_disconnect(&made); if (!world_rank) PMPI_Close_port(port);"),
    "comm_connect": ("if (!world_rank) PMPI_Open_port(MPI_INFO_NULL, port); PMPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD); if (world_rank) {",
                     {"newcomm": "&made", "info": "MPI_INFO_NULL"},
                     "} else PMPI_Comm_accept(port, MPI_INFO_NULL, 0, SELF, &made); PMPI_Comm_disconnect(&made); if (!world_rank) PMPI_Close_port(port);"),
    "comm_join": ("", {"newcomm": "&made"}, "PMPI_Comm_disconnect(&made);"),
    "win_create": ("", {"win": "&w"}, "PMPI_Win_free(&w);"),
    "rput": (EPOCH[0], {"request": "&s"}, "finish_send();" + EPOCH[1]),
    "win_fence": ("", {}, "PMPI_Win_fence(MPI_MODE_NOSUCCEED, win);"),
    "win_post": ("", {}, "PMPI_Win_start(group, 0, win); PMPI_Win_complete(win); PMPI_Win_wait(win);"),
    "win_start": ("PMPI_Win_post(group, 0, win);", {}, "PMPI_Win_complete(win); PMPI_Win_wait(win);"),
    "win_complete": ("PMPI_Win_post(group, 0, win); PMPI_Win_start(group, 0, win);", {}, "PMPI_Win_wait(win);"),
    "win_wait": (EXPOSED, {}, ""),
    "win_test": (EXPOSED, {"flag": "&done"}, "if (!done) PMPI_Win_wait(win);"),
    "win_lock": ("", {}, "PMPI_Win_unlock(0, win);"),
    "win_unlock": ("PMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);", {}, ""),
    "win_lock_all": ("", {}, "PMPI_Win_unlock_all(win);"),
    "win_unlock_all": ("PMPI_Win_lock_all(0, win);", {}, ""),
}  # yapf: disable
for _kind in ("waitall", "waitany", "waitsome", "testall", "testany", "testsome", "request_get_status_all", "request_get_status_any", "request_get_status_some"):
    KINDS[_kind] = ("start_both();", {"count": "2", "requests": "both"}, "end_both();")
for _kind in ("comm_create", "comm_create_from_group", "comm_create_group", "comm_dup", "comm_split", "intercomm_create", "intercomm_merge", "cart_create",
              "graph_create", "dist_graph_create"):
    KINDS[_kind] = ("", {"newcomm": "&made"}, "if (made != MPI_COMM_NULL) PMPI_Comm_free(&made);")
for _kind in ("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap", "win_flush", "win_flush_all", "win_flush_local",
              "win_flush_local_all", "win_sync"):
    KINDS[_kind] = (EPOCH[0], {}, EPOCH[1])
for _kind in ("rget", "raccumulate", "rget_accumulate"):
    KINDS[_kind] = KINDS["rput"]

INFO = "PMPI_Info_create(&local);"
NAMES = {
    "Init": ("", {"argc": "&argc", "argv": "&argv"}, ""),
    "Init_thread": ("", {"argc": "&argc", "argv": "&argv"}, ""),
    "Comm_get_parent": ("", {"parent": "&made"}, ""),
    "Win_allocate": ("if (win) PMPI_Win_free(&win);", {"win": "&win", "size": "4096"}, "PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);"),
    "Win_free": ("", {"win": "&win"}, ""),
    "File_open": ("", {"file": "&file"}, "PMPI_File_set_errhandler(file, MPI_ERRORS_RETURN);"),
    "File_set_size": ("", {"size": "65536"}, ""), "File_preallocate": ("", {"size": "65536"}, ""),
    "File_close": ("", {"file": "&file"}, ""),
    "File_set_view": ("", {"datarep": '"native"', "offset": "0", "disp": "0"}, ""),
    "File_delete": ('strcat(strcpy(text, path), "-delete"); fclose(fopen(text, "w"));', {"filename": "text"}, ""),
    "Session_init": ("MPI_Session session;", {"session": "&session"}, NO_SESSION),
    "Session_finalize": (SESSION, {"session": "&session"}, ""),
    "Session_create_errhandler": ("", {"errhandler": "&handler"}, ""),
    "Buffer_attach": ("", {"size": "4096"}, "void *back; int n; PMPI_Buffer_detach(&back, &n);"),
    "Buffer_detach": ("PMPI_Buffer_attach(a, 4096);", {}, ""),
    "Bsend": ("post_receive(); PMPI_Buffer_attach(malloc(4096), 4096);", {}, "void *back; int n; PMPI_Buffer_detach(&back, &n); free(back); finish_receive();"),
    "Ibsend": ("post_receive(); PMPI_Buffer_attach(malloc(4096), 4096);", {"request": "&s"},
               "finish_send(); void *back; int n; PMPI_Buffer_detach(&back, &n); free(back); finish_receive();"),
    "Attr_put": ("PMPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL);", {"keyval": "key", "attribute_val": "a"}, ""),
    "Attr_delete": ("PMPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL); PMPI_Attr_put(SELF, key, a);", {"keyval": "key"}, ""),
    "Attr_get": ("", {"keyval": "MPI_TAG_UB"}, ""),
    "Keyval_create": ("", {"keyval": "&key"}, ""),
    "Keyval_free": ("PMPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL);", {"keyval": "&key"}, ""),
    "Cart_coords": ("", {"comm": "cart"}, ""), "Cart_get": ("", {"comm": "cart"}, ""), "Cart_rank": ("", {"comm": "cart", "rank": "&done"}, ""),
    "Cart_shift": ("", {"comm": "cart"}, ""), "Cartdim_get": ("", {"comm": "cart"}, ""), "Topo_test": ("", {"comm": "cart"}, ""),
    "Cart_map": ("", {"dims": "((int[]){1})", "periods": "((int[]){0})"}, ""),
    "Cart_create": ("", {"dims": "((int[]){1})", "periods": "((int[]){0})", "newcomm": "&made"}, "PMPI_Comm_free(&made);"),
    "Graph_create": ("", {"graph_index": "((int[]){1})", "edges": "((int[]){0})", "newcomm": "&made"}, "PMPI_Comm_free(&made);"),
    "Graph_map": ("", {"graph_index": "((int[]){1})", "edges": "((int[]){0})"}, ""),
    "Graph_get": ("", {"comm": "graph"}, ""), "Graph_neighbors": ("", {"comm": "graph"}, ""), "Graph_neighbors_count": ("", {"comm": "graph"}, ""),
    "Graphdims_get": ("", {"comm": "graph"}, ""),
    "Dist_graph_create": ("", {"degrees": "((int[]){1})", "newcomm": "&made"}, "PMPI_Comm_free(&made);"),
    "Dist_graph_neighbors": ("", {"comm": "dist", "sourceweights": "(int[16]){0}", "destweights": "(int[16]){0}"}, ""),
    "Dist_graph_neighbors_count": ("", {"comm": "dist"}, ""),
    "Comm_remote_size": ("", {"comm": "inter", "size": "&done"}, ""),
    "Comm_remote_group": ("", {"comm": "inter", "group": "&other_group"}, ""),
    "Comm_get_attr": ("", {"comm_keyval": "MPI_TAG_UB"}, ""),
    "Comm_create_errhandler": ("", {"errhandler": "&handler"}, ""), "Win_create_errhandler": ("", {"errhandler": "&handler"}, ""),
    "File_create_errhandler": ("", {"errhandler": "&handler"}, ""), "Errhandler_create": ("", {"errhandler": "&handler"}, ""),
    "Errhandler_free": ("PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)on_error, &handler);", {"errhandler": "&handler"}, ""),
    "Win_get_attr": ("", {"win_keyval": "MPI_WIN_BASE"}, ""),
    "Win_attach": ("PMPI_Win_create_dynamic(MPI_INFO_NULL, SELF, &w);", {"win": "w"}, "PMPI_Win_detach(w, a); PMPI_Win_free(&w);"),
    "Win_detach": ("PMPI_Win_create_dynamic(MPI_INFO_NULL, SELF, &w); PMPI_Win_attach(w, a, 64);", {"win": "w"}, "PMPI_Win_free(&w);"),
    "Win_shared_query": ("PMPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, SELF, &memory, &w);", {"win": "w"}, "PMPI_Win_free(&w);"),
    "Alloc_mem": ("", {}, "PMPI_Free_mem(memory);"),
    "Free_mem": ("PMPI_Alloc_mem(64, MPI_INFO_NULL, &memory);", {"base": "memory"}, ""),
    "Comm_idup_with_info": ("", {"newcomm": "&made", "request": "&s"}, "finish_send(); PMPI_Comm_free(&made);"),
    "Group_free": ("PMPI_Comm_group(SELF, &other_group);", {"group": "&other_group"}, ""),
    "Group_range_incl": ("", {"ranges": "((int[1][3]){{0, 0, 1}})"}, ""), "Group_range_excl": ("", {"ranges": "((int[1][3]){{0, 0, 1}})"}, ""),
    "Info_free": ("MPI_Info local; " + INFO, {"info": "&local"}, ""),
    "Info_delete": ("MPI_Info local; " + INFO + ' PMPI_Info_set(local, "key", "value");', {"info": "local"}, "PMPI_Info_free(&local);"),
    "Info_get_nthkey": ("", {"n": "0", "key": "text"}, ""), "Info_get": ("", {"value": "text"}, ""),
    "Info_get_string": ("done = 100;", {"value": "text", "buflen": "&done"}, ""), "Info_create_env": ("", {"argc": "0", "argv": "NULL"}, ""),
    "Op_free": ("PMPI_Op_create(user_op, 1, &op);", {"op": "&op"}, ""), "Op_create": ("", {"op": "&op"}, ""),
    "Type_commit": ("", {"datatype": "&type"}, ""), "Type_free": ("MPI_Datatype local; PMPI_Type_dup(type, &local);", {"datatype": "&local"}, ""),
    "Type_get_contents": ("", {"datatype": "type", "max_integers": "8", "max_addresses": "8", "max_datatypes": "1", "max_large_counts": "8"}, ""),
    "Type_set_name": ("", {"datatype": "type"}, ""), "Type_match_size": ("", {"size": "4"}, ""),
    "Type_create_darray": ("", {"size": "1", "array_of_gsizes": "(T[]){4}", "array_of_distribs": "((int[]){MPI_DISTRIBUTE_BLOCK})",
                                "array_of_dargs": "((int[]){MPI_DISTRIBUTE_DFLT_DARG})", "array_of_psizes": "((int[]){1})"}, ""),
    "Type_create_subarray": ("", {"array_of_sizes": "(T[]){4}", "array_of_subsizes": "(T[]){1}"}, ""),
    "Type_create_struct": ("", {"array_of_types": "((MPI_Datatype[]){MPI_INT})"}, ""), "Type_struct": ("", {"array_of_types": "((MPI_Datatype[]){MPI_INT})"}, ""),
    "Unpack": ("position = 0;", {"position": "&(T){0}"}, ""),
    "Comm_attach_buffer": ("", {"size": "4096"}, "void *back; int n; PMPI_Comm_detach_buffer(SELF, &back, &n);"),
    "Session_attach_buffer": ("", {"size": "4096"}, "void *back; int n; PMPI_Session_detach_buffer(session, &back, &n);"),
    "Remove_error_class": ("int made_class; PMPI_Add_error_class(&made_class);", {"errorclass": "made_class"}, ""),
    "Remove_error_code": ("int made_code; PMPI_Add_error_code(error_class, &made_code);", {"errorcode": "made_code"}, ""),
    "Remove_error_string": ("int made_code; PMPI_Add_error_code(error_class, &made_code); PMPI_Add_error_string(made_code, \"text\");", {"errorcode": "made_code"}, ""),
    "Add_error_class": ("", {"errorclass": "&error_class"}, ""), "Add_error_string": ("", {"errorcode": "error_class"}, ""),
    "Error_class": ("", {"errorcode": "0", "errorclass": "&done"}, ""), "Error_string": ("", {"errorcode": "0", "string": "text"}, ""),
    "Comm_call_errhandler": ("", {}, ""), "Open_port": ("", {"port_name": "text", "info": "MPI_INFO_NULL"}, "PMPI_Close_port(text);"),
    "Close_port": ("text[0] = 0; PMPI_Open_port(MPI_INFO_NULL, text);", {"port_name": "text"}, ""),
    "Publish_name": ('strcpy(port, "a port");', {"info": "MPI_INFO_NULL"}, ""), "Unpublish_name": ("", {"info": "MPI_INFO_NULL"}, ""),
    "Lookup_name": ("", {"port_name": "text", "info": "MPI_INFO_NULL"}, ""),
    "Status_get_error": ("", {"error": "&done"}, ""), "Status_get_source": ("", {"source": "&done"}, ""), "Status_get_tag": ("", {"tag": "&done"}, ""),
    "Dims_create": ("", {"dims": "((int[]){0})"}, ""), "Register_datarep": ("", {"datarep": '"every-T"'}, ""),
    "Comm_rank": ("", {"rank": "&done"}, ""), "Comm_size": ("", {"size": "&done"}, ""), "Group_rank": ("", {"rank": "&done"}, ""),
    "Group_size": ("", {"size": "&done"}, ""), "Comm_compare": ("", {}, ""), "Reduce_local": ("", {}, ""),
    "Test_cancelled": ("post_send(); post_receive(); PMPI_Wait(&r, &st);", {}, "finish_send();"),
    "Get_address": ("", {}, ""), "Abort": None, "Finalize": None,
}  # yapf: disable
for _kind, (_make, _free) in KEYS.items():
    _low = _kind.lower()
    _handle = {"Comm": "SELF", "Type": "type", "Win": "win"}[_kind]
    _role = {"Comm": "comm", "Type": "datatype", "Win": "win"}[_kind]
    NAMES[f"{_kind}_create_keyval"] = ("", {f"{_low}_keyval": "&key"}, _free)
    NAMES[f"{_kind}_free_keyval"] = (_make, {f"{_low}_keyval": "&key"}, "")
    NAMES[f"{_kind}_set_attr"] = (_make, {f"{_low}_keyval": "key", "attribute_val": "a", _role: _handle}, "")
    NAMES[f"{_kind}_delete_attr"] = (_make + f" PMPI_{_kind}_set_attr({_handle}, key, a);", {f"{_low}_keyval": "key", _role: _handle}, _free)
NAMES["Type_get_attr"] = (KEYS["Type"][0], {"type_keyval": "key", "datatype": "type"}, KEYS["Type"][1])

# Functions that the program does not call, and why.
LEFT_OUT = {
    "openmpi": {},
    "openmpi 5": {"MPI_Intercomm_create_from_groups": "it crashes"},
    "mpich": {"MPI_Close_port": "it crashes on a port that could not be opened, and none can be"},
}


def left_out(mpi, version):
    """Returns the functions that cannot be called, and why."""
    return {"MPI_Abort": "it ends the job", **LEFT_OUT[mpi], **LEFT_OUT.get(f"{mpi} {version[0]}", {})}


# Functions that must be called first or last.
FIRST = ("MPI_Win_allocate", "MPI_File_open", "MPI_Add_error_class", "MPI_File_write", "MPI_Publish_name", "MPI_Lookup_name", "MPI_Unpublish_name")
LAST = ("MPI_File_close", "MPI_Win_free")


def expression(function, argument, given):
    """Returns the C expression of an argument."""
    base = argument.base
    if argument.name in given:
        text = given[argument.name]
    elif argument.name == "buf" and not argument.constant:
        text = "b"
    elif argument.array:
        value = {"MPI_Datatype": "MPI_INT", "MPI_Request": "MPI_REQUEST_NULL"}.get(base)
        first = value or ("1" if argument.name.endswith(("counts", "lengths", "dims")) else "0")
        text = BY_NAME.get(argument.name) or f"(({base}[16]){{{', '.join([first] * (16 if not value else 2))}}})"
    elif argument.stars and base == "MPI_Request":
        text = "&s"
    elif argument.stars and base not in ("void", "char") and base not in BY_TYPE:
        text = BY_NAME.get(argument.name, "")
        text = text if text.startswith("&") else f"&({base}){{0}}"
    elif argument.stars and base in ("int", "MPI_Count", "MPI_Aint", "MPI_Offset", "MPI_Datatype", "MPI_Op", "MPI_Comm"):
        text = f"&({base}){{0}}"
    elif base == "char" and not argument.constant:
        text = "text"
    elif base == "MPI_Session":
        text = "session"
    else:
        text = (BY_NAME.get(argument.name) if (argument.name, base) != ("key", "int") else "0") or BY_TYPE.get(base) or "b"
    return re.sub(r"\bT\b", base, text)


def call_of(function):
    """Returns C statements that call a function once; None if it cannot be called here."""
    short = function.short[:-2] if function.name.endswith("_c") else function.short
    case = NAMES[short] if short in NAMES else KINDS.get(function.kind, ("", {}, ""))
    if case is None:
        return None
    before, given, after = case
    given = dict(given)
    if "neighbor" in function.flags:
        given["comm"] = "dist"
    if short == "Win_allocate" and function.name.endswith("_c"):
        before, given["win"], after = "", "&w", "PMPI_Win_free(&w);"
    if function.kind == "file_read" or function.kind == "file_write":
        before, after = split_io(function, before, after, given)
    if any(argument.base == "MPI_Session" for argument in function.arguments) and "MPI_Session" not in before:
        before, after = SESSION + before, after + NO_SESSION
    if function.kind == "finalize":
        return None
    arguments = ", ".join(expression(function, argument, given) for argument in function.arguments)
    call = f"{function.name}({arguments})"
    noted = f'note_call("{function.name}", {call});' if function.result == "int" else f'{call}; note_call("{function.name}", 0);'
    return f"{{ {before} {noted} {after} }}"


def split_io(function, before, after, given):
    """Returns the statements around one of the two functions of a split transfer, with the other one added."""
    base = re.sub(r"_(begin|end)(_c)?$", "", function.name)
    if "begin" in function.flags:
        return before, f"P{base}_end(file, {'a' if function.kind == 'file_write' else 'b'}, &st);"
    if "end" in function.flags:
        offset = "0, " if "at" in function.flags else ""
        return f"P{base}_begin(file, {offset}{'a' if function.kind == 'file_write' else 'b'}, 1, MPI_INT);", after
    if "nonblocking" in function.flags:
        given["request"] = "&s"
        return before, "finish_send();"
    return before, after


def program(functions, declared, left_out, include="prelude.h", times=None):
    """Returns the C program, without the functions in `left_out`. `include`: the header before it. `times`: how often a function
    is called, if not once."""
    known = [function for function in functions if function.name in declared and function.recorded != "never"]
    wanted = [function for function in known if function.group != "init" or function.short.startswith("Session_")
              or function.name in ("MPI_Pcontrol", "MPI_Initialized", "MPI_Finalized", "MPI_Is_thread_main", "MPI_Query_thread")]
    order = {name: number - len(FIRST) for number, name in enumerate(FIRST)} | {name: 10000 + number for number, name in enumerate(LAST)}
    wanted.sort(key=lambda function: order.get(function.name, function.number))
    calls = [None if function.name in left_out else call_of(function) for function in wanted]
    lines = [f'#include "{include}"', "int main(int argc, char **argv)", "{",
             'if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return 1;',
             'const char *number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");',
             'if (argc > 1 && strcmp(argv[1], "child") == 0) {',
             "MPI_Init(&argc, &argv); PMPI_Comm_get_parent(&made); PMPI_Comm_disconnect(&made); MPI_Finalize(); return 0; }",
             'if (number && atoi(number)) note_call("MPI_Init_thread", MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &done));',
             'else note_call("MPI_Init", MPI_Init(&argc, &argv));', "prepare_handles(argv[1]);"]
    for function, call in zip(wanted, calls):
        if call:
            lines += [f'if (getenv("EVERY_VERBOSE")) fprintf(stderr, "%d {function.name}\\n", world_rank);']
            lines += [call] if times is None else [f"variant = {again}; {call}" for again in range(times(function))]
    lines += ['sprintf(text, "%s/called-%d", argv[1], world_rank); FILE *list = fopen(text, "w");', "PMPI_Barrier(MPI_COMM_WORLD);", 'note_call("MPI_Finalize", MPI_Finalize());', "for (int i = 0; called[i].name; i++)",
              'fprintf(list, "%s %d %d\\n", called[i].name, called[i].n, called[i].result);', "return fclose(list);", "}", ""]
    return "\n".join(lines)
