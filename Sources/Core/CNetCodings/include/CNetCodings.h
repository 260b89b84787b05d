// Decoders of content, by the libraries that libcurl itself is linked with: loaded at run time, declared by ourselves.
// One interface for all of them, which keeps nothing but what a decoder needs.
#ifndef CNETCODINGS_H
#define CNETCODINGS_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

enum {
    /// RFC 1952: one member or more, CRC and length of each checked.
    CND_GZIP = 1,
    /// RFC 1950, or RFC 1951 alone, as servers have it.
    CND_DEFLATE = 2,
    /// RFC 7932.
    CND_BROTLI = 3,
    /// RFC 8878, with windows of up to 8 MiB (RFC 9659).
    CND_ZSTD = 4,
};

enum {
    /// Goes on with more bytes, or with more room.
    CND_MORE = 0,
    /// What has come is whole.
    CND_END = 1,
    CND_DAMAGED = 2,
    CND_NO_MEMORY = 3,
};

/// Whether the library of a coding is there.
bool cnd_has(int coding);

/// A decoder at the beginning of its content, or null.
void *cnd_open(int coding);
void cnd_close(void *decoder);

/// Decodes as far as there are bytes and room.
///
/// `in_count` and `out_count` are what there is, and then what was taken and made. Bytes behind the end begin another member
/// where the coding has such, and are damage where it has not; zeros behind a gzip are padding.
int cnd_step(void *decoder, const void *in, size_t *in_count, void *out, size_t *out_count);

/// Whether messages of WebSocket can be compressed (RFC 7692).
bool cnd_has_messages(void);

/// A compressor of messages, or a decompressor, with a window of 2^8 to 2^15 bytes; or null.
void *cnd_messages_open(bool deflates, int bits);
void cnd_messages_close(void *messages);

/// Forgets the messages so far.
void cnd_messages_forget(void *messages);

/// Works as far as there are bytes and room, counts as `cnd_step`; a compressor flushes all that it was given, and is at the
/// end of that when there is room left.
int cnd_messages_step(void *messages, const void *in, size_t *in_count, void *out, size_t *out_count);
#endif
#endif
