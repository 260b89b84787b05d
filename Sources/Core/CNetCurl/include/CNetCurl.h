// The few functions and constants of libcurl that CurlTransport uses, declared by ourselves: building needs only the
// run-time library. Each constant CNCxyz has the value of libcurl's CURLxyz; .ci/check-curl-constants proves it.
#ifndef CNETCURL_H
#define CNETCURL_H

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Options whose argument is a pointer: a string, an object, a list.
enum {
    CNCOPT_WRITEDATA = 10001,
    CNCOPT_URL = 10002,
    CNCOPT_PROXY = 10004,
    CNCOPT_READDATA = 10009,
    CNCOPT_ERRORBUFFER = 10010,
    CNCOPT_POSTFIELDS = 10015,
    CNCOPT_USERAGENT = 10018,
    CNCOPT_HTTPHEADER = 10023,
    CNCOPT_SSLCERT = 10025,
    CNCOPT_KEYPASSWD = 10026,
    CNCOPT_HEADERDATA = 10029,
    CNCOPT_CUSTOMREQUEST = 10036,
    CNCOPT_INTERFACE = 10062,
    CNCOPT_HAPPY_EYEBALLS_TIMEOUT_MS = 271,
    CNCOPT_CAINFO = 10065,
    CNCOPT_SSLKEY = 10087,
    CNCOPT_CAPATH = 10097,
    CNCOPT_SHARE = 10100,
    CNCOPT_DEBUGDATA = 10095,
    CNCOPT_SSL_CTX_DATA = 10109,
    CNCOPT_PRIVATE = 10103,
    CNCOPT_OPENSOCKETDATA = 10164,
    CNCOPT_SEEKDATA = 10168,
    CNCOPT_CRLFILE = 10169,
    CNCOPT_PROXYUSERNAME = 10175,
    CNCOPT_PROXYPASSWORD = 10176,
    CNCOPT_NOPROXY = 10177,
    CNCOPT_RESOLVE = 10203,
    CNCOPT_REQUEST_TARGET = 10266,
    CNCOPT_CLOSESOCKETDATA = 10209,
    CNCOPT_PINNEDPUBLICKEY = 10230,
    CNCOPT_UNIX_SOCKET_PATH = 10231,
    CNCOPT_CONNECT_TO = 10243,
    CNCOPT_PREREQDATA = 10313,
    CNCOPT_PROTOCOLS_STR = 10318,
};

// Options whose argument is a number.
enum {
    CNCOPT_SSLVERSION = 32,
    CNCOPT_VERBOSE = 41,
    CNCOPT_NOBODY = 44,
    CNCOPT_UPLOAD = 46,
    CNCOPT_POST = 47,
    CNCOPT_FOLLOWLOCATION = 52,
    CNCOPT_HTTPPROXYTUNNEL = 61,
    CNCOPT_SSL_VERIFYPEER = 64,
    CNCOPT_FRESH_CONNECT = 74,
    CNCOPT_FORBID_REUSE = 75,
    CNCOPT_SSL_VERIFYHOST = 81,
    CNCOPT_HTTP_VERSION = 84,
    CNCOPT_DNS_CACHE_TIMEOUT = 92,
    CNCOPT_BUFFERSIZE = 98,
    CNCOPT_NOSIGNAL = 99,
    CNCOPT_IPRESOLVE = 113,
    CNCOPT_CONNECTTIMEOUT_MS = 156,
    CNCOPT_CONNECT_ONLY = 141,
    CNCOPT_TCP_KEEPALIVE = 213,
    CNCOPT_TCP_KEEPIDLE = 214,
    CNCOPT_TCP_KEEPINTVL = 215,
    CNCOPT_SSL_ENABLE_ALPN = 226,
    CNCOPT_HEADEROPT = 229,
    CNCOPT_PATH_AS_IS = 234,
    CNCOPT_PIPEWAIT = 237,
    CNCOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CNCOPT_UPLOAD_BUFFERSIZE = 280,
    CNCOPT_MAXAGE_CONN = 288,
    CNCOPT_MAXLIFETIME_CONN = 314,
    CNCOPT_QUICK_EXIT = 322,
    CNCOPT_INFILESIZE_LARGE = 30115,
    CNCOPT_POSTFIELDSIZE_LARGE = 30120,
};

