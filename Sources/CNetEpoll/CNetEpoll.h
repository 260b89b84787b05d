// The Glibc module of the Swift toolchain leaves this header of the C library out.
#if defined(__linux__)
#include <sys/epoll.h>
#endif
