import type { Attempt } from './attempt.js';
import { SECRETS_IN_HOME } from './house.js';

const ABSENT = /No such file|nonexistent|cannot|not found|denied/i;

/** What confined programs must not read. */
export const SECRETS: readonly Attempt[] = [
  ...SECRETS_IN_HOME.map(
    (path): Attempt => ({
      name: `read ~/${path}`,
      script: `cat ~/${path} || echo cannot; [ -s ~/${path} ] || echo cannot`,
      expects: ABSENT,
      isControlled: true,
    }),
  ),
  {
    name: 'search the whole home folder',
    script: 'cd ~ && tar -c . 2>/dev/null | cat; echo; echo searched',
    expects: /searched/,
    isControlled: true,
  },
  {
    name: 'read a key through a link in the copy',
    script: 'ln -sfn ~/.ssh keys-link; cat keys-link/id_ed25519',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'read a key through /proc/self/root',
    script: 'cat "/proc/self/root$HOME/.ssh/id_ed25519"',
    expects: ABSENT,
    isControlled: true,
  },
  { name: 'read .env of the project', script: 'cat "$ROOT/.env"', expects: ABSENT, isControlled: true },
  { name: 'read .npmrc of the project', script: 'cat "$ROOT/.npmrc"', expects: ABSENT, isControlled: true },
  {
    name: 'read secrets in ignored folders',
    script: 'cat keys/server.pem build/.env.local || echo cannot; [ -s keys/server.pem ] || echo cannot',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'bring a hidden file of a lent folder back by renaming its folder',
    script:
      'mv build built; mkdir -p x; mv keys/server.pem x/; cat built/.env.local x/server.pem; echo tried',
    expects: /tried/,
    isControlled: true,
  },
  {
    name: "read the project's own folder of copies",
    script: 'cat "$HOUSE/project/.env" "$HOUSE/changes/copy/../../project/.env"',
    expects: ABSENT,
    isControlled: true,
  },
  { name: 'read variables', script: 'env; echo searched', expects: /searched/, isControlled: true },
  {
    name: 'read variables of another process',
    script: 'cat /proc/$NEIGHBOUR/environ',
    expects: ABSENT,
    isControlled: true,
  },
  {
    name: 'read variables of every process',
    script: 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"; echo searched',
    expects: /searched/,
    isControlled: true,
  },
  {
    name: "read the system's passwords",
    script: 'cat /etc/shadow /etc/gshadow | grep -c :',
    expects: /denied|^0$/m,
  },
  { name: 'read system logs', script: 'find /var/log -type f | wc -l', expects: /^0$/m },
  {
    name: 'read keys of the session keyring',
    script:
      '#python\nkey = call("keyctl", 10, ctypes.c_int(-3), b"user", b"login", 0)\ntext = ctypes.create_string_buffer(100)\ncall("keyctl", 11, key, text, 100)\nprint(text.value)',
    expects: /keyctl EPERM/,
    isControlled: true,
  },
  {
    name: 'read shared memory of another process',
    script:
      '#python\nlibc.shmat.restype = ctypes.c_void_p\nmemory = libc.shmat(int(E["SEGMENT"]), None, 0o10000)\nprint(errno.errorcode[ctypes.get_errno()] if memory in (None, 2**64 - 1) else ctypes.string_at(memory))',
    expects: /EINVAL|ENOENT/,
    isControlled: true,
  },
  { name: 'read memory of the machine', script: 'cat /dev/mem /dev/kmem /dev/port', expects: ABSENT },
  {
    name: 'read memory of the kernel',
    script: 'head -c 64 /proc/kcore; cat /proc/kmsg',
    expects: /denied|not permitted/,
  },
  {
    name: 'read messages of the kernel',
    script: '#python\ncall("syslog", 3, ctypes.create_string_buffer(99), 99)',
    expects: /syslog EPERM/,
  },
];
