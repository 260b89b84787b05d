#if defined(__linux__)
#define _GNU_SOURCE
#include "CNetHTTP2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// The declarations of nghttp2, whose ABI is unchanged since 1.0 (libnghttp2.so.14).

struct frame_head {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
};

struct frame {
    struct frame_head head;
    // Only of the frames that are looked into.
    union {
        uint32_t reset_code;
        struct { int32_t last_stream; uint32_t code; } goaway;
    };
};

struct setting {
    int32_t id;
    uint32_t value;
};

typedef ssize_t data_reader(void *, int32_t, uint8_t *, size_t, uint32_t *, void **, struct cnh_session *);

struct data_provider {
    void *source;
    data_reader *read;
};

enum { type_data = 0, type_headers = 1, type_reset = 3, type_settings = 4, type_ping = 6, type_goaway = 7 };
enum { flag_end_stream = 1, flag_ack = 1 };
enum { code_protocol = 1, code_refused = 7 };
enum { data_is_last = 1, data_keeps_stream = 2, never_index = 1 };
enum { setting_push = 2, setting_streams = 3, setting_window = 4, setting_head = 6, setting_connect = 8 };
enum { error_deferred = -508, error_stream = -521, error_fatal = -902, error_no_memory = -901 };

// A secret field is never indexed: a struct cnh_field is laid out as nghttp2 has its names and values, which it copies.
_Static_assert(sizeof(struct cnh_field) == 5 * sizeof(size_t), "as nghttp2 has it");
_Static_assert(offsetof(struct cnh_field, is_secret) == 4 * sizeof(size_t), "as nghttp2 has it");
_Static_assert(sizeof(bool) == 1 && true == never_index, "a bit of the flags");

/// The memory pool of a session.
struct memory {
    struct cnh_session *owner;
    void *(*malloc)(size_t, struct cnh_session *);
    void (*free)(void *, struct cnh_session *);
    void *(*calloc)(size_t, size_t, struct cnh_session *);
    void *(*realloc)(void *, size_t, struct cnh_session *);
};

typedef int on_head(void *, const struct frame_head *, struct cnh_session *);
typedef int on_frame(void *, const struct frame *, struct cnh_session *);
typedef int on_invalid(void *, const struct frame *, int, struct cnh_session *);
typedef int on_field(
    void *, const struct frame *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, struct cnh_session *
);
typedef int on_data(void *, uint8_t, int32_t, const uint8_t *, size_t, struct cnh_session *);
typedef int on_close(void *, int32_t, uint32_t, struct cnh_session *);

// Functions of nghttp2: result, name here, name there, parameters.
#define CLIENT(F) \
    F(int, callbacks_new, nghttp2_session_callbacks_new, (void **)) \
    F(void, callbacks_del, nghttp2_session_callbacks_del, (void *)) \
    F(void, set_on_header, nghttp2_session_callbacks_set_on_header_callback, (void *, on_field *)) \
    F(void, set_on_invalid_header, nghttp2_session_callbacks_set_on_invalid_header_callback, (void *, on_field *)) \
    F(void, set_on_begin_headers, nghttp2_session_callbacks_set_on_begin_headers_callback, (void *, on_frame *)) \
    F(void, set_on_data, nghttp2_session_callbacks_set_on_data_chunk_recv_callback, (void *, on_data *)) \
    F(void, set_on_frame, nghttp2_session_callbacks_set_on_frame_recv_callback, (void *, on_frame *)) \
    F(void, set_on_sent, nghttp2_session_callbacks_set_on_frame_send_callback, (void *, on_frame *)) \
    F(void, set_on_begin_frame, nghttp2_session_callbacks_set_on_begin_frame_callback, (void *, on_head *)) \
    F(void, set_on_invalid_frame, nghttp2_session_callbacks_set_on_invalid_frame_recv_callback, \
      (void *, on_invalid *)) \
    F(void, set_on_close, nghttp2_session_callbacks_set_on_stream_close_callback, (void *, on_close *)) \
    F(int, option_new, nghttp2_option_new, (void **)) \
    F(void, option_del, nghttp2_option_del, (void *)) \
    F(void, option_no_window_update, nghttp2_option_set_no_auto_window_update, (void *, int)) \
    F(int, client_new, nghttp2_session_client_new3, (void **, const void *, void *, const void *, struct memory *)) \
    F(void, del, nghttp2_session_del, (void *)) \
    F(int, settings, nghttp2_submit_settings, (void *, uint8_t, const struct setting *, size_t)) \
    F(int, window, nghttp2_session_set_local_window_size, (void *, uint8_t, int32_t, int32_t)) \
    F(int32_t, request, nghttp2_submit_request, \
      (void *, const void *, const struct cnh_field *, size_t, const struct data_provider *, void *)) \
    F(int, resume, nghttp2_session_resume_data, (void *, int32_t)) \
    F(int, reset, nghttp2_submit_rst_stream, (void *, uint8_t, int32_t, uint32_t)) \
    F(int, ping, nghttp2_submit_ping, (void *, uint8_t, const uint8_t *)) \
    F(int, goaway, nghttp2_submit_goaway, (void *, uint8_t, int32_t, uint32_t, const uint8_t *, size_t)) \
    F(ssize_t, send, nghttp2_session_mem_send, (void *, const uint8_t **)) \
    F(ssize_t, receive, nghttp2_session_mem_recv, (void *, const uint8_t *, size_t)) \
    F(int, consume_connection, nghttp2_session_consume_connection, (void *, size_t)) \
    F(int, consume_stream, nghttp2_session_consume_stream, (void *, int32_t, size_t)) \
    F(int, wants_write, nghttp2_session_want_write, (void *)) \
    F(int, wants_read, nghttp2_session_want_read, (void *)) \
    F(uint32_t, remote, nghttp2_session_get_remote_settings, (void *, int)) \
    F(const char *, text, nghttp2_strerror, (int))

