// The baseline of the benchmarks: a plain C program with libcurl, and a counter of allocations.
#ifndef CPLAINCURL_H
#define CPLAINCURL_H
#include <stddef.h>
#include <stdint.h>

/// The version text of the loaded libcurl: "libcurl/7.88.1 OpenSSL/3.0.19 …".
const char *plain_library(void);

/// GETs through one multi handle with reused easy handles, `concurrency` at a time, each body into a growing buffer.
/// Each latency, in nanoseconds, goes to `latencies` if it is not null. Returns how many did not end with status 200.
long plain_multi_get(const char *url, long count, long concurrency, int http2, int64_t *latencies);

/// GETs through one reused easy handle, one after another. The same return value.
long plain_easy_get(const char *url, long count, int64_t *latencies);

/// Downloads a URL and drops (`keep` 0) or keeps (`keep` 1) its content. Returns its size, or -1.
int64_t plain_download(const char *url, int keep);

/// POSTs `size` bytes `count` times. Returns how many failed.
long plain_upload(const char *url, size_t size, long count);

/// Downloads a URL to a file, and POSTs a file of `size` bytes. Returns 0, or 1 on failure.
int plain_download_file(const char *url, const char *path);
int plain_upload_file(const char *url, const char *path, int64_t size);

/// Sends binary messages of `size` bytes over one WebSocket and receives each back, `ahead` of them in flight, `count` in
/// all; one send per message, or (`gathers` 1) one for all that a read makes room for. Returns 0, or 1 on failure.
long plain_echo(const char *url, size_t size, long ahead, long count, int gathers);

/// Makes the value of `Sec-WebSocket-Accept` for a key of 24 characters.
typedef void (*plain_accept_key)(const char *key, char *accepted);

/// A WebSocket echo server: prints its port, and serves until the process is terminated. Returns if it cannot.
void plain_echo_serve(plain_accept_key accept_key);

/// Allocations of this process so far, by its first 1024 threads.
long allocation_count(void);
#endif