// Options whose argument is a function or a blob.
enum {
    CNCOPT_WRITEFUNCTION = 20011,
    CNCOPT_READFUNCTION = 20012,
    CNCOPT_HEADERFUNCTION = 20079,
    CNCOPT_OPENSOCKETFUNCTION = 20163,
    CNCOPT_DEBUGFUNCTION = 20094,
    CNCOPT_SEEKFUNCTION = 20167,
    CNCOPT_SSL_CTX_FUNCTION = 20108,
    CNCOPT_CLOSESOCKETFUNCTION = 20208,
    CNCOPT_PREREQFUNCTION = 20312,
    CNCOPT_SSLCERT_BLOB = 40291,
    CNCOPT_SSLKEY_BLOB = 40292,
    CNCOPT_CAINFO_BLOB = 40309,
};

enum {
    CNCINFO_PRIVATE = 0x100015,
    CNCINFO_CAINFO = 0x10003D,
    CNCINFO_HEADER_SIZE = 0x20000B,
    CNCINFO_REQUEST_SIZE = 0x20000C,
    CNCINFO_SSL_VERIFYRESULT = 0x20000D,
    CNCINFO_HTTP_CONNECTCODE = 0x200016,
    CNCINFO_TLS_SSL_PTR = 0x40002D,
    CNCINFO_ACTIVESOCKET = 0x50002C,
    CNCINFO_SIZE_UPLOAD_T = 0x600007,
    CNCINFO_SIZE_DOWNLOAD_T = 0x600008,
    CNCINFO_NAMELOOKUP_TIME_T = 0x600033,
    CNCINFO_CONNECT_TIME_T = 0x600034,
    CNCINFO_APPCONNECT_TIME_T = 0x600038,
    CNCINFO_CONN_ID = 0x600040,
};

enum {
    CNCMOPT_PIPELINING = 3,
    CNCMOPT_MAXCONNECTS = 6,
    CNCMOPT_SOCKETDATA = 10002,
    CNCMOPT_TIMERDATA = 10005,
    CNCMOPT_SOCKETFUNCTION = 20001,
    CNCMOPT_TIMERFUNCTION = 20004,
};

enum {
    CNCE_OK = 0,
    CNCE_UNSUPPORTED_PROTOCOL = 1,
    CNCE_URL_MALFORMAT = 3,
    CNCE_COULDNT_RESOLVE_PROXY = 5,
    CNCE_COULDNT_RESOLVE_HOST = 6,
    CNCE_COULDNT_CONNECT = 7,
    CNCE_WEIRD_SERVER_REPLY = 8,
    CNCE_PARTIAL_FILE = 18,
    CNCE_WRITE_ERROR = 23,
    CNCE_OUT_OF_MEMORY = 27,
    CNCE_OPERATION_TIMEDOUT = 28,
    CNCE_SSL_CONNECT_ERROR = 35,
    CNCE_BAD_FUNCTION_ARGUMENT = 43,
    CNCE_GOT_NOTHING = 52,
    CNCE_SEND_ERROR = 55,
    CNCE_RECV_ERROR = 56,
    CNCE_SSL_CERTPROBLEM = 58,
    CNCE_SSL_CIPHER = 59,
    CNCE_PEER_FAILED_VERIFICATION = 60,
    CNCE_SEND_FAIL_REWIND = 65,
    CNCE_SSL_CACERT_BADFILE = 77,
    CNCE_SSL_ISSUER_ERROR = 83,
    CNCE_SSL_PINNEDPUBKEYNOTMATCH = 90,
    CNCE_SSL_INVALIDCERTSTATUS = 91,
    CNCE_HTTP3 = 95,
    CNCE_PROXY = 97,
    CNCE_SSL_CLIENTCERT = 98,
};

enum {
    CNC_ERROR_SIZE = 256,
    CNC_GLOBAL_ALL = 3,
    CNCPIPE_MULTIPLEX = 2,
    CNC_HTTP_VERSION_1_1 = 2,
    CNC_HTTP_VERSION_3ONLY = 31,
    CNC_SSLVERSION_TLSv1_2 = 6,
    CNC_SSLVERSION_TLSv1_3 = 7,
    CNC_WRITEFUNC_PAUSE = 0x10000001,
    CNC_READFUNC_PAUSE = 0x10000001,
    CNC_READFUNC_ABORT = 0x10000000,
    CNCPAUSE_CONT = 0,
    CNCPAUSE_RECV = 1,
    CNCPAUSE_SEND = 4,
    CNC_SEEKFUNC_OK = 0,
    CNC_SEEKFUNC_FAIL = 1,
    CNCHEADER_SEPARATE = 1,
    CNC_BLOB_COPY = 1,
    CNC_IPRESOLVE_V4 = 1,
    CNC_IPRESOLVE_V6 = 2,
    CNC_POLL_IN = 1,
    CNC_POLL_OUT = 2,
    CNC_POLL_INOUT = 3,
    CNC_CSELECT_IN = 1,
    CNC_CSELECT_OUT = 2,
    CNC_SOCKET_TIMEOUT = -1,
    CNCINFO_HEADER_OUT = 2,
    CNCSSLBACKEND_OPENSSL = 1,
    CNCSHOPT_SHARE = 1,
    CNC_LOCK_DATA_DNS = 3,
    CNC_LOCK_DATA_SSL_SESSION = 4,
    CNC_VERSION_SSL = 1 << 2,
    CNC_VERSION_LIBZ = 1 << 3,
    CNC_VERSION_UNIX_SOCKETS = 1 << 19,
    CNC_VERSION_BROTLI = 1 << 23,
    CNC_VERSION_HTTP3 = 1 << 25,
    CNC_VERSION_ZSTD = 1 << 26,
};

