/*
 * Writes archives of OTF1 by OTF's own library.
 *
 * usage: otf1-archives FOLDER
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/otf1/archive.h"

static const struct {
    const char *name;
    uint32_t format, streams, n_events;
    bool compressed;
} archives[] = {
    {"short", OTF_WSTREAM_FORMAT_SHORT, 3, 400, false},
    {"long", OTF_WSTREAM_FORMAT_LONG, 2, 400, false},
    {"compressed", OTF_WSTREAM_FORMAT_SHORT, 1, 2000, true},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof archives / sizeof *archives; i++) {
        char stem[4096];
        snprintf(stem, sizeof stem, "%s/%s", argv[1], archives[i].name);
        OTF_FileManager *manager = OTF_FileManager_open(20);
        Archive archive = {.writer = OTF_Writer_open(stem, archives[i].streams, manager),
                           .list = OTF_KeyValueList_new(),
                           .seed = i + 1,
                           .time = 1000};
        if (!archive.writer)
            return 1;
        OTF_Writer_setFormat(archive.writer, archives[i].format);
        if (archives[i].compressed)
            OTF_Writer_setCompression(archive.writer, OTF_FILECOMPRESSION_COMPRESSED);
        archive_write_definitions(&archive);
        archive_write_events(&archive, archives[i].n_events);
        archive_write_extras(&archive);
        OTF_KeyValueList_close(archive.list);
        OTF_Writer_close(archive.writer);
        OTF_FileManager_close(manager);
    }
    return argc == 2 ? 0 : 2;
}
