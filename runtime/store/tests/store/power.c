/* Notes what a program does to the files of one folder, in order: what it wrote, what it synchronised, and what it said on
   stdout in between. `power.rs` plays it back up to any moment, and leaves out what no synchronisation had secured by then.

   Preloaded into the program. POWER_FOLDER is the folder, POWER_NOTES the file of the notes. With POWER_FAULT `KIND NUMBER TIMES ERRNO`
   the disk fails: of what is read (R), written (W) or synchronised (S), the NUMBERth from the first, and so many after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS 1024
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *names[DESCRIPTORS];
static int notes = -1;

/* Its functions are also called before any constructor has run. */
static const char *followed(const char *path) {
    const char *folder = getenv("POWER_FOLDER");
    size_t length = folder ? strlen(folder) : 0;
    return length && path && !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

static void put(const void *data, size_t length) {
    for (const char *at = data; length > 0;) {
        long written = syscall(SYS_write, notes, at, length);
        if (written <= 0) _exit(70);
        at += written;
        length -= (size_t)written;
    }
}

/* kind, length of the name, offset, length of the data; then both. */
static void note(char kind, const char *name, int64_t offset, const void *data, uint64_t length) {
    if (notes < 0) {
        const char *path = getenv("POWER_NOTES");
        if (!path) return;
        notes = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (notes < 0) _exit(71);
    }
    uint64_t head[4] = {(uint64_t)(unsigned char)kind, strlen(name), (uint64_t)offset, length};
    put(head, sizeof head);
    put(name, strlen(name));
    if (data) put(data, length);
}

static const char *name_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? names[descriptor] : NULL;
}

/* Whether the disk fails now. It fails in nothing before the first promise, which is the program's to open its files. Under the lock. */
static int has_promised;
static int fails(char kind) {
    static long number = -1, times, error, count;
    static char of;
    if (number < 0) {
        const char *fault = getenv("POWER_FAULT");
        if (!fault || sscanf(fault, "%c %ld %ld %ld", &of, &number, &times, &error) != 4) number = 0;
    }
    if (!number || kind != of || !has_promised) return 0;
    count++;
    if (count < number || count >= number + times) return 0;
    errno = (int)error;
    return 1;
}

#define REAL(name, ...) static __typeof__(__VA_ARGS__) real; if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

static int opened(int descriptor, const char *path) {
    const char *name = followed(path);
    if (name && descriptor >= 0 && descriptor < DESCRIPTORS) {
        pthread_mutex_lock(&lock);
        free(names[descriptor]);
        names[descriptor] = strdup(name);
        pthread_mutex_unlock(&lock);
    }
    return descriptor;
}

#define OPEN(symbol)                                                                                              \
    int symbol(const char *path, int flags, ...) {                                                                \
        REAL(#symbol, int (*)(const char *, int, ...));                                                           \
        va_list rest;                                                                                             \
        va_start(rest, flags);                                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;                                   \
        va_end(rest);                                                                                             \
        return opened(real(path, flags, mode), path);                                                             \
    }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    REAL("close", int (*)(int));
    pthread_mutex_lock(&lock);
    if (name_of(descriptor)) {
        free(names[descriptor]);
        names[descriptor] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return real(descriptor);
}

/* Noted under the lock together with what is done, so that the notes have the order of what they are about. */
#define PWRITE(symbol)                                                                                            \
    ssize_t symbol(int descriptor, const void *data, size_t length, off_t offset) {                               \
        REAL(#symbol, ssize_t (*)(int, const void *, size_t, off_t));                                             \
        const char *name = name_of(descriptor);                                                                   \
        if (!name) return real(descriptor, data, length, offset);                                                 \
        pthread_mutex_lock(&lock);                                                                                \
        ssize_t written = fails('W') ? -1 : real(descriptor, data, length, offset);                               \
        if (written > 0) note('W', name, offset, data, (uint64_t)written);                                        \
        pthread_mutex_unlock(&lock);                                                                              \
        return written;                                                                                           \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PREAD(symbol)                                                                                             \
    ssize_t symbol(int descriptor, void *data, size_t length, off_t offset) {                                     \
        REAL(#symbol, ssize_t (*)(int, void *, size_t, off_t));                                                   \
        if (!name_of(descriptor)) return real(descriptor, data, length, offset);                                  \
        pthread_mutex_lock(&lock);                                                                                \
        int failed = fails('R');                                                                                  \
        pthread_mutex_unlock(&lock);                                                                              \
        return failed ? -1 : real(descriptor, data, length, offset);                                              \
    }
PREAD(pread)
PREAD(pread64)

ssize_t write(int descriptor, const void *data, size_t length) {
    REAL("write", ssize_t (*)(int, const void *, size_t));
    const char *name = name_of(descriptor);
    pthread_mutex_lock(&lock);
    int64_t offset = name ? lseek(descriptor, 0, SEEK_CUR) : 0;
    ssize_t written = real(descriptor, data, length);
    if (written > 0 && name) note('W', name, offset, data, (uint64_t)written);
    if (written > 0 && descriptor == 1) note('A', "", 0, data, (uint64_t)written);
    has_promised |= written > 0 && descriptor == 1 && memmem(data, (size_t)written, "accepted", 8);
    pthread_mutex_unlock(&lock);
    return written;
}

#define SYNC(symbol)                                                                                              \
    int symbol(int descriptor) {                                                                                  \
        REAL(#symbol, int (*)(int));                                                                              \
        const char *name = name_of(descriptor);                                                                   \
        if (!name) return real(descriptor);                                                                       \
        pthread_mutex_lock(&lock);                                                                                \
        int failed = fails('S');                                                                                  \
        if (!failed) note('S', name, 0, NULL, 0);                                                                 \
        pthread_mutex_unlock(&lock);                                                                              \
        return failed ? -1 : 0;                                                                                   \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(symbol)                                                                                          \
    int symbol(int descriptor, off_t length) {                                                                    \
        REAL(#symbol, int (*)(int, off_t));                                                                       \
        const char *name = name_of(descriptor);                                                                   \
        if (!name) return real(descriptor, length);                                                               \
        pthread_mutex_lock(&lock);                                                                                \
        int ended = real(descriptor, length);                                                                     \
        if (!ended) note('T', name, length, NULL, 0);                                                             \
        pthread_mutex_unlock(&lock);                                                                              \
        return ended;                                                                                             \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int unlink(const char *path) {
    REAL("unlink", int (*)(const char *));
    const char *name = followed(path);
    if (!name) return real(path);
    pthread_mutex_lock(&lock);
    int ended = real(path);
    if (!ended) note('U', name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return ended;
}