// A client works without these.
#define SERVER(F) \
    F(int, server_new, nghttp2_session_server_new3, (void **, const void *, void *, const void *, struct memory *)) \
    F(int, response, nghttp2_submit_response, \
      (void *, int32_t, const struct cnh_field *, size_t, const struct data_provider *)) \
    F(int32_t, headers, nghttp2_submit_headers, \
      (void *, uint8_t, int32_t, const void *, const struct cnh_field *, size_t, void *)) \
    F(int, trailer, nghttp2_submit_trailer, (void *, int32_t, const struct cnh_field *, size_t))

static struct {
#define DECLARE(result, name, symbol, parameters) result (*name) parameters;
    CLIENT(DECLARE)
    SERVER(DECLARE)
    // Since 1.61 or a patch of a distribution: without it, eight CONTINUATIONs end a connection or none do.
    void (*option_continuations)(void *, size_t);
    // Without it, a head of more than 64 KiB is silently not sent.
    void (*option_sent_head)(void *, size_t);
} ng;

static bool is_loaded, has_server;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Resolves a name in the copy that is already loaded, such as libcurl's: a second copy would mix two versions.
static bool find(void *library, const char *name, void *place) {
    void *symbol = dlsym(library, name);
    *(void **)place = symbol;
    return symbol != NULL;
}

static void load(void) {
    void *library = RTLD_DEFAULT;
    if (!dlsym(library, "nghttp2_version")) library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (!library && !dlsym(RTLD_DEFAULT, "nghttp2_version")) return;
#define FIND(result, name, symbol, parameters) {#symbol, &ng.name},
    const struct {
        const char *name;
        void *place;
    } names[] = {CLIENT(FIND)}, of_server[] = {SERVER(FIND)};
    Dl_info first, other;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!find(library, names[i].name, names[i].place)) return;
        if (!dladdr(*(void **)names[i].place, i == 0 ? &first : &other)) return;
        if (i > 0 && first.dli_fbase != other.dli_fbase) return;
    }
    find(library, "nghttp2_option_set_max_continuations", &ng.option_continuations);
    find(library, "nghttp2_option_set_max_send_header_block_length", &ng.option_sent_head);
    has_server = true;
    for (size_t i = 0; i < sizeof of_server / sizeof *of_server; i++)
        has_server = find(library, of_server[i].name, of_server[i].place) && has_server;
    is_loaded = true;
}

bool cnh_is_available(void) {
    pthread_once(&once, load);
    return is_loaded;
}

bool cnh_has_server(void) { return cnh_is_available() && has_server; }

/// Content of a request, or of a server's response, to be framed.
struct upload {
    int32_t stream;
    const uint8_t *bytes;
    size_t count;
    bool is_last;
    bool is_deferred;
    /// Whether the stream stays open after the content.
    bool has_trailers;
    /// The list of the session's streams: nghttp2 does not call back for those that are open when it ends.
    struct upload *next;
};

