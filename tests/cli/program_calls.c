/* Loaded before the C library: notes each start of a program and each socket in the file
 * $BERTH_CALLS, and passes the call on. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void note(const char* call, const char* what) {
    const char* file = getenv("BERTH_CALLS");
    const int to = file == NULL ? -1 : open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (to >= 0) {
        dprintf(to, "%s %s\n", call, what);
        close(to);
    }
}

/* A call that the C library has, too; CALLED lists the arguments of the call. */
#define NOTED(RESULT, NAME, ARGUMENTS, CALLED, WHAT) \
    RESULT NAME ARGUMENTS {                          \
        RESULT(*next) ARGUMENTS;                     \
        *(void**)&next = dlsym(RTLD_NEXT, #NAME);    \
        note(#NAME, WHAT);                           \
        return next CALLED;                          \
    }

NOTED(int,
      execve,
      (const char* file, char* const words[], char* const variables[]),
      (file, words, variables),
      file)
NOTED(int, execv, (const char* file, char* const words[]), (file, words), file)
NOTED(int, execvp, (const char* file, char* const words[]), (file, words), file)
NOTED(int,
      posix_spawn,
      (pid_t * process,
       const char* file,
       const posix_spawn_file_actions_t* actions,
       const posix_spawnattr_t* attributes,
       char* const words[],
       char* const variables[]),
      (process, file, actions, attributes, words, variables),
      file)
NOTED(int,
      posix_spawnp,
      (pid_t * process,
       const char* file,
       const posix_spawn_file_actions_t* actions,
       const posix_spawnattr_t* attributes,
       char* const words[],
       char* const variables[]),
      (process, file, actions, attributes, words, variables),
      file)
NOTED(int, system, (const char* command), (command), command)
NOTED(FILE*, popen, (const char* command, const char* mode), (command, mode), command)
NOTED(pid_t, fork, (void), (), "")
NOTED(int, socket, (int domain, int type, int protocol), (domain, type, protocol), "")
