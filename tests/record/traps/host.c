/* host PLUGIN deep|local: a program without MPI, which loads a plugin that uses MPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | (strcmp(argv[2], "deep") == 0 ? RTLD_DEEPBIND : 0));
    int (*run)(const char *);

    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    run = (int (*)(const char *))dlsym(plugin, "run");
    return run ? run("plain") : 3;
}
