#include "CNetCodings.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

// zlib, with its ABI since 1.2.0; it is passed the size of this struct, and refuses another size.
struct z_stream_ {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned, unsigned);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

enum { z_sync_flush = 2, z_ok = 0, z_stream_end = 1, z_mem_error = -4, z_buf_error = -5 };
enum { z_raw = -15, z_wrapped = 15, z_gzip = 15 + 16 };

static struct {
    int (*init)(struct z_stream_ *, int bits, const char *version, int size);
    int (*step)(struct z_stream_ *, int flush);
    int (*reset)(struct z_stream_ *);
    int (*end)(struct z_stream_ *);
    /// The same without resetting the window.
    int (*reset_keep)(struct z_stream_ *);
    int (*deflate_init)(struct z_stream_ *, int level, int method, int bits, int memory, int strategy, const char *, int size);
    int (*deflate)(struct z_stream_ *, int flush);
    int (*deflate_reset)(struct z_stream_ *);
    int (*deflate_end)(struct z_stream_ *);
} zlib;

static struct {
    void *(*create)(void *, void *, void *);
    int (*step)(void *, size_t *in, const uint8_t **, size_t *out, uint8_t **, size_t *total);
    void (*destroy)(void *);
} brotli;

enum { brotli_error = 0, brotli_success = 1 };

// Of its input and, without the const, of its output.
struct zstd_buffer_ {
    const void *bytes;
    size_t size;
    size_t pos;
};

static struct {
    void *(*create)(void);
    size_t (*set)(void *, int parameter, int value);
    size_t (*step)(void *, struct zstd_buffer_ *, struct zstd_buffer_ *);
    unsigned (*is_error)(size_t);
    size_t (*destroy)(void *);
} zstd;

enum { zstd_window_log_max = 100, zstd_window_log = 23 };

static bool has_zlib, has_deflate, has_brotli, has_zstd;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *place) {
    void *symbol = library ? dlsym(library, name) : NULL;
    *(void **)place = symbol;
    return symbol != NULL;
}

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zlib = find(library, "inflateInit2_", &zlib.init) && find(library, "inflate", &zlib.step) &&
               find(library, "inflateReset", &zlib.reset) && find(library, "inflateEnd", &zlib.end);
    has_deflate = has_zlib && find(library, "inflateResetKeep", &zlib.reset_keep) &&
                  find(library, "deflateInit2_", &zlib.deflate_init) && find(library, "deflate", &zlib.deflate) &&
                  find(library, "deflateReset", &zlib.deflate_reset) && find(library, "deflateEnd", &zlib.deflate_end);
    library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    has_brotli = find(library, "BrotliDecoderCreateInstance", &brotli.create) &&
                 find(library, "BrotliDecoderDecompressStream", &brotli.step) &&
                 find(library, "BrotliDecoderDestroyInstance", &brotli.destroy);
    library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zstd = find(library, "ZSTD_createDStream", &zstd.create) &&
               find(library, "ZSTD_DCtx_setParameter", &zstd.set) &&
               find(library, "ZSTD_decompressStream", &zstd.step) && find(library, "ZSTD_isError", &zstd.is_error) &&
               find(library, "ZSTD_freeDStream", &zstd.destroy);
}

struct decoder {
    int coding;
    /// Whether the content so far is complete.
    bool has_ended;
    /// Whether zeros follow the last member of a gzip: nothing else may follow them.
    bool is_padded;
    /// Whether the format of a deflate is known; until then its first byte is kept.
    bool is_open, has_first;
    unsigned char first;
    struct z_stream_ stream;
    void *other;
};

bool cnd_has(int coding) {
    pthread_once(&loaded, load);
    switch (coding) {
    case CND_GZIP:
    case CND_DEFLATE: return has_zlib;
    case CND_BROTLI: return has_brotli;
    case CND_ZSTD: return has_zstd;
    default: return false;
    }
}

static bool open_zlib(struct decoder *decoder, int bits) {
    return decoder->is_open = zlib.init(&decoder->stream, bits, "1.2.0", sizeof decoder->stream) == z_ok;
}

