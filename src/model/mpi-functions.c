#include "src/model/mpi-functions.h"

#include <glib.h>
#include <string.h>

/* The known functions; names are in lower case, without the prefix. */
static const struct {
    XtfRegionClass class;
    const char *names;
} functions[] = {
    {XTF_CLASS_P2P,
     "bsend bsend_init buffer_attach buffer_detach buffer_flush buffer_iflush cancel comm_attach_buffer "
     "comm_detach_buffer comm_flush_buffer comm_iflush_buffer ibsend imrecv irecv irsend isend isendrecv "
     "isendrecv_replace issend mrecv pready pready_list pready_range precv_init psend_init recv recv_init "
     "rsend rsend_init send send_init sendrecv sendrecv_replace session_attach_buffer session_detach_buffer "
     "session_flush_buffer session_iflush_buffer ssend ssend_init start startall"},
    {XTF_CLASS_WAIT,
     "improbe iprobe mprobe parrived probe request_get_status request_get_status_all request_get_status_any "
     "request_get_status_some test testall testany testsome wait waitall waitany waitsome"},
    {XTF_CLASS_COLLECTIVE,
     "allgather allgather_init allgatherv allgatherv_init allreduce allreduce_init alltoall alltoall_init "
     "alltoallv alltoallv_init alltoallw alltoallw_init bcast bcast_init exscan exscan_init gather gather_init "
     "gatherv gatherv_init iallgather iallgatherv iallreduce ialltoall ialltoallv ialltoallw ibcast iexscan "
     "igather igatherv ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall ineighbor_alltoallv "
     "ineighbor_alltoallw ireduce ireduce_scatter ireduce_scatter_block iscan iscatter iscatterv "
     "neighbor_allgather neighbor_allgather_init neighbor_allgatherv neighbor_allgatherv_init "
     "neighbor_alltoall neighbor_alltoall_init neighbor_alltoallv neighbor_alltoallv_init neighbor_alltoallw "
     "neighbor_alltoallw_init reduce reduce_init reduce_scatter reduce_scatter_block reduce_scatter_block_init "
     "reduce_scatter_init scan scan_init scatter scatter_init scatterv scatterv_init"},
    {XTF_CLASS_BARRIER, "barrier barrier_init ibarrier"},
    {XTF_CLASS_RMA,
     "accumulate compare_and_swap fetch_and_op get get_accumulate put raccumulate rget rget_accumulate rput "
     "win_allocate win_allocate_shared win_attach win_c2f win_call_errhandler win_complete win_create "
     "win_create_dynamic win_create_errhandler win_create_keyval win_delete_attr win_detach win_f2c win_fence "
     "win_flush win_flush_all win_flush_local win_flush_local_all win_free win_free_keyval win_get_attr "
     "win_get_errhandler win_get_group win_get_info win_get_name win_lock win_lock_all win_post win_set_attr "
     "win_set_errhandler win_set_info win_set_name win_shared_query win_start win_sync win_test win_unlock "
     "win_unlock_all win_wait"},
    {XTF_CLASS_MPI_IO,
     "file_c2f file_call_errhandler file_close file_create_errhandler file_delete file_f2c file_get_amode "
     "file_get_atomicity file_get_byte_offset file_get_errhandler file_get_group file_get_info "
     "file_get_position file_get_position_shared file_get_size file_get_type_extent file_get_view file_iread "
     "file_iread_all file_iread_at file_iread_at_all file_iread_shared file_iwrite file_iwrite_all "
     "file_iwrite_at file_iwrite_at_all file_iwrite_shared file_open file_preallocate file_read file_read_all "
     "file_read_all_begin file_read_all_end file_read_at file_read_at_all file_read_at_all_begin "
     "file_read_at_all_end file_read_ordered file_read_ordered_begin file_read_ordered_end file_read_shared "
     "file_seek file_seek_shared file_set_atomicity file_set_errhandler file_set_info file_set_size "
     "file_set_view file_sync file_write file_write_all file_write_all_begin file_write_all_end file_write_at "
     "file_write_at_all file_write_at_all_begin file_write_at_all_end file_write_ordered "
     "file_write_ordered_begin file_write_ordered_end file_write_shared register_datarep"},
    {XTF_CLASS_MPI_INIT, "finalize init init_thread session_finalize session_init"},
    {XTF_CLASS_MPI_OTHER,
     "abi_get_fortran_info abi_get_info abi_get_version abort add_error_class add_error_code add_error_string "
     "address aint aint_add aint_diff alloc_mem attr_delete attr_get attr_put cart_coords cart_create cart_get "
     "cart_map cart_rank cart_shift cart_sub cartdim_get close_port comm_accept comm_c2f comm_call_errhandler "
     "comm_compare comm_connect comm_create comm_create_errhandler comm_create_from_group comm_create_group "
     "comm_create_keyval comm_delete_attr comm_disconnect comm_dup comm_dup_with_info comm_f2c comm_free "
     "comm_free_keyval comm_get_attr comm_get_errhandler comm_get_info comm_get_name comm_get_parent "
     "comm_group comm_idup comm_idup_with_info comm_join comm_rank comm_remote_group comm_remote_size "
     "comm_set_attr comm_set_errhandler comm_set_info comm_set_name comm_size comm_spawn comm_spawn_multiple "
     "comm_split comm_split_type comm_test_inter dims_create dist_graph_create dist_graph_create_adjacent "
     "dist_graph_neighbors dist_graph_neighbors_count errhandler_c2f errhandler_create errhandler_f2c "
     "errhandler_free errhandler_get errhandler_set error_class error_string finalized free_mem get_address "
     "get_count get_elements get_elements_x get_hw_resource_info get_library_version get_processor_name "
     "get_version graph_create graph_get graph_map graph_neighbors graph_neighbors_count graphdims_get "
     "grequest_complete grequest_start group_c2f group_compare group_difference group_excl group_f2c "
     "group_free group_from_session_pset group_incl group_intersection group_range_excl group_range_incl "
     "group_rank group_size group_translate_ranks group_union info_c2f info_create info_create_env info_delete "
     "info_dup info_f2c info_free info_get info_get_nkeys info_get_nthkey info_get_string info_get_valuelen "
     "info_set initialized intercomm_create intercomm_create_from_groups intercomm_merge is_thread_main "
     "keyval_create keyval_free lookup_name message_c2f message_f2c op_c2f op_commutative op_create op_f2c "
     "op_free open_port pack pack_external pack_external_size pack_size pcontrol publish_name query_thread "
     "reduce_local remove_error_class remove_error_code remove_error_string request_c2f request_f2c "
     "request_free session_c2f session_call_errhandler session_create_errhandler session_f2c "
     "session_get_errhandler session_get_info session_get_nth_pset session_get_num_psets session_get_pset_info "
     "session_set_errhandler session_set_info sizeof status_c2f status_c2f08 status_f082c status_f082f status_f2c "
     "status_f2f08 "
     "status_get_error status_get_source status_get_tag status_set_cancelled status_set_elements "
     "status_set_elements_x status_set_error status_set_source status_set_tag t_category_changed "
     "t_category_get_categories t_category_get_cvars t_category_get_events t_category_get_index "
     "t_category_get_info t_category_get_num t_category_get_num_events t_category_get_pvars t_cvar_get_index "
     "t_cvar_get_info t_cvar_get_num t_cvar_handle_alloc t_cvar_handle_free t_cvar_read t_cvar_write "
     "t_enum_get_info t_enum_get_item t_event_callback_get_info t_event_callback_set_info t_event_copy "
     "t_event_get_index t_event_get_info t_event_get_num t_event_get_source t_event_get_timestamp "
     "t_event_handle_alloc t_event_handle_free t_event_handle_get_info t_event_handle_set_info t_event_read "
     "t_event_register_callback t_event_set_dropped_handler t_finalize t_init_thread t_pvar_get_index "
     "t_pvar_get_info t_pvar_get_num t_pvar_handle_alloc t_pvar_handle_free t_pvar_read t_pvar_readreset "
     "t_pvar_reset t_pvar_session_create t_pvar_session_free t_pvar_start t_pvar_stop t_pvar_write "
     "t_source_get_info t_source_get_num t_source_get_timestamp test_cancelled topo_test type_c2f type_commit "
     "type_contiguous type_create_darray type_create_f90_complex type_create_f90_integer type_create_f90_real "
     "type_create_hindexed type_create_hindexed_block type_create_hvector type_create_indexed_block "
     "type_create_keyval type_create_resized type_create_struct type_create_subarray type_delete_attr type_dup "
     "type_extent type_f2c type_free type_free_keyval type_get_attr type_get_contents type_get_envelope "
     "type_get_extent type_get_extent_x type_get_name type_get_true_extent type_get_true_extent_x "
     "type_get_value_index type_hindexed type_hvector type_indexed type_lb type_match_size type_set_attr "
     "type_set_name type_size type_size_x type_struct type_ub type_vector unpack unpack_external "
     "unpublish_name wtick wtime"},
};

