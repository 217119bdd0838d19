// Which words begin a command, and what behind them shows that it is none of a sentence. Programs that are not listed
// can be written in `<automated>`, a fence or a code span.

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Programs that are English words, or that sentences begin with: their first argument must show a command. */
export const ENGLISH = set(`
  set file source . touch rm mv cp cut diff sort env export type stat tail head cat date node ruby python python3 php
  perl lua julia java javac elixir dart black ping zip tar tee ack ava bash sh zsh command timeout`);

/** Other programs: something among their arguments must show a command. */
const PLAIN = set(`
  tsc tsx ts-node eslint prettier jest vitest mocha grep egrep fgrep rg ag cmake ctest rustc gofmt pytest tox nox mypy
  pyright flake8 rspec phpunit kotlinc curl wget ls cd docker-compose ansible psql mysql sqlite3 redis-cli mongosh jq yq
  cmp wc awk gawk sed uniq tr xargs basename dirname realpath readlink mkdir ln chmod sha256sum md5sum shasum openssl
  unzip gzip Rscript hugo bats shellcheck hadolint yamllint markdownlint nginx ss nc`);

/** Programs with rules of their own. */
const SPECIAL = set('test [ [[ find echo printf exit sleep which true false npx bunx pnpx uvx');

/** Programs that do something useful without arguments. */
export const ALONE = set(
  'make pytest tsc jest vitest mocha ls true false ctest rake rspec tox nox phpunit eslint',
);

/** Programs that stand alone beside a pipe. */
export const PIPED = set('sort uniq wc jq cat xargs head tail env');

/** Programs that run the command behind them. */
export const WRAPPERS = set('npx bunx pnpx uvx');

/** What a build calls its parts. */
export const TARGETS = set(
  'all build check ci clean coverage dist e2e fmt format install integration lint smoke test typecheck unit validate verify',
);

/** Folders that need no slash to be known. */
export const FOLDERS = set('src lib test tests app dist build packages spec specs docs bin scripts');

/**
 * What the word behind a program may be. Before the bar: it needs nothing more; `run!` takes one word, `exec>` runs the
 * command behind it. Behind the bar: only with something that shows a command. `*` stands for the targets, `./` for any
 * program that is written as a path.
 */
const TABLE: Readonly<Record<string, string>> = {
  npm: 'test t ci install start audit pack outdated run! run-script! | exec ls version view why pkg config update i publish',
  pnpm: '* start audit exec> dlx> run! | why list',
  yarn: '* start audit exec> dlx> run! | workspace workspaces why',
  bun: '* run! | x pm',
  deno: 'test lint check fmt bench task! | run eval compile info',
  git: `status diff log show fsck describe branch | add checkout cherry-pick clean clone commit config fetch grep
    ls-files ls-tree ls-remote merge merge-base pull push rebase reset restore rev-list rev-parse rm stash
    submodule switch tag worktree diff-index diff-tree cat-file check-ignore apply bisect blame`,
  gh: '| pr run issue release repo api auth workflow',
  'gh pr': 'list status checks view',
  'gh run': 'list view',
  'gh auth': 'status',
  make: '*',
  './': 'build test check lint verify',
  ninja: '*',
  just: '',
  cargo: `build test check clippy fmt run bench audit | doc nextest install tree llvm-cov deny metadata`,
  rustup: 'show check | target component run',
  go: 'build test vet fmt generate version | run mod install list tool work get doc clean env',
  'go mod': 'tidy verify download',
  'golangci-lint': 'run',
  pip: 'check list freeze | install show',
  pip3: 'check list freeze | install show',
  pipx: '| run install',
  uv: 'sync lock run> | pip build',
  poetry: 'check install lock build run> | show',
  ruff: 'check format',
  biome: 'check lint ci format',
  playwright: 'test | install',
  cypress: 'run',
  vitest: 'run',
  prisma: 'generate validate format | migrate db',
  'prisma migrate': 'status deploy',
  'drizzle-kit': 'generate check | push',
  supabase: 'status | db functions test',
  bundle: 'install exec> | check',
  rake: 'test spec lint',
  rails: 'test | db runner routes',
  composer: 'test install validate | run require',
  'php artisan': 'test migrate | route',
  mvn: 'clean compile test verify package install',
  gradle: 'clean build test check assemble',
  dotnet: 'build test restore format | run publish',
  swift: 'build test | run package',
  xcodebuild: 'build test',
  mix: 'test compile format credo dialyzer | run deps',
  flutter: 'test analyze | build pub',
  'dart pub': 'get',
  docker:
    'ps images info version | build run exec compose inspect logs pull push stop start rm network volume image',
  'docker compose': 'up down ps build logs config pull restart | run exec stop start',
  podman: 'ps images info version | build run exec inspect logs',
  kubectl: 'get! describe! version | apply logs rollout exec delete wait diff config',
  helm: 'lint list | template upgrade install test status',
  terraform: 'validate plan init fmt | apply show output',
  tofu: 'validate plan init fmt | apply show output',
  systemctl: 'status! is-active! is-enabled!',
};

