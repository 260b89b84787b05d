// Headers of the C library that the toolchain's Glibc module omits.
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