/* Classes of unknown names, by the first part that a name contains. */
static const struct {
    const char *part;
    XtfRegionClass class;
} parts[] = {
    {"file_", XTF_CLASS_MPI_IO},
    {"win_", XTF_CLASS_RMA},
    {"barrier", XTF_CLASS_BARRIER},
    {"allgather", XTF_CLASS_COLLECTIVE},
    {"allreduce", XTF_CLASS_COLLECTIVE},
    {"alltoall", XTF_CLASS_COLLECTIVE},
    {"bcast", XTF_CLASS_COLLECTIVE},
    {"reduce", XTF_CLASS_COLLECTIVE},
    {"gather", XTF_CLASS_COLLECTIVE},
    {"scatter", XTF_CLASS_COLLECTIVE},
    {"wait", XTF_CLASS_WAIT},
    {"send", XTF_CLASS_P2P},
    {"recv", XTF_CLASS_P2P},
};

/* Endings of the symbols of Fortran's modules. */
static const char *const endings[] = {"_f08ts", "_fts", "_f08", NULL};

static gpointer make_table(gpointer unused)
{
    GHashTable *classes = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned i = 0; i < G_N_ELEMENTS(functions); i++) {
        char **names = g_strsplit(functions[i].names, " ", -1);
        for (char **name = names; *name; name++)
            g_hash_table_insert(classes, *name, GINT_TO_POINTER((int)functions[i].class + 1));
        g_free(names);
    }
    return classes;
}