/// Memory of nghttp2 in multiples of 64 bytes; what was given back is kept for the session's next stream, if it is small.
union block {
    union block *next;
    size_t units;
    long double alignment;
};

enum { unit = 64, small_units = 10 };

struct cnh_session {
    union block *blocks[small_units];
    void *session;
    struct cnh_limits limits;
    struct cnh_event *events;
    size_t count, room;
    uint8_t *heads;
    size_t heads_count, heads_room;
    /// The start of the head that is being received, and its lines.
    size_t head_start, head_fields;
    /// Of the call of `cnh_receive` that is running.
    const uint8_t *input;
    /// Output of nghttp2 for which there was no room.
    const uint8_t *rest;
    size_t rest_count;
    size_t idle_frames;
    /// The number of a client's open streams, and the last one whose head was sent.
    int32_t *open;
    size_t open_count, open_room;
    int32_t last_sent;
    struct upload *uploads;
    bool is_server, has_no_memory;
};

// ---- Memory: some twenty blocks a stream, whose sizes are the same each time ----

static void *take_block(size_t size, struct cnh_session *session) {
    if (size > SIZE_MAX / 2) return NULL;
    size_t units = (size + unit - 1) / unit;
    union block *block = units < small_units ? session->blocks[units] : NULL;
    if (block) session->blocks[units] = block->next;
    else if (!(block = malloc(sizeof *block + units * unit))) return NULL;
    block->units = units;
    return block + 1;
}

static void give_block(void *bytes, struct cnh_session *session) {
    if (!bytes) return;
    union block *block = (union block *)bytes - 1;
    size_t units = block->units;
    if (units >= small_units) return free(block);
    (block->next = session->blocks[units], session->blocks[units] = block);
}

static void *take_zeros(size_t count, size_t size, struct cnh_session *session) {
    if (size && count > SIZE_MAX / 2 / size) return NULL;
    void *bytes = take_block(count * size, session);
    return bytes ? memset(bytes, 0, count * size) : NULL;
}

static void *grow_block(void *bytes, size_t size, struct cnh_session *session) {
    size_t room = bytes ? ((union block *)bytes - 1)->units * unit : 0;
    if (bytes && size <= room) return bytes;
    void *grown = take_block(size, session);
    if (grown && bytes) (memcpy(grown, bytes, room), give_block(bytes, session));
    return grown;
}

/// Makes room for `count` items of a list, for `least` at first; without memory the list stays as it is.
static bool grow(void *list, size_t *room, size_t count, size_t size, size_t least) {
    size_t wanted = *room ? *room : least;
    while (wanted < count) wanted *= 2;
    void *items;
    memcpy(&items, list, sizeof items);
    if (!(items = realloc(items, wanted * size))) return false;
    memcpy(list, &items, sizeof items);
    *room = wanted;
    return true;
}

static void add(struct cnh_session *session, struct cnh_event event) {
    bool has_room = session->count < session->room ||
        grow(&session->events, &session->room, session->count + 1, sizeof event, 16);
    if (has_room) session->events[session->count++] = event;
    else session->has_no_memory = true;
}

/// Room for some bytes after the heads that are there.
static uint8_t *reserve(struct cnh_session *session, size_t count) {
    if (session->heads_room - session->heads_count < count &&
        !grow(&session->heads, &session->heads_room, session->heads_count + count, 1, 1024))
        return (session->has_no_memory = true, NULL);
    return session->heads + session->heads_count;
}

static int fail(const struct cnh_session *session) { return session->has_no_memory ? error_fatal : 0; }

/// Where a stream is in the list, or its end: nghttp2 does not know a stream before its head was sent.
static struct upload **place_of(struct cnh_session *session, int32_t stream) {
    struct upload **place = &session->uploads;
    while (*place && (*place)->stream != stream) place = &(*place)->next;
    return place;
}

/// Reports the end of a stream once: nghttp2 reports some, but not all, of those that it has not sent.
static void end_stream(struct cnh_session *session, int32_t stream, uint32_t code) {
    size_t i = 0;
    while (i < session->open_count && session->open[i] != stream) i++;
    if (i == session->open_count && !session->is_server) return;
    if (i < session->open_count) session->open[i] = session->open[--session->open_count];
    struct upload **place = place_of(session, stream), *upload = *place;
    if (upload) (*place = upload->next, free(upload));
    struct cnh_event *last = session->count ? &session->events[session->count - 1] : NULL;
    if (last && last->kind == CNH_END && last->stream == stream && !session->is_server) last->is_over = true;
    else add(session, (struct cnh_event){.kind = CNH_CLOSED, .stream = stream, .code = code, .is_over = true});
}

