#include "CPlainCurl.h"
#include "Libcurl.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct buffer {
    char *bytes;
    size_t count, capacity;
    int64_t start;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
    struct buffer *buffer = context;
    size_t length = size * count;
    if (buffer->count + length > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity : 1024;
        while (capacity < buffer->count + length) capacity *= 2;
        char *grown = realloc(buffer->bytes, capacity);
        if (!grown) return 0;
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, bytes, length);
    buffer->count += length;
    return length;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    if (context) *(int64_t *)context += (int64_t)(size * count);
    return size * count;
}

static CURL *make(const char *url, struct buffer *buffer, int http2) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, OPT_URL, url);
    curl_easy_setopt(easy, OPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, OPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, OPT_WRITEDATA, buffer);
    curl_easy_setopt(easy, OPT_PRIVATE, buffer);
    curl_easy_setopt(easy, OPT_HTTP_VERSION, http2 ? 4L : 2L);
    if (http2) {
        curl_easy_setopt(easy, OPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, OPT_SSL_VERIFYHOST, 0L);
        curl_easy_setopt(easy, OPT_PIPEWAIT, 1L);
    }
    return easy;
}

const char *plain_library(void) { return curl_version(); }

long plain_multi_get(const char *url, long count, long concurrency, int http2, int64_t *latencies) {
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, MOPT_PIPELINING, 2L);
    curl_multi_setopt(multi, MOPT_MAXCONNECTS, concurrency + 8);
    struct buffer *buffers = calloc((size_t)concurrency, sizeof *buffers);
    CURL **handles = calloc((size_t)concurrency, sizeof *handles);
    long started = 0, done = 0, failed = 0;
    for (long i = 0; i < concurrency && started < count; i++, started++) {
        handles[i] = make(url, &buffers[i], http2);
        buffers[i].start = now();
        curl_multi_add_handle(multi, handles[i]);
    }
    while (done < count) {
        int running, left, added = 0;
        struct CURLMsg *message;
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            long status = 0;
            struct buffer *buffer = NULL;
            curl_easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(easy, INFO_PRIVATE, &buffer);
            if (message->data.result != 0 || status != 200) failed++;
            if (latencies) latencies[done] = now() - buffer->start;
            done++;
            curl_multi_remove_handle(multi, easy);
            if (started < count) {
                started++;
                added = 1;
                buffer->count = 0;
                buffer->start = now();
                curl_multi_add_handle(multi, easy);
            }
        }
        // New handles have something to send first; wait only if there are none.
        if (!added && done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (long i = 0; i < concurrency; i++) {
        if (handles[i]) curl_easy_cleanup(handles[i]);
        free(buffers[i].bytes);
    }
    free(handles);
    free(buffers);
    curl_multi_cleanup(multi);
    return failed;
}

long plain_easy_get(const char *url, long count, int64_t *latencies) {
    struct buffer buffer = {0};
    CURL *easy = make(url, &buffer, 0);
    long failed = 0;
    for (long i = 0; i < count; i++) {
        long status = 0;
        int64_t start = now();
        buffer.count = 0;
        if (curl_easy_perform(easy) != 0) failed++;
        curl_easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
        if (status != 200) failed++;
        if (latencies) latencies[i] = now() - start;
    }
    curl_easy_cleanup(easy);
    free(buffer.bytes);
    return failed;
}

int64_t plain_download(const char *url, int keeps) {
    struct buffer buffer = {0};
    int64_t dropped = 0;
    CURL *easy = make(url, &buffer, 0);
    if (!keeps) {
        curl_easy_setopt(easy, OPT_WRITEFUNCTION, drop);
        curl_easy_setopt(easy, OPT_WRITEDATA, &dropped);
    }
    int result = curl_easy_perform(easy);
    int64_t bytes = keeps ? (int64_t)buffer.count : dropped;
    curl_easy_cleanup(easy);
    free(buffer.bytes);
    return result ? -1 : bytes;
}

// A POST of `size` bytes whose response is discarded.
static CURL *make_upload(const char *url, int64_t size) {
    static struct slist { char *data; struct slist *next; } expect = {"Expect:", NULL};
    CURL *easy = make(url, NULL, 0);
    curl_easy_setopt(easy, OPT_WRITEFUNCTION, drop);
    curl_easy_setopt(easy, OPT_WRITEDATA, NULL);
    curl_easy_setopt(easy, OPT_POST, 1L);
    curl_easy_setopt(easy, OPT_POSTFIELDSIZE_LARGE, size);
    curl_easy_setopt(easy, OPT_HTTPHEADER, &expect);
    return easy;
}

// Performs a transfer with a file, and closes both.
static int finish(CURL *easy, FILE *file) {
    int failed = !file || curl_easy_perform(easy) != 0;
    curl_easy_cleanup(easy);
    return (file && fclose(file) != 0) || failed;
}

int plain_download_file(const char *url, const char *path) {
    FILE *file = fopen(path, "w");
    CURL *easy = make(url, NULL, 0);
    curl_easy_setopt(easy, OPT_WRITEFUNCTION, fwrite);
    curl_easy_setopt(easy, OPT_WRITEDATA, file);
    return finish(easy, file);
}

int plain_upload_file(const char *url, const char *path, int64_t size) {
    FILE *file = fopen(path, "r");
    CURL *easy = make_upload(url, size);
    curl_easy_setopt(easy, OPT_READFUNCTION, fread);
    curl_easy_setopt(easy, OPT_READDATA, file);
    return finish(easy, file);
}

long plain_upload(const char *url, size_t size, long count) {
    char *bytes = calloc(size, 1);
    CURL *easy = make_upload(url, (int64_t)size);
    curl_easy_setopt(easy, OPT_POSTFIELDS, bytes);
    long failed = 0;
    for (long i = 0; i < count; i++) failed += curl_easy_perform(easy) != 0;
    curl_easy_cleanup(easy);
    free(bytes);
    return failed;
}

// The counter: the program's own allocation functions take precedence over those of the C library.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// One counter per thread: a shared one would slow down multithreaded code.
enum { most_threads = 1024 };
static struct {
    _Alignas(64) atomic_long count;
} counters[most_threads];
static atomic_int threads;
static _Thread_local int thread;

static void counted(void) {
    if (!thread) thread = atomic_fetch_add(&threads, 1) + 1;
    if (thread > most_threads) return;
    atomic_long *count = &counters[thread - 1].count;
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

#define COUNTED(allocation, call) \
    void *allocation { \
        counted(); \
        return call; \
    }

COUNTED(malloc(size_t size), __libc_malloc(size))
COUNTED(calloc(size_t count, size_t size), __libc_calloc(count, size))
COUNTED(realloc(void *old, size_t size), __libc_realloc(old, size))
COUNTED(aligned_alloc(size_t alignment, size_t size), __libc_memalign(alignment, size))

int posix_memalign(void **result, size_t alignment, size_t size) {
    counted();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : 12;
}

long allocation_count(void) {
    long sum = 0;
    for (int i = 0; i < most_threads; i++) sum += atomic_load_explicit(&counters[i].count, memory_order_relaxed);
    return sum;
}
