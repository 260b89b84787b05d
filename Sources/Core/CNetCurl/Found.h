// Functions of OpenSSL are found at run time: building asks for neither its headers nor its library. A program that is linked
// statically has no table of names to look in: there the linker fills in what libcurl brought along.
#include <dlfcn.h>

// A function of the library, and the pointer to it: null until FIND, and where the library lacks it.
#define DECLARE(pointer, result, name, parameters) \
    __attribute__((weak)) extern result name parameters; \
    static __typeof__(name) *pointer;
#define FIND(pointer, result, name, parameters) \
    pointer = name ? &name : (__typeof__(name) *)dlsym(RTLD_DEFAULT, #name);