/* Returns the table of known functions, which is never freed. */
static GHashTable *known_functions(void)
{
    static GOnce once = G_ONCE_INIT;
    return g_once(&once, make_table, NULL);
}

/* Returns the rest of a name after MPI_ in any case, or after MPIX_; a P may precede them. NULL: the name has no such
 * prefix. */
static const char *skip_prefix(const char *name)
{
    name += *name == 'P' || *name == 'p';
    if (g_ascii_strncasecmp(name, "mpi_", 4) == 0)
        return name + 4;
    return strncmp(name, "MPIX_", 5) == 0 ? name + 5 : NULL;
}

/* True if a name is reserved to MPI. */
static bool is_reserved(const char *name)
{
    name += *name == 'P';
    size_t prefix = strncmp(name, "MPI_", 4) == 0 ? 4 : strncmp(name, "MPIX_", 5) == 0 ? 5 : 0;
    return prefix && g_ascii_isupper(name[prefix]);
}

/* Returns the name as in the table, without its parameters, as a new string. NULL: no name of MPI has this form. */
static char *plain_name(const char *name)
{
    enum { LONGEST = 64 };
    const char *suffix = skip_prefix(name);

    if (!suffix)
        return NULL;
    size_t length = strcspn(suffix, "( ");
    if (!length || length > LONGEST)
        return NULL;
    char *plain = g_ascii_strdown(suffix, (gssize)length);
    while (length && plain[length - 1] == '_')
        plain[--length] = '\0';
    for (const char *const *ending = endings; *ending; ending++) {
        if (g_str_has_suffix(plain, *ending))
            plain[length -= strlen(*ending)] = '\0';
    }
    return plain;
}

static bool find_class(const char *plain, XtfRegionClass *class)
{
    int found = GPOINTER_TO_INT(g_hash_table_lookup(known_functions(), plain));

    if (found)
        *class = (XtfRegionClass)(found - 1);
    return found;
}

static XtfRegionClass guess_class(const char *plain)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (strstr(plain, parts[i].part))
            return parts[i].class;
    }
    return XTF_CLASS_MPI_OTHER;
}

XtfMpiKnowledge xtf_mpi_function_class(const char *name, XtfRegionClass *class)
{
    g_autofree char *plain = plain_name(name);

    if (!plain)
        return XTF_MPI_NONE;
    if (find_class(plain, class))
        return XTF_MPI_KNOWN;
    if (g_str_has_suffix(plain, "_c")) { /* a function for large counts, such as MPI_Send_c */
        plain[strlen(plain) - 2] = '\0';
        if (find_class(plain, class))
            return XTF_MPI_KNOWN;
    }
    if (!is_reserved(name))
        return XTF_MPI_NONE;
    *class = guess_class(plain);
    return XTF_MPI_UNKNOWN;
}

