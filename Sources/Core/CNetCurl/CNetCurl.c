#define _GNU_SOURCE
#include "CNetCurl.h"
#include "Found.h"

#if defined(__linux__)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// libcurl's own symbols, as its ABI has had them since 7.16.
struct CURLMsg_ {
    int msg;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

struct curl_blob_ {
    void *data;
    size_t len;
    unsigned flags;
};

struct curl_tlssessioninfo_ {
    int backend;
    void *internals;
};

struct curl_version_info_ {
    int age;
    const char *version;
    unsigned version_num;
    const char *host;
    int features;
};

extern int curl_global_init(long flags);
extern struct curl_version_info_ *curl_version_info(int age);
extern const char *curl_easy_strerror(int code);
extern void *curl_easy_init(void);
extern void *curl_easy_duphandle(void *easy);
extern void curl_easy_cleanup(void *easy);
extern void curl_easy_reset(void *easy);
extern int curl_easy_pause(void *easy, int mask);
extern int curl_easy_send(void *easy, const void *bytes, size_t count, size_t *sent);
extern int curl_easy_recv(void *easy, void *bytes, size_t count, size_t *got);
extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern void *curl_share_init(void);
extern int curl_share_cleanup(void *share);
extern int curl_share_setopt(void *share, int option, ...);
extern void *curl_multi_init(void);
extern int curl_multi_cleanup(void *multi);
extern int curl_multi_wakeup(void *multi);
extern int curl_multi_perform(void *multi, int *running);
extern int curl_multi_poll(void *multi, void *extra, unsigned count, int milliseconds, int *ready);
extern int curl_multi_setopt(void *multi, int option, ...);
extern int curl_multi_add_handle(void *multi, void *easy);
extern int curl_multi_remove_handle(void *multi, void *easy);
extern int curl_multi_socket_action(void *multi, int socket, int events, int *running);
extern struct CURLMsg_ *curl_multi_info_read(void *multi, int *left);

static _Thread_local const void *loop_of_thread;

const void *cnc_thread_loop(void) { return loop_of_thread; }

void cnc_thread_begin(const void *loop) {
    loop_of_thread = loop;
    sigset_t signals;
    sigfillset(&signals);
    const int kept[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    for (size_t index = 0; index < sizeof kept / sizeof *kept; index++) sigdelset(&signals, kept[index]);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    prctl(PR_SET_NAME, "CurlTransport");
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CNC_WATCHES_THREADS 1
#endif
#endif

#ifdef CNC_WATCHES_THREADS
extern void *swift_task_getCurrent(void);
extern void __tsan_acquire(void *address);
// The runtime releases the task's address when it is resumed.
void cnc_task_resumed(void) { __tsan_acquire(swift_task_getCurrent()); }
#else
void cnc_task_resumed(void) {}
#endif

long cnc_global_init(void) { return curl_global_init(CNC_GLOBAL_ALL); }
long cnc_features(void) { return curl_version_info(0)->features; }
long cnc_version(void) { return curl_version_info(0)->version_num; }
const char *cnc_strerror(long code) { return curl_easy_strerror((int)code); }

void *cnc_easy_init(void) { return curl_easy_init(); }
void *cnc_easy_copy(void *easy) { return curl_easy_duphandle(easy); }
void cnc_easy_cleanup(void *easy) { curl_easy_cleanup(easy); }
void cnc_easy_reset(void *easy) { curl_easy_reset(easy); }
long cnc_easy_pause(void *easy, long mask) { return curl_easy_pause(easy, (int)mask); }

long cnc_easy_set_number(void *easy, long option, long value) { return curl_easy_setopt(easy, (int)option, value); }
long cnc_easy_set_size(void *easy, long option, int64_t value) { return curl_easy_setopt(easy, (int)option, value); }
long cnc_easy_set_pointer(void *easy, long option, const void *value) { return curl_easy_setopt(easy, (int)option, value); }

long cnc_easy_set_blob(void *easy, long option, const void *bytes, size_t count) {
    struct curl_blob_ blob = {(void *)bytes, count, CNC_BLOB_COPY};
    return curl_easy_setopt(easy, (int)option, &blob);
}

// One function for each type of callback: Swift cannot pass another one.
#define SETS(name, setter, callback_type, option) \
    long name(void *handle, callback_type callback) { return setter(handle, option, callback); }

SETS(cnc_easy_set_seek_callback, curl_easy_setopt, cnc_seek_callback, CNCOPT_SEEKFUNCTION)
SETS(cnc_easy_set_open_callback, curl_easy_setopt, cnc_open_callback, CNCOPT_OPENSOCKETFUNCTION)
SETS(cnc_easy_set_debug_callback, curl_easy_setopt, cnc_debug_callback, CNCOPT_DEBUGFUNCTION)
SETS(cnc_easy_set_close_callback, curl_easy_setopt, cnc_close_callback, CNCOPT_CLOSESOCKETFUNCTION)
SETS(cnc_easy_set_prereq_callback, curl_easy_setopt, cnc_prereq_callback, CNCOPT_PREREQFUNCTION)
SETS(cnc_multi_set_watch_callback, curl_multi_setopt, cnc_watch_callback, CNCMOPT_SOCKETFUNCTION)
SETS(cnc_multi_set_timer_callback, curl_multi_setopt, cnc_timer_callback, CNCMOPT_TIMERFUNCTION)

long cnc_easy_set_data_callback(void *easy, long option, cnc_data_callback callback) {
    return curl_easy_setopt(easy, (int)option, callback);
}

// Zero without a value.
#define GETS(name, type) \
    type name(void *easy, long info) { \
        type value = 0; \
        curl_easy_getinfo(easy, (int)info, &value); \
        return value; \
    }

GETS(cnc_easy_number, long)
GETS(cnc_easy_size, int64_t)
GETS(cnc_easy_pointer, void *)

#define LIBSSL(F) \
    F(version_text, const char *, SSL_get_version, (const void *)) \
    F(cipher_text, const char *, SSL_CIPHER_get_name, (const void *)) \
    F(current_cipher, const void *, SSL_get_current_cipher, (const void *)) \
    F(selected_protocol, void, SSL_get0_alpn_selected, (const void *, const unsigned char **, unsigned *)) \
    F(set_offer, int, SSL_CTX_set_alpn_protos, (void *, const unsigned char *, unsigned)) \
    F(set_control, long, SSL_CTX_ctrl, (void *, int, long, void *)) \
    F(shutdown_state, int, SSL_get_shutdown, (const void *)) \
    F(peer_certificate, void *, SSL_get1_peer_certificate, (const void *)) \
    F(check_host, int, X509_check_host, (void *, const char *, size_t, unsigned, char **)) \
    F(check_address, int, X509_check_ip_asc, (void *, const char *, unsigned)) \
    F(release_certificate, void, X509_free, (void *))

LIBSSL(DECLARE)

static void find_libssl(void) { LIBSSL(FIND) }

bool cnc_tells_tls(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_libssl);
    return version_text && cipher_text && current_cipher;
}

// The SSL of a handle's connection; null without one, or if another library encrypts.
static void *ssl_of(void *easy) {
    struct curl_tlssessioninfo_ *session = NULL;
    if (!cnc_tells_tls() || curl_easy_getinfo(easy, CNCINFO_TLS_SSL_PTR, &session) != 0 || session == NULL) return NULL;
    return session->backend == CNCSSLBACKEND_OPENSSL ? session->internals : NULL;
}

void cnc_easy_tls(void *easy, const char **version, const char **cipher) {
    *version = *cipher = NULL;
    void *ssl = ssl_of(easy);
    if (ssl == NULL) return;
    *version = version_text(ssl);
    const void *current = current_cipher(ssl);
    if (current != NULL) *cipher = cipher_text(current);
}

// Called for each handshake, with its own context.
static int offer_protocols(void *easy, void *context, void *data) {
    enum { SET_READ_AHEAD = 41 };
    const struct cnc_offer *offer = data;
    (void)easy;
    // What is read ahead shows neither in the socket nor in the count of decrypted bytes.
    set_control(context, SET_READ_AHEAD, 0, NULL);
    if (offer->names == NULL) return 0;
    // The handshake of the proxy comes before its CONNECT was answered.
    if (offer->may_have_secure_proxy && cnc_easy_number(offer->easy, CNCINFO_HTTP_CONNECTCODE) / 100 != 2) return 0;
    return set_offer(context, (const unsigned char *)offer->names, offer->count) == 0 ? 0 : CNCE_OUT_OF_MEMORY;
}

bool cnc_can_offer(void) {
    static int result = -1;
    if (result >= 0) return result;
    void *easy = cnc_tells_tls() && set_offer && set_control && selected_protocol ? curl_easy_init() : NULL;
    bool can = easy && curl_easy_setopt(easy, CNCOPT_SSL_CTX_FUNCTION, offer_protocols) == 0;
    if (easy) curl_easy_cleanup(easy);
    return result = can;
}

long cnc_easy_offer(void *easy, struct cnc_offer *offer) {
    curl_easy_setopt(easy, CNCOPT_SSL_ENABLE_ALPN, 0L);
    curl_easy_setopt(easy, CNCOPT_SSL_CTX_FUNCTION, offer_protocols);
    return curl_easy_setopt(easy, CNCOPT_SSL_CTX_DATA, offer);
}

bool cnc_easy_agreed_on_http2(void *easy) {
    void *ssl = ssl_of(easy);
    if (ssl == NULL || selected_protocol == NULL) return false;
    const unsigned char *name = NULL;
    unsigned length = 0;
    selected_protocol(ssl, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}

bool cnc_easy_tls_names(void *easy, const char *host, bool is_address) {
    enum { NEVER_CHECK_SUBJECT = 0x20 };
    void *ssl = ssl_of(easy);
    if (ssl == NULL || !peer_certificate || !check_host || !check_address || !release_certificate) return true;
    void *certificate = peer_certificate(ssl);
    if (certificate == NULL) return true;
    int result = is_address ? check_address(certificate, host, 0)
                            : check_host(certificate, host, strlen(host), NEVER_CHECK_SUBJECT, NULL);
    release_certificate(certificate);
    return result != 0;
}

bool cnc_easy_tls_is_cut(void *easy) {
    enum { RECEIVED_SHUTDOWN = 2 };
    void *ssl = ssl_of(easy);
    return ssl != NULL && shutdown_state != NULL && (shutdown_state(ssl) & RECEIVED_SHUTDOWN) == 0;
}

// What the system says: so many bytes, or one of CNC_IO_….
static long moved(ssize_t count) {
    if (count >= 0) return count;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? CNC_IO_AGAIN : CNC_IO_BROKEN;
}

long cnc_socket_send(int socket, const void *bytes, size_t count) {
    return moved(send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT));
}

long cnc_socket_receive(int socket, void *bytes, size_t count) {
    return moved(recv(socket, bytes, count, MSG_DONTWAIT));
}

bool cnc_socket_is_quiet(int socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

int cnc_socket_connect_like(int model, int family, const void *address, unsigned int length, bool bound) {
    static const int options[][2] = {
        {IPPROTO_TCP, TCP_NODELAY}, {SOL_SOCKET, SO_KEEPALIVE}, {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_KEEPINTVL},
    };
    int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (made < 0) return -1;
    for (size_t index = 0; index < sizeof options / sizeof *options; index++) {
        int value = 0;
        socklen_t size = sizeof value;
        if (getsockopt(model, options[index][0], options[index][1], &value, &size) == 0) {
            setsockopt(made, options[index][0], options[index][1], &value, size);
        }
    }
    char device[64];
    socklen_t size = sizeof device;
    if (getsockopt(model, SOL_SOCKET, SO_BINDTODEVICE, device, &size) == 0 && size > 0) {
        setsockopt(made, SOL_SOCKET, SO_BINDTODEVICE, device, size);
    }
    struct sockaddr_storage own = {0};
    size = sizeof own;
    bool fits = !bound || (getsockname(model, (struct sockaddr *)&own, &size) == 0 && own.ss_family == family);
    if (fits && bound) {
        // The port comes first in both families.
        ((struct sockaddr_in *)&own)->sin_port = 0;
        fits = bind(made, (struct sockaddr *)&own, size) == 0;
    }
    if (fits && (connect(made, address, length) == 0 || errno == EINPROGRESS)) return made;
    close(made);
    return -1;
}

void cnc_socket_limit_silence(int socket, int64_t milliseconds) {
    unsigned value = (unsigned)milliseconds;
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

uint64_t cnc_socket_identity(int socket) {
    struct stat state;
    return fstat(socket, &state) == 0 ? (uint64_t)state.st_ino ^ (uint64_t)state.st_dev << 48 : 0;
}

bool cnc_socket_replace(int socket, int by) { return dup3(by, socket, O_CLOEXEC) == socket; }

int cnc_easy_socket(void *easy) {
    int socket = -1;
    curl_easy_getinfo(easy, CNCINFO_ACTIVESOCKET, &socket);
    return socket;
}

static long moved_by_curl(int result, size_t count) {
    enum { again = 81 };
    return result == 0 ? (long)count : result == again ? CNC_IO_AGAIN : CNC_IO_BROKEN;
}

long cnc_easy_send(void *easy, const void *bytes, size_t count) {
    size_t sent = 0;
    int result = curl_easy_send(easy, bytes, count, &sent);
    return moved_by_curl(result, sent);
}

long cnc_easy_receive(void *easy, void *bytes, size_t count) {
    size_t got = 0;
    int result = curl_easy_recv(easy, bytes, count, &got);
    return moved_by_curl(result, got);
}

void *cnc_share_init(void) {
    void *share = curl_share_init();
    if (share == NULL) return NULL;
    curl_share_setopt(share, CNCSHOPT_SHARE, CNC_LOCK_DATA_DNS);
    curl_share_setopt(share, CNCSHOPT_SHARE, CNC_LOCK_DATA_SSL_SESSION);
    return share;
}

void cnc_share_cleanup(void *share) { curl_share_cleanup(share); }

int cnc_memory_file(const void *bytes, size_t count) {
    int file = memfd_create("authorities", MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < count;) {
        ssize_t written = write(file, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)written;
    }
    return file;
}

// Whether something is on its way between this socket and another one of this machine.
static bool is_busy(int file) {
    int domain = 0, in = 0, out = 0;
    socklen_t size = sizeof domain;
    return getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
        && ioctl(file, FIONREAD, &in) == 0 && ioctl(file, TIOCOUTQ, &out) == 0 && in + out > 0;
}

// Older libraries wake themselves by a pair of sockets that every program started later would inherit, and do not say which:
// the pair is the one that a wake-up passes through.
static void keep_from_children(void *multi) {
    enum { most = 64 };
    int found[most], count = 0;
    if (curl_multi_wakeup(multi) != 0) return;
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        int file = atoi(entry->d_name);
        if (file > 2 && count < most && fcntl(file, F_GETFD) == 0 && is_busy(file)) found[count++] = file;
    }
    if (files != NULL) closedir(files);
    curl_multi_poll(multi, NULL, 0, 0, NULL);
    for (int index = 0; index < count; index++) {
        if (!is_busy(found[index])) fcntl(found[index], F_SETFD, FD_CLOEXEC);
    }
}

void *cnc_multi_init(void) {
    void *multi = curl_multi_init();
    if (multi != NULL) keep_from_children(multi);
    return multi;
}
void cnc_multi_cleanup(void *multi) { curl_multi_cleanup(multi); }
long cnc_multi_set_number(void *multi, long option, long value) { return curl_multi_setopt(multi, (int)option, value); }
long cnc_multi_add(void *multi, void *easy) { return curl_multi_add_handle(multi, easy); }
long cnc_multi_remove(void *multi, void *easy) { return curl_multi_remove_handle(multi, easy); }

long cnc_multi_set_pointer(void *multi, long option, const void *value) {
    return curl_multi_setopt(multi, (int)option, value);
}

long cnc_multi_act(void *multi, int socket, int events) {
    int running = 0;
    return curl_multi_socket_action(multi, socket, events, &running);
}

void cnc_multi_perform(void *multi) {
    int running = 0;
    curl_multi_perform(multi, &running);
}

void *cnc_multi_next_done(void *multi, long *result) {
    enum { done = 1 };
    int left = 0;
    for (struct CURLMsg_ *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->msg != done) continue;
        *result = message->data.result;
        return message->easy;
    }
    return NULL;
}
#endif
