// An HTTP/2 session by nghttp2, a client's or a test server's, without input or output: received bytes become events, requests become bytes.
// The library is looked up at run time and declared by ourselves; nothing here keeps a policy, only what its callbacks need.
#ifndef CNETHTTP2_H
#define CNETHTTP2_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether nghttp2 is there, in one version only.
bool cnh_is_available(void);

/// Whether it has what a server and trailers need, too.
bool cnh_has_server(void);

enum {
    /// A complete head of a response, interim or final, or trailers: `offset` and `count` in the session's heads.
    CNH_HEAD = 1,
    /// Content: `offset` and `count` in the bytes that were received.
    CNH_DATA = 2,
    /// The server has ended its side of a stream.
    CNH_END = 3,
    /// A stream is over; `code` is its error code, 0 for none.
    CNH_CLOSED = 4,
    /// The server takes no stream above `stream`; `code` is the reason.
    CNH_GOAWAY = 5,
    /// The server's settings have changed.
    CNH_SETTINGS = 6,
    /// The response to a ping.
    CNH_PONG = 7,
    /// A head with more bytes or fields than the limits; the stream is reset.
    CNH_TOO_LARGE = 8,
    /// What was given of a request's content has been taken, the last of it too; on a server each head that was sent, too.
    CNH_WANTS_CONTENT = 9,
    /// A head that is not valid (RFC 9113, 8.2): the stream is reset.
    CNH_INVALID = 10,
};

struct cnh_event {
    int32_t kind;
    int32_t stream;
    uint32_t code;
    /// Whether a client's stream is over: each stream has one such event, CNH_END or CNH_CLOSED.
    bool is_over;
    size_t offset;
    size_t count;
};

struct cnh_field {
    const uint8_t *name;
    const uint8_t *value;
    size_t name_count;
    size_t value_count;
    /// Whether it is never indexed (RFC 7541, 7.1.3).
    bool is_secret;
};

struct cnh_limits {
    /// The window of each stream, and that of the connection, in bytes.
    int32_t stream_window;
    int32_t connection_window;
    /// Bytes and lines of one head.
    size_t head;
    size_t fields;
    /// Frames in a row that carry neither a head nor content.
    size_t idle_frames;
    /// How many streams a client may have open; of a server's session.
    uint32_t streams;
};

struct cnh_session;

/// A session, with its preface and settings ready to be sent; null without memory.
struct cnh_session *cnh_open(const struct cnh_limits *limits);

/// That of a server. Its events are those of a client, seen from the other side: CNH_HEAD is a request, or trailers.
struct cnh_session *cnh_open_server(const struct cnh_limits *limits);
void cnh_close(struct cnh_session *session);

enum { CNH_NO_CONTENT = 0, CNH_CONTENT = 1, CNH_CONTENT_AND_TRAILERS = 2 };

/// Begins a stream, and leaves it open for `cnh_content`, and for `cnh_fields` after it. Its number, or a negative error.
int32_t cnh_request(struct cnh_session *session, const struct cnh_field *fields, size_t count, int content);

/// Gives the next piece of a request's content, which stays where it is until CNH_WANTS_CONTENT; false if the stream is over.
bool cnh_content(struct cnh_session *session, int32_t stream, const void *bytes, size_t count, bool is_last);

/// Responds on a stream, and leaves it open for `cnh_content`, and for `cnh_fields` after it; 0, or a negative error.
int cnh_respond(struct cnh_session *session, int32_t stream, const struct cnh_field *fields, size_t count, int content);

/// An interim response, or the trailers, which end a stream whose content has been taken; 0, or a negative error.
int cnh_fields(struct cnh_session *session, int32_t stream, const struct cnh_field *fields, size_t count, bool is_end);

/// Ends a stream before its time (RFC 9113, 7).
void cnh_reset(struct cnh_session *session, int32_t stream, uint32_t code);

/// A reader has taken content of a stream: its window opens again.
void cnh_consumed(struct cnh_session *session, int32_t stream, size_t count);

void cnh_ping(struct cnh_session *session);

/// Says that no more streams of the other side than up to the last one will be looked at (RFC 9113, 6.8).
void cnh_leave(struct cnh_session *session, int32_t last);

/// Takes received bytes. 0, or a negative error after which the session is of no use; events are there in both cases, and
/// until the next call.
int cnh_receive(struct cnh_session *session, const void *bytes, size_t count);

/// The events since the last call of `cnh_forget`, and the bytes of their heads.
const struct cnh_event *cnh_events(const struct cnh_session *session, size_t *count);
const uint8_t *cnh_heads(const struct cnh_session *session);
void cnh_forget(struct cnh_session *session);

/// Writes what is to be sent, as far as there is room; the number of bytes, or a negative error.
long cnh_send(struct cnh_session *session, void *bytes, size_t room);

/// Whether there is something to send, and whether anything can still be received.
bool cnh_wants_to_send(const struct cnh_session *session);
bool cnh_wants_to_receive(const struct cnh_session *session);

/// How many streams the server allows at once, and whether it allows extended CONNECT (RFC 8441).
uint32_t cnh_stream_limit(const struct cnh_session *session);
bool cnh_has_extended_connect(const struct cnh_session *session);

/// The text of an error.
const char *cnh_text(int error);
#endif
#endif