/// One line of a request header; libcurl only reads the list, so its memory may be ours.
struct cnc_slist {
    char *data;
    struct cnc_slist *next;
};

typedef size_t (*cnc_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*cnc_seek_callback)(void *context, int64_t offset, int origin);
/// The address of a socket to be made; what follows `length` is of no interest here.
struct cnc_address {
    int family;
    int type;
    int protocol;
    unsigned int length;
};

typedef int (*cnc_debug_callback)(void *easy, int kind, char *bytes, size_t count, void *context);
typedef int (*cnc_open_callback)(void *context, int purpose, struct cnc_address *address);
typedef int (*cnc_close_callback)(void *context, int socket);
typedef int (*cnc_watch_callback)(void *easy, int socket, int what, void *context, void *of_socket);
typedef int (*cnc_timer_callback)(void *multi, long milliseconds, void *context);
typedef int (*cnc_prereq_callback)(void *context, char *remote, char *local, int remote_port, int local_port);

/// Prepares the calling thread as an owner thread: a name, and no signals, which are for the program's own threads.
///
/// Those that a fault of this very thread raises stay, and the profiler's: crash reporters and profilers see it.
/// `loop` is what `cnc_thread_loop` gives on this thread from then on.
void cnc_thread_begin(const void *loop);

/// What the calling thread has begun with, null where it is no owner thread.
const void *cnc_thread_loop(void);

/// Tells the thread sanitizer that the running task sees what the thread that resumed it had done; else nothing.
///
/// Swift's runtime leaves it out where a continuation was resumed before its task had suspended (.ci/sanitizers).
void cnc_task_resumed(void);

long cnc_global_init(void);
/// The bits CNC_VERSION_… of what the loaded library can do.
long cnc_features(void);
/// The version of the loaded library, `0x075801` for 7.88.1.
long cnc_version(void);
const char *cnc_strerror(long code);

void *cnc_easy_init(void);
/// A new handle with the options of another one, but for what it shares.
void *cnc_easy_copy(void *easy);
void cnc_easy_cleanup(void *easy);
void cnc_easy_reset(void *easy);
long cnc_easy_pause(void *easy, long mask);
long cnc_easy_set_number(void *easy, long option, long value);
long cnc_easy_set_size(void *easy, long option, int64_t value);
long cnc_easy_set_pointer(void *easy, long option, const void *value);
long cnc_easy_set_blob(void *easy, long option, const void *bytes, size_t count);
long cnc_easy_set_data_callback(void *easy, long option, cnc_data_callback callback);
long cnc_easy_set_seek_callback(void *easy, cnc_seek_callback callback);
long cnc_easy_set_open_callback(void *easy, cnc_open_callback callback);
long cnc_easy_set_debug_callback(void *easy, cnc_debug_callback callback);
long cnc_easy_set_close_callback(void *easy, cnc_close_callback callback);
long cnc_easy_set_prereq_callback(void *easy, cnc_prereq_callback callback);
long cnc_easy_number(void *easy, long info);
int64_t cnc_easy_size(void *easy, long info);
void *cnc_easy_pointer(void *easy, long info);

/// Whether the library that encrypts is one whose connections can be asked: OpenSSL, or one with its names.
bool cnc_tells_tls(void);
/// Version and cipher suite of the exchange's connection; both null if unknown.
void cnc_easy_tls(void *easy, const char **version, const char **cipher);