// ---- Callbacks, each with more arguments than it needs ----

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int began_frame(void *ng_session, const struct frame_head *head, struct cnh_session *session) {
    if (head->type == type_data && (head->length > 0 || head->flags & flag_end_stream)) session->idle_frames = 0;
    return ++session->idle_frames > session->limits.idle_frames ? error_fatal : 0;
}

static int began_head(void *ng_session, const struct frame *frame, struct cnh_session *session) {
    session->head_start = session->heads_count;
    session->head_fields = 0;
    return 0;
}

static int took_field(
    void *ng_session, const struct frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count, uint8_t flags, struct cnh_session *session
) {
    size_t size = session->heads_count - session->head_start + name_count + value_count + 4;
    if (size > session->limits.head || ++session->head_fields > session->limits.fields) {
        session->heads_count = session->head_start;
        add(session, (struct cnh_event){.kind = CNH_TOO_LARGE, .stream = frame->head.stream});
        return session->has_no_memory ? error_fatal : error_stream;
    }
    // As lines: `:status: 200` is the first of a response.
    uint8_t *line = reserve(session, name_count + value_count + 4);
    if (!line) return error_fatal;
    memcpy(line, name, name_count);
    memcpy(line + name_count, ": ", 2);
    memcpy(line + name_count + 2, value, value_count);
    memcpy(line + name_count + 2 + value_count, "\r\n", 2);
    session->heads_count += name_count + value_count + 4;
    return 0;
}

/// A field that is not valid makes its head so (RFC 9113, 8.1.1); some versions of nghttp2 would leave it out.
static int took_invalid_field(
    void *ng_session, const struct frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count, uint8_t flags, struct cnh_session *session
) {
    return error_stream;
}

static int took_data(
    void *ng_session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, struct cnh_session *session
) {
    size_t offset = (size_t)(bytes - session->input);
    add(session, (struct cnh_event){.kind = CNH_DATA, .stream = stream, .offset = offset, .count = count});
    // One slow reader stops its own stream alone: the connection's window opens at once.
    if (ng.consume_connection(ng_session, count) == error_no_memory) session->has_no_memory = true;
    return fail(session);
}

static int took_frame(void *ng_session, const struct frame *frame, struct cnh_session *session) {
    struct cnh_event event = {.stream = frame->head.stream};
    switch (frame->head.type) {
    case type_headers:
        event.kind = CNH_HEAD;
        event.offset = session->head_start;
        event.count = session->heads_count - session->head_start;
        session->head_start = session->heads_count;
        // Interim responses may be endless, and a head that is discarded does not get here.
        if (event.count < 10 || memcmp(session->heads + event.offset, ":status: 1", 10)) session->idle_frames = 0;
        add(session, event);
        break;
    case type_data: break;
    case type_settings:
        event.kind = CNH_SETTINGS;
        if (!(frame->head.flags & flag_ack)) add(session, event);
        return fail(session);
    case type_ping:
        event.kind = CNH_PONG;
        if (frame->head.flags & flag_ack) add(session, event);
        return fail(session);
    case type_goaway:
        (event.kind = CNH_GOAWAY, event.stream = frame->goaway.last_stream, event.code = frame->goaway.code);
        add(session, event);
        // Requests that were not sent yet are dropped (RFC 9113, 6.8).
        for (size_t i = session->open_count; i > 0; i--) {
            int32_t stream = i <= session->open_count ? session->open[i - 1] : 0;
            if (stream > session->last_sent) end_stream(session, stream, code_refused);
        }
        return fail(session);
    default: return 0;
    }
    if (frame->head.flags & flag_end_stream)
        add(session, (struct cnh_event){.kind = CNH_END, .stream = frame->head.stream});
    return fail(session);
}

static int sent_frame(void *ng_session, const struct frame *frame, struct cnh_session *session) {
    // nghttp2 does not report content that violates a rule.
    if (!session->is_server && frame->head.type == type_reset && frame->reset_code == code_protocol)
        add(session, (struct cnh_event){.kind = CNH_INVALID, .stream = frame->head.stream});
    if (frame->head.type != type_headers) return fail(session);
    // Trailers belong to a stream that may be older than others.
    if (frame->head.stream > session->last_sent) session->last_sent = frame->head.stream;
    if (session->is_server) add(session, (struct cnh_event){.kind = CNH_WANTS_CONTENT, .stream = frame->head.stream});
    return fail(session);
}

