#define _GNU_SOURCE // memmem, strcasestr
#include "CPlainCurl.h"
#include "Libcurl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { piece = 1 << 18 };

// The start and length of a frame's content; 0 if its head is incomplete.
static size_t head_of(const uint8_t *bytes, size_t count, uint64_t *length) {
    if (count < 2) return 0;
    size_t head = 2 + (bytes[1] & 0x80 ? 4 : 0);
    *length = bytes[1] & 0x7F;
    size_t wide = *length == 126 ? 2 : *length == 127 ? 8 : 0;
    if (count < head + wide) return 0;
    if (wide) *length = 0;
    for (size_t i = 0; i < wide; i++) *length = *length << 8 | bytes[2 + i];
    return head + wide;
}

static void apply(uint8_t *to, const uint8_t *from, size_t count, uint32_t mask) {
    uint64_t wide = (uint64_t)mask << 32 | mask, word;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        memcpy(&word, from + i, 8);
        word ^= wide;
        memcpy(to + i, &word, 8);
    }
    for (; i < count; i++) to[i] = from[i] ^ (uint8_t)(mask >> 8 * (i & 3));
}

// MARK: The client

struct client {
    CURL *easy;
    int socket;
    size_t size;
    uint8_t *out, *in, *message;
    size_t out_start, out_end, in_start, in_end, got;
    uint64_t left;
};

// Unpredictable masks from the system, several at a time.
static uint32_t next_mask(void) {
    static _Thread_local uint32_t masks[64];
    static _Thread_local unsigned used = 64;
    if (used == 64) {
        if (getrandom(masks, sizeof masks, 0) != sizeof masks) abort();
        used = 0;
    }
    return masks[used++];
}

static void append(struct client *client) {
    uint8_t *to = client->out + client->out_end;
    size_t head = 2, size = client->size;
    uint32_t mask = next_mask();
    to[0] = 0x82;
    if (size <= 125) {
        to[1] = 0x80 | (uint8_t)size;
    } else {
        int wide = size <= 0xFFFF ? 2 : 8;
        to[1] = 0x80 | (wide == 2 ? 126 : 127);
        for (int i = 0; i < wide; i++) to[head++] = (uint8_t)((uint64_t)size >> 8 * (wide - 1 - i));
    }
    memcpy(to + head, &mask, 4);
    head += 4;
    apply(to + head, client->message, size, mask);
    client->out_end += head + size;
}

static int flush(struct client *client) {
    while (client->out_start < client->out_end) {
        size_t sent = 0;
        int code =
            curl_easy_send(client->easy, client->out + client->out_start, client->out_end - client->out_start, &sent);
        if (code == CODE_AGAIN) return 0;
        if (code) return code;
        client->out_start += sent;
    }
    client->out_start = client->out_end = 0;
    return 0;
}

// Parses the frames that have arrived; returns how many messages end among them.
static long parse(struct client *client) {
    long ended = 0;
    while (client->in_start < client->in_end) {
        size_t there = client->in_end - client->in_start;
        if (!client->left) {
            size_t head = head_of(client->in + client->in_start, there, &client->left);
            if (!head) break;
            client->in_start += head;
            client->got = 0;
            continue;
        }
        size_t count = there < client->left ? there : client->left;
        if (client->got + count > client->size) return -1;
        memcpy(client->message + client->got, client->in + client->in_start, count);
        client->got += count;
        client->in_start += count;
        client->left -= count;
        if (!client->left) ended++;
    }
    memmove(client->in, client->in + client->in_start, client->in_end - client->in_start);
    client->in_end -= client->in_start;
    client->in_start = 0;
    return ended;
}

static int wait_for(struct client *client) {
    struct pollfd wanted = {client->socket, POLLIN, 0};
    if (client->out_start < client->out_end) wanted.events |= POLLOUT;
    return poll(&wanted, 1, 10000) == 1 ? 0 : 1;
}

static int shake_hands(struct client *client) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    memcpy(client->out, request, sizeof request - 1);
    client->out_end = sizeof request - 1;
    if (flush(client)) return 1;
    while (!memmem(client->in, client->in_end, "\r\n\r\n", 4)) {
        size_t count = 0;
        int code = curl_easy_recv(client->easy, client->in + client->in_end, piece - client->in_end, &count);
        if (code == CODE_AGAIN ? wait_for(client) : code || !count) return 1;
        client->in_end += count;
    }
    // The server waits for the first message.
    int is_right = client->in_end > 12 && !memcmp(client->in, "HTTP/1.1 101", 12);
    client->in_end = 0;
    return !is_right;
}