/// What a handle offers in a TLS handshake (ALPN, RFC 7301), at a stable address.
struct cnc_offer {
    /// The handle itself.
    void *easy;
    /// Names, each behind a byte with its length; null offers none.
    const char *names;
    unsigned count;
    /// Whether the connection may begin with a handshake of the proxy, which is offered none.
    bool may_have_secure_proxy;
};

/// Whether a handle's offer can be set: libcurl uses OpenSSL, or a library with its functions.
bool cnc_can_offer(void);
/// Sets what a handle offers from now on; the list is read in each handshake.
long cnc_easy_offer(void *easy, struct cnc_offer *offer);
/// Whether a handle's TLS connection has agreed on HTTP/2.
bool cnc_easy_agreed_on_http2(void *easy);

/// Whether the server's certificate names a host, or an address, among its alternative names: the common name does not count.
/// True if unknown.
bool cnc_easy_tls_names(void *easy, const char *host, bool is_address);

/// Whether a connection of TLS that has ended did so without the alert that says so; false if unknown.
bool cnc_easy_tls_is_cut(void *easy);

enum { CNC_TAG_LENGTH = 16, CNC_CIPHER_DONE = 0, CNC_CIPHER_NOT_AUTHENTIC = 1, CNC_CIPHER_FAILED = 2 };

/// Whether the libcrypto that libcurl has loaded has the functions of ChaCha20-Poly1305; it may refuse them nevertheless (FIPS).
bool cnc_has_cipher(void);
/// Seals or opens with ChaCha20-Poly1305 (RFC 8439, 2.8): one of CNC_CIPHER_….
///
/// The key has 32 bytes, the nonce 12, the text `count`; the tag follows what is sealed, in the output or in the input.
/// What is not authentic leaves nothing in the output.
int cnc_cipher(bool seals, const void *key, const void *nonce, const void *data, size_t data_count, const void *input,
               size_t count, void *output);
/// Overwrites bytes with zeros, even if nothing reads them afterwards.
void cnc_erase(void *bytes, size_t count);

/// Nothing can be moved now; the connection is broken. Zero bytes received is its end.
enum { CNC_IO_AGAIN = -1, CNC_IO_BROKEN = -2 };

/// Sends on a socket without waiting: so many bytes, or CNC_IO_….
long cnc_socket_send(int socket, const void *bytes, size_t count);
/// Receives without waiting.
long cnc_socket_receive(int socket, void *bytes, size_t count);
/// Whether a socket has nothing to read and has not ended.
bool cnc_socket_is_quiet(int socket);
/// Begins to connect a socket with the options of another one, `bound` to the same address if that was chosen; -1 if it
/// cannot.
int cnc_socket_connect_like(int model, int family, const void *address, unsigned int length, bool bound);
/// Breaks a connection whose sent bytes were not acknowledged for so many milliseconds.
void cnc_socket_limit_silence(int socket, int64_t milliseconds);
/// A number that no other open file of the process has; 0 without a file.
uint64_t cnc_socket_identity(int socket);
/// Puts a socket in the place of another one, under that one's number too.
bool cnc_socket_replace(int socket, int by);
/// The socket of the connection that a handle has made, or -1.
int cnc_easy_socket(void *easy);
/// Sends on the connection of a handle that has only connected (CNCOPT_CONNECT_ONLY).
long cnc_easy_send(void *easy, const void *bytes, size_t count);
long cnc_easy_receive(void *easy, void *bytes, size_t count);

/// A place for what the exchanges of one thread share: names, and sessions of TLS.
void *cnc_share_init(void);
void cnc_share_cleanup(void *share);

/// A file in memory with these bytes, or -1; `/proc/self/fd/<descriptor>` names it.
int cnc_memory_file(const void *bytes, size_t count);

void *cnc_multi_init(void);
void cnc_multi_cleanup(void *multi);
long cnc_multi_set_number(void *multi, long option, long value);
long cnc_multi_set_pointer(void *multi, long option, const void *value);
long cnc_multi_set_watch_callback(void *multi, cnc_watch_callback callback);
long cnc_multi_set_timer_callback(void *multi, cnc_timer_callback callback);
long cnc_multi_add(void *multi, void *easy);
long cnc_multi_remove(void *multi, void *easy);
/// Lets libcurl continue with what waits for a socket, or with what is due where `socket` is CNC_SOCKET_TIMEOUT.
long cnc_multi_act(void *multi, int socket, int events);
/// Lets libcurl continue with everything that it has to do, for a handle that waits for no sockets.
void cnc_multi_perform(void *multi);
/// The next finished easy handle with its result, or null.
void *cnc_multi_next_done(void *multi, long *result);
#endif
#endif
