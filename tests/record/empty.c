/* A module that does nothing in a program. Tests that do not need a trace have `xtf record` load it. */