static int took_invalid(void *ng_session, const struct frame *frame, int error, struct cnh_session *session) {
    add(session, (struct cnh_event){.kind = CNH_INVALID, .stream = frame->head.stream, .code = (uint32_t)-error});
    return fail(session);
}

static int closed(void *ng_session, int32_t stream, uint32_t code, struct cnh_session *session) {
    end_stream(session, stream, code);
    return fail(session);
}

static ssize_t read_upload(
    void *ng_session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags, void **source,
    struct cnh_session *session
) {
    struct upload *upload = *source;
    // A server that takes content may open its windows as often as it likes.
    session->idle_frames = 0;
    size_t count = upload->count < room ? upload->count : room;
    if (count == 0 && !upload->is_last) {
        upload->is_deferred = true;
        return error_deferred;
    }
    memcpy(bytes, upload->bytes, count);
    (upload->bytes += count, upload->count -= count);
    if (upload->count == 0) {
        if (upload->is_last) *flags |= upload->has_trailers ? data_is_last | data_keeps_stream : data_is_last;
        add(session, (struct cnh_event){.kind = CNH_WANTS_CONTENT, .stream = stream});
    }
    return (ssize_t)count;
}

// ---- The session ----

static struct cnh_session *open_session(const struct cnh_limits *limits, bool is_server) {
    struct cnh_session *session = calloc(1, sizeof *session);
    void *callbacks = NULL, *options = NULL;
    bool works = session && !ng.callbacks_new(&callbacks) && !ng.option_new(&options);
    if (works) {
        (session->limits = *limits, session->is_server = is_server);
        ng.set_on_begin_frame(callbacks, began_frame);
        ng.set_on_begin_headers(callbacks, began_head);
        ng.set_on_header(callbacks, took_field);
        ng.set_on_invalid_header(callbacks, took_invalid_field);
        ng.set_on_data(callbacks, took_data);
        ng.set_on_frame(callbacks, took_frame);
        ng.set_on_sent(callbacks, sent_frame);
        ng.set_on_invalid_frame(callbacks, took_invalid);
        ng.set_on_close(callbacks, closed);
        ng.option_no_window_update(options, 1);
        if (ng.option_continuations) ng.option_continuations(options, limits->idle_frames);
        if (ng.option_sent_head) ng.option_sent_head(options, 1 << 24);
        struct memory memory = {session, take_block, give_block, take_zeros, grow_block};
        works = !(is_server ? ng.server_new : ng.client_new)(&session->session, callbacks, session, options, &memory);
    }
    ng.callbacks_del(callbacks);
    ng.option_del(options);
    const struct setting settings[] = {
        is_server ? (struct setting){setting_streams, limits->streams} : (struct setting){setting_push, 0},
        {setting_window, (uint32_t)limits->stream_window},
        {setting_head, (uint32_t)limits->head},
    };
    if (works && !ng.settings(session->session, 0, settings, sizeof settings / sizeof *settings) &&
        !ng.window(session->session, 0, 0, limits->connection_window))
        return session;
    if (session) cnh_close(session);
    return NULL;
}

struct cnh_session *cnh_open(const struct cnh_limits *limits) {
    return cnh_is_available() ? open_session(limits, false) : NULL;
}

struct cnh_session *cnh_open_server(const struct cnh_limits *limits) {
    return cnh_has_server() ? open_session(limits, true) : NULL;
}

void cnh_close(struct cnh_session *session) {
    if (session->session) ng.del(session->session);
    for (struct upload *upload = session->uploads, *next; upload; upload = next) (next = upload->next, free(upload));
    for (size_t i = 0; i < small_units; i++)
        for (union block *block = session->blocks[i], *next; block; block = next) (next = block->next, free(block));
    free(session->events);
    free(session->heads);
    free(session->open);
    free(session);
}