void *cnd_open(int coding) {
    struct decoder *decoder = cnd_has(coding) ? calloc(1, sizeof *decoder) : NULL;
    if (!decoder) return NULL;
    decoder->coding = coding;
    bool is_ready = true;
    switch (coding) {
    case CND_GZIP: is_ready = open_zlib(decoder, z_gzip); break;
    case CND_BROTLI: is_ready = (decoder->other = brotli.create(NULL, NULL, NULL)) != NULL; break;
    case CND_ZSTD:
        decoder->other = zstd.create();
        is_ready = decoder->other && !zstd.is_error(zstd.set(decoder->other, zstd_window_log_max, zstd_window_log));
        break;
    default: break;
    }
    if (is_ready) return decoder;
    cnd_close(decoder);
    return NULL;
}

void cnd_close(void *opened) {
    struct decoder *decoder = opened;
    if (!decoder) return;
    if (decoder->is_open) zlib.end(&decoder->stream);
    if (decoder->other && decoder->coding == CND_BROTLI) brotli.destroy(decoder->other);
    if (decoder->other && decoder->coding == CND_ZSTD) zstd.destroy(decoder->other);
    free(decoder);
}

static unsigned bounded(size_t count) { return count > 1u << 30 ? 1u << 30 : (unsigned)count; }

typedef int (*zlib_step)(struct z_stream_ *, int flush);

// Lets zlib work as far as there are bytes and room; z_… is its result.
static int move(struct z_stream_ *stream, zlib_step step, const void *in, size_t *in_count, void *out, size_t *out_count) {
    unsigned given = bounded(*in_count), room = bounded(*out_count);
    stream->next_in = in;
    stream->avail_in = given;
    stream->next_out = out;
    stream->avail_out = room;
    int result = step(stream, z_sync_flush);
    *in_count = given - stream->avail_in;
    *out_count = room - stream->avail_out;
    return result;
}

static int meaning(int result) {
    switch (result) {
    case z_ok:
    case z_buf_error: return CND_MORE;
    case z_stream_end: return CND_END;
    case z_mem_error: return CND_NO_MEMORY;
    default: return CND_DAMAGED;
    }
}

static int step_zlib(struct decoder *decoder, const void *in, size_t *in_count, void *out, size_t *out_count) {
    return meaning(move(&decoder->stream, zlib.step, in, in_count, out, out_count));
}

/// Determines by the first two bytes whether the deflate has the RFC 1950 wrapper: method 8, a window of at most 32 KiB, and
/// a check of both. A raw deflate would need padding that no encoder writes to look like that.
static int step_deflate(struct decoder *decoder, const void *in, size_t *in_count, void *out, size_t *out_count) {
    if (decoder->is_open) return step_zlib(decoder, in, in_count, out, out_count);
    const unsigned char *bytes = in;
    size_t room = *out_count;
    *out_count = 0;
    if (*in_count == 0) return CND_MORE;
    if (!decoder->has_first) {
        decoder->has_first = true;
        decoder->first = *bytes;
        *in_count = 1;
        return CND_MORE;
    }
    unsigned both = (unsigned)decoder->first << 8 | *bytes;
    bool is_wrapped = (decoder->first & 15) == 8 && decoder->first >> 4 <= 7 && both % 31 == 0;
    if (!open_zlib(decoder, is_wrapped ? z_wrapped : z_raw)) return CND_NO_MEMORY;
    // In either format the first byte alone decodes to nothing.
    size_t first_count = 1, none = room;
    int result = step_zlib(decoder, &decoder->first, &first_count, out, &none);
    if (result != CND_MORE) {
        *in_count = 0;
        return result;
    }
    *out_count = room;
    return step_zlib(decoder, in, in_count, out, out_count);
}

static int step_brotli(struct decoder *decoder, const void *in, size_t *in_count, void *out, size_t *out_count) {
    const uint8_t *next_in = in;
    uint8_t *next_out = out;
    size_t left = *in_count, room = *out_count;
    int result = brotli.step(decoder->other, &left, &next_in, &room, &next_out, NULL);
    *in_count -= left;
    *out_count -= room;
    return result == brotli_error ? CND_DAMAGED : result == brotli_success ? CND_END : CND_MORE;
}

