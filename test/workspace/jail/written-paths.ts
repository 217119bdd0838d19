/** What becomes of a path by its text alone, in a root with `in.txt`, `dir/in.txt` and `.git/config`. */
export type Fate =
  /** The file that is meant, relative to the root. */
  { at: string } | { refused: 'outside' | 'protected' | 'other' };

export interface WrittenPath {
  path: string;
  write: Fate;
  /** Where reading differs from writing. */
  read?: Fate;
}

const outside: Fate = { refused: 'outside' };
const unusable: Fate = { refused: 'other' };
const isProtected: Fate = { refused: 'protected' };
const at = (path: string): Fate => ({ at: path });

const LEADING_OUT = [
  '..',
  '../',
  '../root-outside/secret.txt',
  '/../root-outside/secret.txt',
  './../root-outside/secret.txt',
  '././../root-outside/secret.txt',
  'dir/../../root-outside/secret.txt',
  'dir/../dir/../../root-outside/secret.txt',
  'no/such/../../../root-outside/secret.txt',
  'dir//..//..//root-outside/secret.txt',
  'dir/./../../root/../root-outside/secret.txt',
  '../root/in.txt',
  '../../../../../../../../../../etc/passwd',
  'in.txt/../../root-outside/secret.txt',
  '~',
  '~/secret.txt',
];

const UNUSABLE = [
  '',
  '.',
  './',
  '/',
  '//',
  'dir/..',
  'dir/../.',
  '..\\root-outside\\secret.txt',
  'dir\\in.txt',
  '\\\\server\\share\\x',
  'C:\\Windows\\x',
  'C:/Windows/x',
  'C:x',
  'file:///etc/passwd',
  'https://example.org/x',
  'in.txt\0',
  'in\0/../../root-outside/secret.txt',
  'a\nb',
  'a\rb',
  'a\tb',
  '\u001b[31mred',
  'a\u007fb',
  'a'.repeat(256),
  'ä'.repeat(128),
  '😀'.repeat(64),
  'dir/'.repeat(1100),
  `${'a'.repeat(250)}/`.repeat(20),
  'in.txt/x',
  'in.txt/x/y',
  'a\ud800b',
  '\udc00/../../root-outside/x.txt',
];

/** Names of protected trees that some file system or other takes for the plain one. */
const PROTECTED = [
  '.git',
  '.git/',
  '.git/config',
  '/.git/config',
  './.git/config',
  'dir/../.git/config',
  '.git/hooks/pre-commit',
  '.git//hooks//pre-commit',
  '.GIT/config',
  '.Git/config',
  '.giT/hooks/x',
  '.git./config',
  '.git /config',
  '.git . ./config',
  '.git................/config',
  `.git${'.'.repeat(100)}/config`,
  `.git${' .'.repeat(60)}/config`,
  '.g\u034fit/config',
  '.git\ufe0f/config',
  '.\u115fgit/config',
  '.gi\u{e0001}t/config',
  'git~1/config',
  'GIT~1/config',
  '.\uff47\uff49\uff54/config',
  '\uff0egit/config',
  '\u2024git/config',
  '.g\u200bit/config',
  '.gi\u200ct/config',
  '.git\u200d/config',
  '\ufeff.git/config',
  '.g\u00adit/config',
  '.git\u202e/config',
  '.\u2060git/config',
  '.\u24d6\u24d8\u24e3/config',
  '.\ud835\udc20\ud835\udc22\ud835\udc2d/config',
  '.g\u2170t/config',
  'dir/.git/config',
  'sub/.git/x',
  'sub/.git',
  'no/such/.GIT/x',
  '.teddy/config.yaml',
  '.teddy/policy.yaml',
  '.teddy/tx/x.log',
  '.teddy/lock',
  '.Teddy/config.yaml',
  '.TEDDY/new',
  '.ultraplan/x',
  '.ULTRAPLAN/x',
  '.\uff54eddy/x',
];

/** Odd, and nobody else's. */
const ALLOWED: [path: string, at: string][] = [
  ['new.txt', 'new.txt'],
  ['/variables.tf', 'variables.tf'],
  ['/etc/passwd', 'etc/passwd'],
  ['//new.txt', 'new.txt'],
  ['new.txt/', 'new.txt'],
  ['dir/../new.txt', 'new.txt'],
  ['no/such/folder/new.txt', 'no/such/folder/new.txt'],
  ['~root/new.txt', '~root/new.txt'],
  ['dir/~/new.txt', 'dir/~/new.txt'],
  ['...', '...'],
  ['..../new', '..../new'],
  ['.. /new', '.. /new'],
  ['.../...', '.../...'],
  [' ', ' '],
  ['-rf', '-rf'],
  ['*', '*'],
  ['$HOME/new', '$HOME/new'],
  ['`id`', '`id`'],
  ['a%2f..%2fb', 'a%2f..%2fb'],
  ['%2e%2e/new', '%2e%2e/new'],
  ['\uff0e\uff0e/new', '\uff0e\uff0e/new'],
  ['\u2025/new', '\u2025/new'],
  ['a\u2215..\u2215b', 'a\u2215..\u2215b'],
  ['.gitignore', '.gitignore'],
  ['.gitmodules', '.gitmodules'],
  ['.github/workflows/x.yml', '.github/workflows/x.yml'],
  ['git/new', 'git/new'],
  ['a.git/new', 'a.git/new'],
  ['a'.repeat(255), 'a'.repeat(255)],
  [`${'a/'.repeat(400)}new`, `${'a/'.repeat(400)}new`],
];

export const WRITTEN_PATHS: WrittenPath[] = [
  ...LEADING_OUT.map((path) => ({ path, write: outside })),
  ...UNUSABLE.map((path) => ({ path, write: unusable })),
  ...PROTECTED.map((path) => ({ path, write: isProtected, read: readFate(path) })),
  ...ALLOWED.map(([path, where]) => ({ path, write: at(where) })),
];

/** READ may look into protected trees, journals aside; a name in Unicode dress is just another name. */
function readFate(path: string): Fate {
  if (/^\.teddy\/tx\//.test(path)) return isProtected;
  return at(
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/')
      .replace('dir/../', ''),
  );
}