/// Submits a request, or the response on a stream.
static int32_t submit(
    struct cnh_session *session, int32_t stream, const struct cnh_field *fields, size_t count, int has_content
) {
    struct upload *upload = has_content ? calloc(1, sizeof *upload) : NULL;
    if (has_content && !upload) return error_no_memory;
    struct data_provider provider = {.source = upload, .read = read_upload}, *content = upload ? &provider : NULL;
    int32_t result = stream == 0 ? ng.request(session->session, NULL, fields, count, content, NULL)
                                 : ng.response(session->session, stream, fields, count, content);
    session->idle_frames = 0;
    if (!upload) return result;
    (upload->stream = stream ? stream : result, upload->has_trailers = has_content == CNH_CONTENT_AND_TRAILERS);
    if (result < 0) free(upload);
    else (upload->next = session->uploads, session->uploads = upload);
    return result;
}

int32_t cnh_request(struct cnh_session *session, const struct cnh_field *fields, size_t count, int content) {
    if (session->open_count == session->open_room &&
        !grow(&session->open, &session->open_room, session->open_count + 1, sizeof *session->open, 16))
        return error_no_memory;
    int32_t stream = submit(session, 0, fields, count, content);
    if (stream > 0) session->open[session->open_count++] = stream;
    return stream;
}

int cnh_respond(struct cnh_session *session, int32_t stream, const struct cnh_field *fields, size_t count, int content) {
    return submit(session, stream, fields, count, content);
}

int cnh_fields(struct cnh_session *session, int32_t stream, const struct cnh_field *fields, size_t count, bool is_end) {
    return is_end ? ng.trailer(session->session, stream, fields, count)
                  : ng.headers(session->session, 0, stream, NULL, fields, count, NULL);
}

bool cnh_content(struct cnh_session *session, int32_t stream, const void *bytes, size_t count, bool is_last) {
    struct upload *upload = *place_of(session, stream);
    if (!upload) return false;
    (upload->bytes = bytes, upload->count = count, upload->is_last = is_last);
    if (upload->is_deferred) {
        upload->is_deferred = false;
        ng.resume(session->session, stream);
    }
    return true;
}

void cnh_reset(struct cnh_session *session, int32_t stream, uint32_t code) {
    struct upload *upload = *place_of(session, stream);
    if (upload) (upload->count = 0, upload->is_last = false);
    ng.reset(session->session, 0, stream, code);
    // nghttp2 leaves the head out.
    if (!session->is_server && stream > session->last_sent) end_stream(session, stream, code);
}

void cnh_consumed(struct cnh_session *session, int32_t stream, size_t count) {
    ng.consume_stream(session->session, stream, count);
}

void cnh_ping(struct cnh_session *session) { ng.ping(session->session, 0, NULL); }

void cnh_leave(struct cnh_session *session, int32_t last) { ng.goaway(session->session, 0, last, 0, NULL, 0); }

int cnh_receive(struct cnh_session *session, const void *bytes, size_t count) {
    session->input = bytes;
    ssize_t taken = ng.receive(session->session, bytes, count);
    session->input = NULL;
    if (taken < 0) return (int)taken;
    return (size_t)taken == count ? 0 : error_fatal;
}

const struct cnh_event *cnh_events(const struct cnh_session *session, size_t *count) {
    *count = session->count;
    return session->events;
}

const uint8_t *cnh_heads(const struct cnh_session *session) { return session->heads; }

void cnh_forget(struct cnh_session *session) {
    session->count = 0;
    // An incomplete head moves to the front.
    size_t left = session->heads_count - session->head_start;
    if (left && session->head_start) memmove(session->heads, session->heads + session->head_start, left);
    (session->heads_count = left, session->head_start = 0);
}

long cnh_send(struct cnh_session *session, void *bytes, size_t room) {
    size_t count = 0;
    while (count < room) {
        if (session->rest_count == 0) {
            ssize_t made = ng.send(session->session, &session->rest);
            if (made < 0) return made;
            if (made == 0) break;
            session->rest_count = (size_t)made;
        }
        size_t piece = session->rest_count < room - count ? session->rest_count : room - count;
        memcpy((uint8_t *)bytes + count, session->rest, piece);
        (session->rest += piece, session->rest_count -= piece, count += piece);
    }
    return (long)count;
}

bool cnh_wants_to_send(const struct cnh_session *session) {
    return session->rest_count > 0 || ng.wants_write(session->session);
}

bool cnh_wants_to_receive(const struct cnh_session *session) { return ng.wants_read(session->session); }

uint32_t cnh_stream_limit(const struct cnh_session *session) { return ng.remote(session->session, setting_streams); }

bool cnh_has_extended_connect(const struct cnh_session *session) {
    return ng.remote(session->session, setting_connect) == 1;
}

const char *cnh_text(int error) { return ng.text(error); }
#endif
