// Decoders of content codings by the libraries that libcurl itself uses, loaded at run time and declared here.
// One interface for all of them, with only the state that a decoder needs.
#ifndef CNETCODINGS_H
#define CNETCODINGS_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>

enum {
    /// RFC 1952: one or more members; CRC and length of each are checked.
    CND_GZIP = 1,
    /// RFC 1950 or raw RFC 1951, as servers send either.
    CND_DEFLATE = 2,
    /// RFC 7932.
    CND_BROTLI = 3,
    /// RFC 8878, with windows of up to 8 MiB (RFC 9659).
    CND_ZSTD = 4,
};

enum {
    /// Continue with more bytes or more room.
    CND_MORE = 0,
    /// The content so far is complete.
    CND_END = 1,
    CND_DAMAGED = 2,
    CND_NO_MEMORY = 3,
};

/// Whether the library of a coding is available.
bool cnd_has(int coding);

/// A decoder at the start of its content, or null.
void *cnd_open(int coding);
void cnd_close(void *decoder);

/// Decodes as far as there are bytes and room.
///
/// `in_count` and `out_count` are the available bytes and room, and on return the consumed and produced bytes. Bytes after
/// the end begin another member if the coding has members, and are damage otherwise; zeros after a gzip are padding.
int cnd_step(void *decoder, const void *in, size_t *in_count, void *out, size_t *out_count);

/// Whether WebSocket messages can be compressed (RFC 7692).
bool cnd_has_messages(void);

/// A compressor or decompressor of messages, with a window of 2^8 to 2^15 bytes; or null.
void *cnd_messages_open(bool deflates, int bits);
void cnd_messages_close(void *messages);

/// Forgets the previous messages.
void cnd_messages_forget(void *messages);

/// Works as far as there are bytes and room, with counts as in `cnd_step`; a compressor flushes all its input, and is done
/// when there is room left.
int cnd_messages_step(void *messages, const void *in, size_t *in_count, void *out, size_t *out_count);
#endif
#endif
