/*
 * The commands of `xtf`: one function each, in a file of its name.
 *
 * argv holds the command's name and its arguments. The function parses them with GOptionContext, so that --help works.
 * It returns the exit status: 0 done, 1 failed (a message went to stderr), 2 wrong usage. main() has set up locale and
 * signals.
 */
#pragma once

int xtf_command_align(int argc, char **argv);
int xtf_command_analyze(int argc, char **argv);
int xtf_command_help(int argc, char **argv);
int xtf_command_import(int argc, char **argv);
int xtf_command_model(int argc, char **argv);
int xtf_command_mount(int argc, char **argv);
int xtf_command_unmount(int argc, char **argv);
int xtf_command_info(int argc, char **argv);
int xtf_command_check(int argc, char **argv);
int xtf_command_cluster(int argc, char **argv);
int xtf_command_cache(int argc, char **argv);
int xtf_command_collect(int argc, char **argv);
int xtf_command_copy(int argc, char **argv);
int xtf_command_export(int argc, char **argv);
int xtf_command_deadlock(int argc, char **argv);
int xtf_command_diff(int argc, char **argv);
int xtf_command_play(int argc, char **argv);
int xtf_command_predict(int argc, char **argv);
int xtf_command_merge(int argc, char **argv);
int xtf_command_record(int argc, char **argv);
int xtf_command_representative(int argc, char **argv);
int xtf_command_scale(int argc, char **argv);
int xtf_command_top(int argc, char **argv);
int xtf_command_cat(int argc, char **argv);
int xtf_command_watch(int argc, char **argv);
int xtf_command_why(int argc, char **argv);
int xtf_command_ls(int argc, char **argv);