/** Words that a program knows. */
export interface Subcommands {
  enough: ReadonlySet<string>;
  takesWord: ReadonlySet<string>;
  wraps: ReadonlySet<string>;
  more: ReadonlySet<string>;
}

const SUBCOMMANDS: ReadonlyMap<string, Subcommands> = new Map(
  Object.entries(TABLE).map(([program, line]) => [program, readSubcommands(line)]),
);

function readSubcommands(line: string): Subcommands {
  const [enough = '', more = ''] = line.split('|');
  const words = enough.split(/\s+/).filter((word) => word !== '');
  const ending = (mark: string) =>
    new Set(words.filter((word) => word.endsWith(mark)).map((word) => word.slice(0, -1)));
  return {
    enough: new Set([...words.filter((word) => /\w$/.test(word)), ...(words.includes('*') ? TARGETS : [])]),
    takesWord: ending('!'),
    wraps: ending('>'),
    more: set(more),
  };
}

export function subcommandsOf(program: string): Subcommands | undefined {
  return SUBCOMMANDS.get(program);
}

/** Whether a word can be what a command begins with. */
export function isProgram(word: string): boolean {
  return (
    ENGLISH.has(word) || PLAIN.has(word) || SPECIAL.has(word) || SUBCOMMANDS.has(word) || isProgramPath(word)
  );
}

/** Where programs lie. */
const PROGRAM_FOLDER =
  /^(?:\.{1,2}\/|~\/|\/(?:usr|bin|opt|sbin)\/|node_modules\/|bin\/|scripts?\/|tools?\/|ci\/|\.?venv\/|vendor\/bin\/|target\/(?:debug|release)\/)/;
/** Where files lie that are spoken of more often than run. */
const SOURCES = set('src lib app packages docs');
const TESTS = set('test tests spec specs');
/** What a program among the tests is called. */
const CHECKS = set('run check verify validate smoke lint e2e ci');

export function isProgramPath(word: string): boolean {
  if (!word.includes('/') || !/^[\w.@~/+-]*\w$/.test(word)) return false;
  return PROGRAM_FOLDER.test(word) || isScript(word);
}

/** `tests/run.sh`, `checks/all.py`; `lib/port.js` and `tests/test_port.py` are only named. */
function isScript(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  if (/\w\.(?:sh|bash|zsh|ksh|bats)$/.test(file)) return true;
  if (!/\w\.(?:[cm]?js|py|rb|pl|php|lua|tcl|exe)$/.test(file)) return false;
  const folder = path.split('/', 1)[0]!;
  if (TESTS.has(folder)) return file.split(/[._-]/).some((part) => CHECKS.has(part));
  return !SOURCES.has(folder);
}

/** Words that sentences have and commands hardly ever, outside quotes. */
export const PROSE = set(`
  pass passes passed succeed succeeds succeeded fail fails failed shows returns returned outputs prints exits works
  runs should must is are was were has have the an that this these it exists exist contains compiles completes reports
  displays renders responds lists gives produces yields confirms successfully correctly cleanly manually without and
  with sure still no longer green loads builds starts after before because of to for from when then into than on in at
  as be been will would can not or every everything nothing both only also again twice once finds found updated
  installed available working running ready created removed deleted added present gone valid looks opens mentions
  matches equals under below above within least everywhere and/or yes/no`);

/** Words that end a sentence about a command. */
export const JUDGEMENTS = set(
  'clean empty ok okay fine good small healthy happy readable visible used open correct',
);

/** More of them, which could be arguments of a program that is no English word. */
export const PROSE_BEHIND_ENGLISH = set(`
  a all any up out over off back by under some your our their its user users page button field option flag flags output
  first last new old good right fine ok okay empty correct missing unchanged visible`);
