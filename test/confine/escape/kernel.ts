import type { Attempt } from './attempt.js';

const REFUSED = /not permitted|denied|must be superuser|Operation not|Read-only|EPERM|failed/i;

/** Mounts, namespaces, capabilities, and what the kernel does for others. */
export const KERNEL: readonly Attempt[] = [
  {
    name: 'remount the disk writable',
    script: 'mount -o remount,rw / ; mount -o remount,rw,bind / ; echo x > "$OUTSIDE/new"',
    expects: REFUSED,
  },
  {
    name: 'remount a folder of the home writable',
    script: 'mount -o remount,rw,bind "$HOME/.cargo"; echo x > "$OUTSIDE/new"',
    expects: REFUSED,
  },
  {
    name: 'unmount what hides the home folder',
    script: 'umount -l "$HOME"; cat ~/.ssh/id_ed25519',
    expects: REFUSED,
  },
  {
    name: 'unmount what hides /tmp',
    script: 'umount -l /tmp; cat "$HOUSE/elsewhere/secret"',
    expects: REFUSED,
  },
  { name: 'unmount the copy', script: 'cd /; umount -l "$ROOT"; cat "$ROOT/.env"', expects: REFUSED },
  {
    name: 'mount a disk',
    script:
      'mkdir -p m; for disk in $(awk \'{print "/dev/" $4}\' /proc/partitions); do mount $disk m; done; mount none m',
    expects: /mount/,
  },
  { name: 'bind the root elsewhere', script: 'mkdir -p m; mount --rbind / m', expects: REFUSED },
  {
    name: 'mount a second /proc',
    script: 'mkdir -p m; mount -t proc proc m && echo 0 > m/sys/kernel/panic',
    expects: REFUSED,
  },
  {
    name: 'mount an overlay',
    script: 'mkdir -p u w m; mount -t overlay o -o lowerdir=/etc,upperdir=u,workdir=w m',
    expects: REFUSED,
  },
  {
    name: 'clear read-only with mount_setattr',
    script:
      '#python\ncall("mount_setattr", -100, b"/", 0x8000, struct.pack("QQQQ", 0, 1, 0, 0), 32)\nattempt(lambda: open(E["OUTSIDE"] + "/new", "w"))',
    expects: /mount_setattr EPERM[\s\S]*Read-only/,
  },
  {
    name: 'clone the mounts with open_tree',
    script: '#python\ncall("open_tree", -100, b"/", 0x8001)',
    expects: /open_tree EPERM/,
  },
  {
    name: 'change the root',
    script: '#python\nattempt(lambda: os.chroot("/"))\ncall("pivot_root", b".", b".")',
    expects: /not permitted[\s\S]*EPERM/,
  },
  { name: 'create a user namespace', script: 'unshare -Ur true', expects: /unshare failed/ },
  {
    name: 'create a mount namespace',
    script: 'unshare -m true; unshare -Urm mount -o remount,rw /',
    expects: /unshare failed/,
  },
  {
    name: 'create a process namespace',
    script: 'unshare -p true; unshare -n true',
    expects: /unshare failed/,
  },
  {
    name: 'clone into a user namespace',
    script: '#python\nif call("clone", 0x10000000 | 17, 0, 0, 0, 0) == 0: os._exit(0)',
    expects: /clone E(?:NOSPC|PERM|USERS)/,
  },
  {
    name: 'start bubblewrap in itself',
    script: 'bwrap --bind / / sh -c \'echo x > "$OUTSIDE/new"\'',
    expects: /bwrap:/,
  },
  {
    name: 'enter the namespaces of another process',
    script:
      'nsenter -t $NEIGHBOUR -m -p cat "$HOUSE/elsewhere/secret"; nsenter -t 1 -U -m cat "$HOUSE/elsewhere/secret"',
    expects: /nsenter: /,
  },
  { name: 'open a fuse device', script: 'cat /dev/fuse', expects: /No such file/ },
  {
    name: 'make a device',
    script: 'mknod disk b 254 0; mknod mem c 1 1; cat disk mem',
    expects: /not permitted/,
  },
  {
    name: 'open a file by its handle',
    script:
      '#python\nhandle = ctypes.create_string_buffer(struct.pack("Ii", 100, 0), 128)\nmount = ctypes.c_int()\ncall("name_to_handle_at", -100, b"/etc/passwd", handle, ctypes.byref(mount), 0)\ncall("open_by_handle_at", os.open("/", 0), handle, 0)',
    expects: /open_by_handle_at EPERM/,
  },
  {
    name: 'have capabilities',
    script: 'grep -E "Cap(Eff|Prm|Bnd|Amb)" /proc/self/status | grep -v 0000000000000000; echo none',
    expects: /^none\n$/,
  },
  {
    name: 'gain rights from setuid programs',
    script:
      'grep NoNewPrivs /proc/self/status; su -c id nobody </dev/null; cp /bin/sh s && chmod u+s s; ./s -pc "grep CapEff /proc/self/status"',
    expects: /NoNewPrivs:\s1\n[\s\S]*CapEff:\s0000000000000000/,
  },
  {
    name: 'become another user',
    script: '#python\nattempt(lambda: os.setuid(12345))\nattempt(lambda: os.setgroups([0, 6]))',
    expects: /(?:Invalid|not permitted)[\s\S]*(?:Invalid|not permitted)/,
  },
  { name: 'give a file to another user', script: 'touch f; chown 12345 f', expects: /not permitted|Invalid/ },
  {
    name: 'name the machine',
    script: 'hostname evil || echo denied; cat /proc/sys/kernel/hostname',
    expects: /denied|not permitted|must be root/,
  },
  {
    name: 'set what the kernel runs for a crash',
    script:
      'old=$(cat /proc/sys/kernel/core_pattern); echo "$old" > /proc/sys/kernel/core_pattern && echo written',
    expects: /^(?!.*written).*(?:Read-only|denied)/s,
  },
  {
    name: 'set what the kernel runs for a module',
    script: 'old=$(cat /proc/sys/kernel/modprobe); echo "$old" > /proc/sys/kernel/modprobe && echo written',
    expects: /^(?!.*written).*(?:Read-only|denied|nonexistent)/s,
  },
  {
    name: 'register an interpreter',
    script: 'echo x > /proc/sys/fs/binfmt_misc/register',
    expects: /Read-only|denied|nonexistent|No such/,
  },
  {
    name: 'press a magic key',
    script: 'echo h > /proc/sysrq-trigger',
    expects: /Read-only|denied|nonexistent/,
  },
  {
    name: 'be spared when memory is short',
    script: 'echo -1000 > /proc/self/oom_score_adj',
    expects: /Read-only|denied/,
  },
  {
    name: 'write to /sys',
    script:
      'file=/sys/kernel/mm/transparent_hugepage/enabled; echo madvise > $file; echo x > /sys/kernel/uevent_helper',
    expects: /Read-only|denied|nonexistent/,
  },
  {
    name: 'make a control group',
    script:
      'find /sys/fs/cgroup -maxdepth 2 -type d -exec mkdir {}/$PLAIN \\; 2>&1 | head -3; mkdir /sys/fs/cgroup/$PLAIN',
    expects: /Read-only|denied|No such/,
  },
  {
    name: 'load a program into the kernel',
    script: '#python\ncall("bpf", 0, ctypes.create_string_buffer(128), 128)',
    expects: /bpf EPERM/,
  },
  {
    name: 'watch the machine with perf',
    script: '#python\ncall("perf_event_open", ctypes.create_string_buffer(128), 0, -1, -1, 0)',
    expects: /perf_event_open EPERM/,
  },
  { name: 'handle page faults', script: '#python\ncall("userfaultfd", 0)', expects: /userfaultfd EPERM/ },
  {
    name: 'use io_uring',
    script: '#python\ncall("io_uring_setup", 8, ctypes.create_string_buffer(256))',
    expects: /io_uring_setup EPERM/,
  },
];
