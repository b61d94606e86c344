"""Numbers of the system calls that a program may make, on each kind of machine: name, x86_64, aarch64."""

from __future__ import annotations

_TABLE = """
# Files and descriptors
read:0:63  write:1:64  open:2:-  close:3:57  stat:4:-  fstat:5:80  lstat:6:-  lseek:8:62
pread64:17:67  pwrite64:18:68  readv:19:65  writev:20:66  preadv:295:69  pwritev:296:70
preadv2:327:286  pwritev2:328:287  access:21:-  faccessat:269:48  faccessat2:439:439  pipe:22:-
pipe2:293:59  dup:32:23  dup2:33:-  dup3:292:24  ioctl:16:29  fcntl:72:25  flock:73:32
fsync:74:82  fdatasync:75:83  truncate:76:45  ftruncate:77:46  fallocate:285:47  fadvise64:221:223
readahead:187:213  getdents:78:-  getdents64:217:61  getcwd:79:17  chdir:80:49  fchdir:81:50
rename:82:-  renameat:264:38  renameat2:316:276  mkdir:83:-  mkdirat:258:34  rmdir:84:-
creat:85:-  link:86:-  linkat:265:37  unlink:87:-  unlinkat:263:35  symlink:88:-  symlinkat:266:36
readlink:89:-  readlinkat:267:78  chmod:90:-  fchmod:91:52  fchmodat:268:53  chown:92:-
fchown:93:55  lchown:94:-  fchownat:260:54  umask:95:166  utime:132:-  utimes:235:-
utimensat:280:88  statfs:137:43  fstatfs:138:44  openat:257:56  openat2:437:437  newfstatat:262:79
statx:332:291  sendfile:40:71  copy_file_range:326:285  splice:275:76  tee:276:77
close_range:436:436
# Memory
mmap:9:222  mprotect:10:226  munmap:11:215  brk:12:214  mremap:25:216  msync:26:227
mincore:27:232  madvise:28:233  membarrier:324:283
# Waiting
poll:7:-  ppoll:271:73  select:23:-  pselect6:270:72  epoll_create:213:-  epoll_create1:291:20
epoll_ctl:233:21  epoll_wait:232:-  epoll_pwait:281:22  epoll_pwait2:441:441  eventfd:284:-
eventfd2:290:19  signalfd:282:-  signalfd4:289:74  pause:34:-  nanosleep:35:101
clock_nanosleep:230:115
# Time
gettimeofday:96:169  time:201:-  times:100:153  clock_gettime:228:113  clock_getres:229:114
getitimer:36:102  setitimer:38:103  alarm:37:-  timer_create:222:107  timer_settime:223:110
timer_gettime:224:108  timer_getoverrun:225:109  timer_delete:226:111  timerfd_create:283:85
timerfd_settime:286:86  timerfd_gettime:287:87
# Signals of its own
rt_sigaction:13:134  rt_sigprocmask:14:135  rt_sigreturn:15:139  rt_sigpending:127:136
rt_sigtimedwait:128:137  rt_sigsuspend:130:133  sigaltstack:131:132  restart_syscall:219:128
# Processes and threads
exit:60:93  exit_group:231:94  wait4:61:260  waitid:247:95  futex:202:98  futex_waitv:449:449
set_tid_address:218:96  set_robust_list:273:99  get_robust_list:274:100  rseq:334:293
arch_prctl:158:-  sched_yield:24:124  sched_getaffinity:204:123  sched_getparam:143:121
sched_getscheduler:145:120  sched_get_priority_max:146:125  sched_get_priority_min:147:126
getpriority:140:141  getcpu:309:168
# What it is and what there is
getpid:39:172  getppid:110:173  gettid:186:178  getpgrp:111:-  getpgid:121:155  getsid:124:156
getuid:102:174  getgid:104:176  geteuid:107:175  getegid:108:177  getgroups:115:158
getresuid:118:148  getresgid:120:150  getrlimit:97:163  setrlimit:160:164  getrusage:98:165
uname:63:160  sysinfo:99:179  getrandom:318:278
# What is between two descriptors of its own
recvfrom:45:207  shutdown:48:210  getsockname:51:204  getpeername:52:205  setsockopt:54:208
getsockopt:55:209
# What hangs on the arguments
clone:56:220  fork:57:-  vfork:58:-  execve:59:221  execveat:322:281  kill:62:129  tgkill:234:131
prlimit64:302:261  socketpair:53:199  sendto:44:206
"""


def numbers(machine: str) -> dict[str, int]:
    """Number of each by name, without those that the machine has not; empty for a machine that is not known."""
    column = {"x86_64": 1, "aarch64": 2}.get(machine)
    if column is None:
        return {}
    lines = [line for line in _TABLE.splitlines() if not line.startswith("#")]
    entries = [entry.split(":") for line in lines for entry in line.split()]
    return {entry[0]: int(entry[column]) for entry in entries if entry[column] != "-"}
