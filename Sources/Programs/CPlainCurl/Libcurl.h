// Declared here instead of included: the benchmarks also build without libcurl's headers.
typedef struct CURL CURL;
typedef struct CURLM CURLM;
struct CURLMsg {
    int msg;
    CURL *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
};
extern char *curl_version(void);
extern CURL *curl_easy_init(void);
extern int curl_easy_setopt(CURL *, int, ...);
extern int curl_easy_getinfo(CURL *, int, ...);
extern int curl_easy_perform(CURL *);
extern int curl_easy_send(CURL *, const void *, size_t, size_t *);
extern int curl_easy_recv(CURL *, void *, size_t, size_t *);
extern void curl_easy_cleanup(CURL *);
extern CURLM *curl_multi_init(void);
extern int curl_multi_setopt(CURLM *, int, ...);
extern int curl_multi_add_handle(CURLM *, CURL *);
extern int curl_multi_remove_handle(CURLM *, CURL *);
extern int curl_multi_perform(CURLM *, int *);
extern int curl_multi_poll(CURLM *, void *, unsigned, int, int *);
extern struct CURLMsg *curl_multi_info_read(CURLM *, int *);
extern int curl_multi_cleanup(CURLM *);

enum {
    OPT_WRITEDATA = 10001, OPT_URL = 10002, OPT_READDATA = 10009, OPT_POSTFIELDS = 10015, OPT_PRIVATE = 10103,
    OPT_WRITEFUNCTION = 20011, OPT_READFUNCTION = 20012,
    OPT_POST = 47, OPT_SSL_VERIFYPEER = 64, OPT_SSL_VERIFYHOST = 81, OPT_HTTP_VERSION = 84, OPT_NOSIGNAL = 99,
    OPT_PIPEWAIT = 237, OPT_POSTFIELDSIZE_LARGE = 30120, OPT_HTTPHEADER = 10023,
    OPT_CONNECT_ONLY = 141, INFO_RESPONSE_CODE = 0x200002, INFO_PRIVATE = 0x100015, INFO_ACTIVESOCKET = 0x50002C,
    MOPT_PIPELINING = 3, MOPT_MAXCONNECTS = 6, CODE_AGAIN = 81,
};
