/* Loads the library of each argument in turn, calls its function `turn` as often as the next argument says, and
 * unloads it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        void (*turn)(void) = library ? (void (*)(void))dlsym(library, "turn") : NULL;
        if (!turn) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        for (int n = atoi(argv[i + 1]); n > 0; n--)
            turn();
        printf("%lx\n", (unsigned long)(uintptr_t)turn);
        dlclose(library);
    }
    return 0;
}
