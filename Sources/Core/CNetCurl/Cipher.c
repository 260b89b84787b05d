#define _GNU_SOURCE
#include "CNetCurl.h"
#include "Found.h"

#if defined(__linux__)
#include <pthread.h>
#include <string.h>

// Of the libcrypto that libcurl has brought along.
#define LIBCRYPTO(F) \
    F(cipher, const void *, EVP_chacha20_poly1305, (void)) \
    F(make_context, void *, EVP_CIPHER_CTX_new, (void)) \
    F(release_context, void, EVP_CIPHER_CTX_free, (void *)) \
    F(control, int, EVP_CIPHER_CTX_ctrl, (void *, int, int, void *)) \
    F(begin, int, EVP_CipherInit_ex, \
      (void *, const void *, void *, const unsigned char *, const unsigned char *, int)) \
    F(update, int, EVP_CipherUpdate, (void *, unsigned char *, int *, const unsigned char *, int)) \
    F(finish, int, EVP_CipherFinal_ex, (void *, unsigned char *, int *)) \
    F(set_mark, int, ERR_set_mark, (void)) \
    F(pop_to_mark, int, ERR_pop_to_mark, (void))

LIBCRYPTO(DECLARE)

static void find_libcrypto(void) { LIBCRYPTO(FIND) }

bool cnc_has_cipher(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_libcrypto);
    return cipher && make_context && release_context && control && begin && update && finish && set_mark && pop_to_mark;
}

// In parts, since the library counts with an int; without an output the bytes are only authenticated.
static bool add(void *context, unsigned char *output, const unsigned char *bytes, size_t count) {
    const size_t most = 1 << 30;
    for (size_t done = 0; done < count; done += most) {
        int moved = 0;
        int part = (int)(count - done < most ? count - done : most);
        if (update(context, output ? output + done : NULL, &moved, bytes + done, part) != 1) return false;
    }
    return true;
}

static int seal_or_open(void *context, bool seals, const void *key, const void *nonce, const void *data, size_t data_count,
                        const unsigned char *input, size_t count, unsigned char *output) {
    enum { GET_TAG = 0x10, SET_TAG = 0x11 };
    unsigned char none[CNC_TAG_LENGTH];
    int moved = 0;
    bool works = context && begin(context, cipher(), NULL, key, nonce, seals) == 1 &&
                 (seals || control(context, SET_TAG, CNC_TAG_LENGTH, (void *)(input + count)) == 1) &&
                 add(context, NULL, data, data_count) && add(context, output, input, count);
    if (!works) return CNC_CIPHER_FAILED;
    if (finish(context, none, &moved) != 1) return seals ? CNC_CIPHER_FAILED : CNC_CIPHER_NOT_AUTHENTIC;
    return !seals || control(context, GET_TAG, CNC_TAG_LENGTH, output + count) == 1 ? CNC_CIPHER_DONE : CNC_CIPHER_FAILED;
}

int cnc_cipher(bool seals, const void *key, const void *nonce, const void *data, size_t data_count, const void *input,
               size_t count, void *output) {
    const uint64_t longest = 64 * (uint64_t)UINT32_MAX;
    if (!cnc_has_cipher() || count > longest) return CNC_CIPHER_FAILED;
    // An error that stays behind in the thread's list would look like one of its TLS connections'.
    set_mark();
    void *context = make_context();
    int result = seal_or_open(context, seals, key, nonce, data, data_count, input, count, output);
    release_context(context);
    pop_to_mark();
    if (result != CNC_CIPHER_DONE) cnc_erase(output, count);
    return result;
}

void cnc_erase(void *bytes, size_t count) {
    if (count > 0) explicit_bzero(bytes, count);
}
#endif