XtfMpiBound xtf_mpi_function_bound(const char *name)
{
    g_autofree char *plain = plain_name(name);

    if (!plain)
        return XTF_MPI_NOT_A_BOUND;
    if (g_str_equal(plain, "init") || g_str_equal(plain, "init_thread"))
        return XTF_MPI_BEGINS;
    return g_str_equal(plain, "finalize") ? XTF_MPI_ENDS : XTF_MPI_NOT_A_BOUND;
}

int xtf_mpi_function_find(const char *name, const char *const *list)
{
    g_autofree char *plain = plain_name(name);

    if (plain && g_str_has_suffix(plain, "_c")) /* a function for large counts, such as MPI_Send_c */
        plain[strlen(plain) - 2] = '\0';
    for (int i = 0; plain && list[i]; i++)
        if (g_str_equal(plain, list[i]))
            return i;
    return -1;
}

XtfMpiCall xtf_mpi_call(const char *name, XtfRegionClass class)
{
    static const struct {
        const char *name;
        XtfMpiCall call;
    } calls[] = {
        {"init", XTF_MPI_CALL_INIT},     {"init_thread", XTF_MPI_CALL_INIT},  {"finalize", XTF_MPI_CALL_FINALIZE},
        {"send", XTF_MPI_CALL_SEND},     {"ssend", XTF_MPI_CALL_SEND},        {"wait", XTF_MPI_CALL_WAIT},
        {"waitany", XTF_MPI_CALL_WAIT},  {"waitall", XTF_MPI_CALL_WAIT_MANY}, {"waitsome", XTF_MPI_CALL_WAIT_MANY},
        {"test", XTF_MPI_CALL_TEST},     {"testall", XTF_MPI_CALL_TEST},      {"testany", XTF_MPI_CALL_TEST},
        {"testsome", XTF_MPI_CALL_TEST}, {"mprobe", XTF_MPI_CALL_MPROBE},
    };
    const char *names[G_N_ELEMENTS(calls) + 1] = {NULL};

    if (!(XTF_CLASSES_MPI & XTF_CLASS_BIT(class)))
        return XTF_MPI_CALL_NONE;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        names[i] = calls[i].name;
    int found = xtf_mpi_function_find(name, names);
    return found < 0 ? XTF_MPI_CALL_OTHER : calls[found].call;
}

bool xtf_mpi_takes_probed(const char *name, XtfRegionClass class)
{
    static const char *const probed[] = {"mrecv", "imrecv", NULL};

    return (class == XTF_CLASS_P2P || class == XTF_CLASS_WAIT) && xtf_mpi_function_find(name, probed) >= 0;
}

const char *const xtf_collective_functions[XTF_COLLECTIVE_FUNCTIONS + 1] = {"barrier",
                                                                            "bcast",
                                                                            "gather",
                                                                            "gatherv",
                                                                            "scatter",
                                                                            "scatterv",
                                                                            "allgather",
                                                                            "allgatherv",
                                                                            "alltoall",
                                                                            "alltoallv",
                                                                            "alltoallw",
                                                                            "reduce",
                                                                            "allreduce",
                                                                            "reduce_scatter",
                                                                            "reduce_scatter_block",
                                                                            "scan",
                                                                            "exscan",
                                                                            "neighbor_allgather",
                                                                            "neighbor_allgatherv",
                                                                            "neighbor_alltoall",
                                                                            "neighbor_alltoallv",
                                                                            "neighbor_alltoallw",
                                                                            NULL};

XtfRooted xtf_collective_function_rooted(int function)
{
    static const char *const from[] = {"bcast", "scatter", "scatterv", NULL}, *const to[] = {"reduce", "gather", NULL};
    const char *name = xtf_collective_functions[function];

    return g_strv_contains(from, name) ? XTF_ROOTED_FROM : g_strv_contains(to, name) ? XTF_ROOTED_TO : XTF_ROOTED_NOT;
}

bool xtf_collective_function_synchronises(int function)
{
    static const char *const all_to_all[] = {"barrier", "allgather", "allreduce", "alltoall", "reduce_scatter_block",
                                             NULL};

    return g_strv_contains(all_to_all, xtf_collective_functions[function]);
}
