/* A module that does nothing in a program: what `xtf record` loads where a test does not look at the trace. */