static int step_zstd(struct decoder *decoder, const void *in, size_t *in_count, void *out, size_t *out_count) {
    struct zstd_buffer_ input = {in, *in_count, 0}, output = {out, *out_count, 0};
    size_t result = zstd.step(decoder->other, &output, &input);
    *in_count = input.pos;
    *out_count = output.pos;
    if (zstd.is_error(result)) return CND_DAMAGED;
    return result == 0 ? CND_END : CND_MORE;
}

static int step(struct decoder *decoder, const void *in, size_t *in_count, void *out, size_t *out_count) {
    switch (decoder->coding) {
    case CND_GZIP: return step_zlib(decoder, in, in_count, out, out_count);
    case CND_DEFLATE: return step_deflate(decoder, in, in_count, out, out_count);
    case CND_BROTLI: return step_brotli(decoder, in, in_count, out, out_count);
    default: return step_zstd(decoder, in, in_count, out, out_count);
    }
}

/// Skips the zeros with which block devices and some servers pad a gzip, as gunzip does.
static int skip_padding(struct decoder *decoder, const unsigned char *in, size_t *in_count, size_t *out_count) {
    decoder->is_padded = true;
    *out_count = 0;
    for (size_t index = 0; index < *in_count; index++) {
        if (in[index] == 0) continue;
        *in_count = 0;
        return CND_DAMAGED;
    }
    return CND_END;
}

int cnd_step(void *opened, const void *in, size_t *in_count, void *out, size_t *out_count) {
    struct decoder *decoder = opened;
    if (decoder->has_ended) {
        if (*in_count == 0) {
            *out_count = 0;
            return CND_END;
        }
        if (decoder->coding == CND_GZIP && (decoder->is_padded || *(const unsigned char *)in == 0)) {
            return skip_padding(decoder, in, in_count, out_count);
        }
        bool goes_on = decoder->coding == CND_ZSTD ||
            (decoder->coding == CND_GZIP && zlib.reset(&decoder->stream) == z_ok);
        if (!goes_on) {
            *in_count = *out_count = 0;
            return CND_DAMAGED;
        }
    }
    int result = step(decoder, in, in_count, out, out_count);
    decoder->has_ended = result == CND_END;
    return result;
}

bool cnd_has_messages(void) {
    pthread_once(&loaded, load);
    return has_deflate;
}

struct messages {
    bool deflates;
    struct z_stream_ stream;
};

void *cnd_messages_open(bool deflates, int bits) {
    if (!cnd_has_messages()) return NULL;
    struct messages *messages = calloc(1, sizeof *messages);
    if (!messages) return NULL;
    messages->deflates = deflates;
    // zlib writes no raw deflate with a window of 8 bits; with 9 it refers back less than 256 bytes.
    int window = deflates && bits < 9 ? 9 : bits;
    int size = sizeof messages->stream;
    int result = deflates ? zlib.deflate_init(&messages->stream, -1, 8, -window, window - 7, 0, "1.2.0", size)
                          : zlib.init(&messages->stream, -window, "1.2.0", size);
    if (result == z_ok) return messages;
    free(messages);
    return NULL;
}

void cnd_messages_close(void *opened) {
    struct messages *messages = opened;
    if (!messages) return;
    if (messages->deflates) zlib.deflate_end(&messages->stream);
    else zlib.end(&messages->stream);
    free(messages);
}

void cnd_messages_forget(void *opened) {
    struct messages *messages = opened;
    if (messages->deflates) zlib.deflate_reset(&messages->stream);
    else zlib.reset(&messages->stream);
}

int cnd_messages_step(void *opened, const void *in, size_t *in_count, void *out, size_t *out_count) {
    struct messages *messages = opened;
    zlib_step step = messages->deflates ? zlib.deflate : zlib.step;
    int result = move(&messages->stream, step, in, in_count, out, out_count);
    // A final block ends a message, not the connection: the next message may refer back to it.
    if (result == z_stream_end && zlib.reset_keep(&messages->stream) != z_ok) return CND_DAMAGED;
    return meaning(result);
}
#endif
