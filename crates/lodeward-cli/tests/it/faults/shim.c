/* Makes file operations of a process fail, for tests. Loaded with LD_PRELOAD.
 *
 * Operations on files below FAULT_ROOT are counted. The operation with the number `fail_at`, and
 * the `span - 1` following ones of the same group, fail. The file FAULT_STATE is mapped into memory
 * as an array of 64-bit numbers, through which a test configures and observes a running process:
 *
 *   0 count     operations so far
 *   1 fail_at   number of the first operation that fails; 0: none
 *   2 span      how many operations fail
 *   3 kind      1: ENOSPC, 2: EIO, 3: a short write, then ENOSPC
 *   4 injected  operations that failed so far
 *   5 groups    mask of operations: 1 write, 2 sync, 4 create, 8 rename and remove, 16 read
 *   6 group     of the first operation that failed
 *
 * All functions call the kernel directly, so nothing is looked up and nothing recurses. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, FAIL_AT, SPAN, KIND, INJECTED, GROUPS, GROUP, FIELDS };
enum { WRITE = 1, SYNC = 2, CREATE = 4, RENAME = 8, READ = 16 };
enum { NO_SPACE = 1, IO_ERROR = 2, SHORT = 3 };

static uint64_t *state;
static char root[4096];
static size_t root_length;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAULT_STATE"), *below = getenv("FAULT_ROOT");
  if (!path || !below || strlen(below) >= sizeof root) return;
  strcpy(root, below);
  root_length = strlen(root);
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  void *mapped = mmap(NULL, FIELDS * sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (mapped != MAP_FAILED) state = mapped;
}

static int is_below_root(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static int is_watched_file(int file) {
  char link[64], path[4096];
  if (!state) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below_root(path);
}

static int is_watched_path(int directory, const char *path) {
  char joined[8192];
  if (!state || !path) return 0;
  if (path[0] == '/') return is_below_root(path);
  if (directory == AT_FDCWD) {
    if (syscall(SYS_getcwd, joined, 4096) <= 0) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, joined, 4095);
    if (length <= 0) return 0;
    joined[length] = 0;
  }
  size_t length = strlen(joined);
  snprintf(joined + length, sizeof joined - length, "/%s", path);
  return is_below_root(joined);
}

/* Counts an operation. Returns the kind of its fault, or 0. */
static int next_fault(uint64_t group) {
  if (!(__atomic_load_n(&state[GROUPS], __ATOMIC_ACQUIRE) & group)) return 0;
  uint64_t number = __atomic_add_fetch(&state[COUNT], 1, __ATOMIC_ACQ_REL);
  uint64_t first = __atomic_load_n(&state[FAIL_AT], __ATOMIC_ACQUIRE);
  uint64_t span = __atomic_load_n(&state[SPAN], __ATOMIC_ACQUIRE);
  if (first == 0 || number < first || number - first >= span) return 0;
  if (__atomic_fetch_add(&state[INJECTED], 1, __ATOMIC_ACQ_REL) == 0) __atomic_store_n(&state[GROUP], group, __ATOMIC_RELEASE);
  int kind = (int)__atomic_load_n(&state[KIND], __ATOMIC_ACQUIRE);
  return kind == SHORT && number > first ? NO_SPACE : kind;
}

static long fail(int kind, uint64_t group) {
  errno = kind == NO_SPACE && group != READ ? ENOSPC : EIO;
  return -1;
}

#define FAIL_FILE(file, group)                                                  \
  if (is_watched_file(file)) {                                                  \
    int kind = next_fault(group);                                               \
    if (kind) return fail(kind, group);                                         \
  }
#define FAIL_PATH(directory, path, group)                                       \
  if (is_watched_path(directory, path)) {                                       \
    int kind = next_fault(group);                                               \
    if (kind) return (int)fail(kind, group);                                    \
  }

ssize_t write(int file, const void *bytes, size_t count) {
  if (is_watched_file(file)) {
    int kind = next_fault(WRITE);
    if (kind == SHORT && count > 1) return syscall(SYS_write, file, bytes, count / 2);
    if (kind) return fail(kind, WRITE);
  }
  return syscall(SYS_write, file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  FAIL_FILE(file, WRITE)
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return pwrite(file, bytes, count, offset); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  FAIL_FILE(file, WRITE)
  return syscall(SYS_writev, file, parts, count);
}
ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags) {
  FAIL_FILE(to, WRITE)
  return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  FAIL_FILE(to, WRITE)
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t count) { return sendfile(to, from, offset, count); }
int ftruncate(int file, off_t length) {
  FAIL_FILE(file, WRITE)
  return (int)syscall(SYS_ftruncate, file, length);
}
int ftruncate64(int file, off_t length) { return ftruncate(file, length); }

int fsync(int file) {
  FAIL_FILE(file, SYNC)
  return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  FAIL_FILE(file, SYNC)
  return (int)syscall(SYS_fdatasync, file);
}

ssize_t read(int file, void *bytes, size_t count) {
  if (is_watched_file(file)) {
    int kind = next_fault(READ);
    if (kind == SHORT && count > 1) return syscall(SYS_read, file, bytes, count / 2);
    if (kind) return fail(kind, READ);
  }
  return syscall(SYS_read, file, bytes, count);
}
ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  FAIL_FILE(file, READ)
  return syscall(SYS_pread64, file, bytes, count, offset);
}
ssize_t pread64(int file, void *bytes, size_t count, off_t offset) { return pread(file, bytes, count, offset); }

int openat(int directory, const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  FAIL_PATH(directory, path, flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? CREATE : READ)
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return openat(directory, path, flags, mode);
}
int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return openat(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return openat(AT_FDCWD, path, flags, mode);
}
int mkdir(const char *path, mode_t mode) {
  FAIL_PATH(AT_FDCWD, path, CREATE)
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to) {
  FAIL_PATH(AT_FDCWD, to, RENAME)
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char *path) {
  FAIL_PATH(AT_FDCWD, path, RENAME)
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  FAIL_PATH(AT_FDCWD, path, RENAME)
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
int unlinkat(int directory, const char *path, int flags) {
  FAIL_PATH(directory, path, RENAME)
  return (int)syscall(SYS_unlinkat, directory, path, flags);
}
