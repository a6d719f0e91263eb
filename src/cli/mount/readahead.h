/*
 * How far the kernel reads ahead in a mount.
 */
#pragma once

/* Lets the kernel ask for 1 MiB at a time, the most that a FUSE request may carry, where it would ask for 128 KiB: a
 * first read of `records` is a third faster then. Only root may set it; for others, and without sysfs, nothing
 * happens. The mount must be usable: it is asked for its root's attributes once. */
void xtf_readahead_widen(const char *mount_point);