static long play(struct client *client, long ahead, long count, int gathers) {
    long sent = 0, received = 0, ended = 0;
    while (received < count) {
        // One after another as responses arrive, or all that a read makes room for.
        while (sent < count && sent - received < ahead && !client->out_start) {
            append(client);
            sent++;
            if (!gathers && flush(client)) return 1;
            if (client->out_end > piece) break;
        }
        if (flush(client)) return 1;
        size_t got = 0;
        int code = curl_easy_recv(client->easy, client->in + client->in_end, piece - client->in_end, &got);
        if (code == CODE_AGAIN) {
            if (wait_for(client)) return 1;
            continue;
        }
        if (code || !got) return 1;
        client->in_end += got;
        ended = parse(client);
        if (ended < 0) return 1;
        received += ended;
    }
    return 0;
}

long plain_echo(const char *url, size_t size, long ahead, long count, int gathers) {
    struct client client = {.easy = curl_easy_init(), .size = size};
    client.out = malloc(2 * (size + 14) + 2 * piece);
    client.in = malloc(piece);
    client.message = calloc(size ? size : 1, 1);
    curl_easy_setopt(client.easy, OPT_URL, url);
    curl_easy_setopt(client.easy, OPT_NOSIGNAL, 1L);
    curl_easy_setopt(client.easy, OPT_CONNECT_ONLY, 1L);
    long failed = curl_easy_perform(client.easy) != 0;
    if (!failed) failed = curl_easy_getinfo(client.easy, INFO_ACTIVESOCKET, &client.socket) != 0;
    if (!failed) failed = shake_hands(&client) || play(&client, ahead, count, gathers);
    curl_easy_cleanup(client.easy);
    free(client.out);
    free(client.in);
    free(client.message);
    return failed;
}

// MARK: The server

static plain_accept_key accept_key;

static int write_all(int socket, const uint8_t *bytes, size_t count) {
    while (count) {
        ssize_t done = send(socket, bytes, count, MSG_NOSIGNAL);
        if (done <= 0) return 1;
        bytes += done;
        count -= (size_t)done;
    }
    return 0;
}

static int welcome(int socket, char *bytes) {
    size_t end = 0;
    while (end < 4 || memcmp(bytes + end - 4, "\r\n\r\n", 4)) {
        // Byte by byte, because the bytes after the head must not be consumed.
        if (end == 8000 || read(socket, bytes + end, 1) != 1) return 1;
        end++;
    }
    bytes[end] = 0;
    char *key = strcasestr(bytes, "\r\nSec-WebSocket-Key: "), accepted[64] = {0};
    if (!key || strlen(key) < 45) return 1;
    accept_key(key + 21, accepted);
    static const char start[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    int count = snprintf(bytes, piece, "%sSec-WebSocket-Accept: %s\r\n\r\n", start, accepted);
    return write_all(socket, (const uint8_t *)bytes, (size_t)count);
}

static void *echo(void *context) {
    int socket = (int)(intptr_t)context;
    uint8_t *in = malloc(piece), *out = malloc(piece);
    size_t have = 0;
    uint64_t left = 0;
    uint32_t mask = 0;
    int is_over = welcome(socket, (char *)in);
    while (!is_over) {
        ssize_t got = read(socket, in + have, piece - have);
        if (got <= 0) break;
        have += (size_t)got;
        size_t at = 0, end = 0;
        while (at < have) {
            if (left) {
                size_t count = have - at < left ? have - at : left, turn = 8 * (count & 3);
                apply(out + end, in + at, count, mask);
                if (turn) mask = mask >> turn | mask << (32 - turn);
                at += count;
                end += count;
                left -= count;
                continue;
            }
            size_t head = head_of(in + at, have - at, &left);
            if (!head) break;
            is_over |= (in[at] & 15) == 8;
            memcpy(&mask, in + at + head - 4, 4);
            memcpy(out + end, in + at, head - 4);
            out[end + 1] &= 0x7F;
            end += head - 4;
            at += head;
        }
        memmove(in, in + at, have - at);
        have -= at;
        if (write_all(socket, out, end)) break;
    }
    close(socket);
    free(in);
    free(out);
    return NULL;
}

void plain_echo_serve(plain_accept_key accepts) {
    accept_key = accepts;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 64) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        return;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    // The parent blocks signals; the one that ends this process is delivered to this thread.
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    for (;;) {
        int socket = accept(listener, NULL, NULL), yes = 1;
        pthread_t thread;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (socket < 0 || pthread_create(&thread, NULL, echo, (void *)(intptr_t)socket)) return;
        pthread_detach(thread);
    }
}
