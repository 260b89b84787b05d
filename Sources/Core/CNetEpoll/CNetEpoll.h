// The Glibc module of the Swift toolchain leaves these headers of the C library out.
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif
