/* A disk that fails on demand: preloaded into a process, it makes the n-th write to files under a
 * folder fail, or kills the process there.
 *
 * FAULT_PATH   what a file's path must hold to count
 * FAULT_AT     which call fails, from 1; 0 counts only
 * FAULT_ERRNO  the error; 0 kills the process instead, before the call is made
 * FAULT_STAYS  if set, every later call fails too
 * FAULT_COUNT  a file that gets one byte for each call that counted
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

#define REAL(result, name, ...)                                      \
    static result (*real)(__VA_ARGS__);                              \
    if (!real)                                                       \
        *(void **)&real = dlsym(RTLD_NEXT, name)

static void note(void)
{
    static ssize_t (*real_write)(int, const void *, size_t);
    const char *path = getenv("FAULT_COUNT");
    if (!path)
        return;
    if (!real_write)
        *(void **)&real_write = dlsym(RTLD_NEXT, "write");
    int (*real_open)(const char *, int, ...);
    *(void **)&real_open = dlsym(RTLD_NEXT, "open64");
    int fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
        real_write(fd, ".", 1);
        close(fd);
    }
}

/* Whether the call fails; errno says how. */
static int fails(const char *path)
{
    const char *under = getenv("FAULT_PATH");
    if (!path || !under || !strstr(path, under))
        return 0;
    long now = __sync_add_and_fetch(&calls, 1);
    note();
    long at = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    if (!at || now < at || (now > at && !getenv("FAULT_STAYS")))
        return 0;
    int error = atoi(getenv("FAULT_ERRNO") ? getenv("FAULT_ERRNO") : "0");
    if (!error)
        kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

static int fd_fails(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return fails(path);
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    return fd_fails(fd) ? -1 : real(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return fd_fails(fd) ? -1 : real(fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return fd_fails(fd) ? -1 : real(fd, data, size, offset);
}

int fsync(int fd)
{
    REAL(int, "fsync", int);
    return fd_fails(fd) ? -1 : real(fd);
}

int fdatasync(int fd)
{
    REAL(int, "fdatasync", int);
    return fd_fails(fd) ? -1 : real(fd);
}

int ftruncate64(int fd, off64_t size)
{
    REAL(int, "ftruncate64", int, off64_t);
    return fd_fails(fd) ? -1 : real(fd, size);
}

int ftruncate(int fd, off_t size)
{
    REAL(int, "ftruncate", int, off_t);
    return fd_fails(fd) ? -1 : real(fd, size);
}

int link(const char *from, const char *to)
{
    REAL(int, "link", const char *, const char *);
    return fails(to) ? -1 : real(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return fails(to) ? -1 : real(from_fd, from, to_fd, to, flags);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return fails(to) ? -1 : real(from, to);
}

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    return fails(path) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    return fails(path) ? -1 : real(path, mode);
}

#define OPEN(name)                                                   \
    int name(const char *path, int flags, ...)                       \
    {                                                                \
        REAL(int, #name, const char *, int, ...);                    \
        mode_t mode = 0;                                             \
        if (flags & O_CREAT) {                                       \
            va_list rest;                                            \
            va_start(rest, flags);                                   \
            mode = va_arg(rest, mode_t);                             \
            va_end(rest);                                            \
            if (fails(path))                                         \
                return -1;                                           \
        }                                                            \
        return real(path, flags, mode);                              \
    }
OPEN(open)
OPEN(open64)
