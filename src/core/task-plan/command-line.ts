// The short rule that distinguishes a command from a sentence, for text without code marks. When in doubt it says no: the author
// can always write `<automated>`.
import { readShellTokens, type ShellToken } from '../shell-words.js';

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Programs whose arguments are flags, paths, patterns and quoted texts. */
const TOOLS = set(`
  tsc tsx ts-node eslint prettier jest vitest mocha playwright pytest tox mypy pyright flake8 rspec phpunit cmake ctest
  gofmt rustc shellcheck yamllint grep egrep fgrep rg wc ls jq yq curl wget sed awk tr uniq xargs cmp sha256sum openssl
  unzip mkdir rm cp mv chmod ln psql sqlite3 redis-cli`);

/** Programs that take one of the `SUBCOMMANDS`. */
const MANAGERS = set(`
  npm pnpm yarn bun deno npx bunx pnpx uvx git gh cargo go pip pip3 uv poetry ruff biome golangci-lint prisma supabase
  bundle rails rake composer mvn gradle dotnet swift xcodebuild mix flutter dart docker docker-compose podman kubectl
  helm terraform zig make ninja`);

/** Programs that are English words, or that sentences start with: a flag or a path must follow at once. */
const ENGLISH = set('node python python3 ruby php perl bash sh zsh cat head tail find diff sort source');

/** Subcommands of a package manager; `test-unit` and `check:types` are made of them. */
const SUBCOMMANDS = set(`
  all analyze audit build check ci clippy compile compose config coverage diff down dist e2e fmt format generate get
  images install integration lint list log ls mod package pods ps show smoke status sync test tidy ts type types
  typecheck unit up validate verify version vet`);
/** These run the word after them, whatever it is. */
const RUNNERS = set('run run-script exec dlx npx bunx pnpx uvx');

/** Programs that need no arguments, and those that need none in a pipe. */
const ALONE = set('make pytest tsc jest vitest mocha ls eslint ctest tox rspec phpunit');
const FILTERS = set('sort uniq wc jq cat xargs head tail');
/** Only in a chain. */
const CHAINED = set('exit true false sleep wait');

const FOLDERS = set('src lib test tests app dist build packages spec specs docs bin scripts');

/** Words of sentences that could otherwise be taken for a flag's value or a script's name. */
const PROSE = set(`
  a an the and or but not no is are was has have be it that this to for from of in on at as by with without then when
  after before under over above below all any both every everything nothing only also still again twice once
  pass passes fail fails succeed succeeds work works run runs show shows return returns print prints output outputs
  exit exits exist exists contain contains compile compiles list lists mention mentions match matches start starts
  find finds should must will can clean green ok okay fine good empty correct valid ready healthy small readable`);

const PROGRAM_PATH =
  /^(?:\.{1,2}\/|~\/|\/(?:usr|bin|opt|sbin)\/|node_modules\/|bin\/|scripts?\/|tools?\/|ci\/|\.?venv\/|vendor\/bin\/|target\/(?:debug|release)\/)[\w.@/+-]*\w$|^[\w.@/+-]*\w\.(?:sh|bash|bats)$/;

export function isProgramPath(word: string): boolean {
  return word.includes('/') && PROGRAM_PATH.test(word);
}

export function isProgram(word: string): boolean {
  return (
    TOOLS.has(word) ||
    MANAGERS.has(word) ||
    ENGLISH.has(word) ||
    word === 'test' ||
    word === '[' ||
    word === '[[' ||
    isProgramPath(word)
  );
}

export function isStandaloneProgram(program: string): boolean {
  return ALONE.has(program) || isProgramPath(program);
}

/** A longer text is not one typed command. */
const LONGEST = 5000;

/** Words and operators, without comments; undefined if a quote or a parenthesis does not end. */
export function tokenize(text: string): ShellToken[] | undefined {
  if (text.length > LONGEST) return undefined;
  return readShellTokens(text)?.filter(({ kind }) => kind !== 'comment');
}

/**
 * The commands of a text that consists of nothing else, one for each line that does not continue the one before;
 * undefined if any part of it could be a sentence.
 */
export function readCommandLines(text: string): string[] | undefined {
  const tokens = tokenize(text);
  if (!tokens) return undefined;
  const commands: string[] = [];
  let words: string[] = [];
  let [from, to] = [-1, -1];
  let before = '\n';
  let [doesSomething, lasts] = [false, false];
  for (const token of [...tokens, { kind: 'operator', text: '\n', from: -1, to: -1 } as const]) {
    if (token.kind === 'word') {
      words.push(token.text);
      if (from === -1) from = token.from;
      to = token.to;
      continue;
    }
    const isPiped = before.startsWith('|') || token.text.startsWith('|');
    if (words.length === 0) {
      if (token.text !== '\n') return undefined;
      if (before !== '\n' && before !== ';') {
        if (token.from === -1) return undefined;
        continue;
      }
    } else {
      const setting = isSetting(words);
      if (!setting && !isCommand(words, before !== '\n', isPiped)) return undefined;
      doesSomething ||= !setting;
      lasts ||= setting && token.text === '\n' && before === '\n';
    }
    before = token.text;
    words = [];
    if (before !== '\n' || from === -1) continue;
    commands.push(text.slice(from, to));
    from = -1;
  }
  if (!doesSomething) return undefined;
  return lasts ? [commands.join('\n')] : commands;
}

/** Whether a text that is said to be a command has words that only sentences have. */
export function isProseSentence(text: string): boolean {
  return (tokenize(text) ?? []).some(
    ({ text: word }) => isPunctuated(word) || (PROSE.has(word.toLowerCase()) && !isSubcommand(word)),
  );
}

/** Commands that only affect later ones: `cd app`, `A=1`, `export A=1`, `set -e`. */
function isSetting([program, ...args]: readonly string[]): boolean {
  if (program === 'cd') return args.length === 1;
  if (program === 'set') return args.length > 0 && args.every((word) => /^-\w+$|^pipefail$/.test(word));
  return (program === 'export' ? args : [program!, ...args]).every(isAssignment);
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word);
}

/** Whether words without an operator are a command. */
function isCommand(words: readonly string[], isLater: boolean, isPiped: boolean): boolean {
  const at = words.findIndex((word) => word !== '!' && !isAssignment(word));
  const [program = '', ...args] = words.slice(at);
  if (/^(?:true|false)$/.test(program) && args.length === 0) return true;
  if (/^(?:echo|printf)$/.test(program)) return isLater || isPiped;
  if (CHAINED.has(program)) return isLater && /^\d*$/.test(args.join(' '));
  if (program === 'timeout')
    return /^\d+[smh]?$/.test(args[0] ?? '') && isCommand(args.slice(1), isLater, isPiped);
  if (program === 'test') return isCondition(args);
  if (program === '[' || program === '[[')
    return args.at(-1) === program.replaceAll('[', ']') && isCondition(args.slice(0, -1));
  if (!isProgram(program)) return false;
  if (args.length === 0) return isStandaloneProgram(program) || (isPiped && FILTERS.has(program));
  if (ENGLISH.has(program) && !isFlag(args[0]!) && !isPlace(args[0]!)) {
    if (!FOLDERS.has(args[0]!) || !isFlag(args[1] ?? '')) return false;
  }
  if (MANAGERS.has(program) && !RUNNERS.has(program)) {
    if (!args.some(isSubcommand) || (args.length === 1 && RUNNERS.has(args[0]!))) return false;
  }
  return args.every((word, i) => isArgument(word, i, program, args, isPiped));
}

function isArgument(
  word: string,
  at: number,
  program: string,
  args: readonly string[],
  isPiped: boolean,
): boolean {
  if (/^["']/.test(word)) return !/["']\.$/.test(word);
  const before = at === 0 ? program : args[at - 1]!;
  // After a flag and without quotes, letters of other languages are those of a sentence.
  if (isPunctuated(word) || (/[^\0-\x7f]/.test(word) && before !== '--')) return false;
  if (/^(?:--version|--help)$/.test(before)) return false;
  if ((word === '>' || word === '<') && /^\d*$/.test(args[at + 1] ?? '')) return false;
  if (isFlag(word) || isShaped(word) || FOLDERS.has(word)) return true;
  if ((MANAGERS.has(program) || isProgramPath(program)) && isSubcommand(word)) return true;
  const isPattern = /^(?:[ef]?grep|rg)$/.test(program) && args.slice(0, at).every(isFlag);
  if (isPattern && isPiped) return true;
  if (PROSE.has(word.toLowerCase()) || /[^e]ed$/.test(word)) return false;
  if (isFlag(before) || /^(?:\d?>|<)$/.test(before) || RUNNERS.has(before)) return true;
  return isPattern && args.length > 1;
}

function isSubcommand(word: string): boolean {
  return RUNNERS.has(word) || word.split(/[-:_]/).every((part) => SUBCOMMANDS.has(part));
}

/** `-f x`, `"$a" = b`, and these joined by `-a` and `-o`. */
function isCondition(args: readonly string[]): boolean {
  if (/[\w"')]\.$/.test(args.at(-1) ?? '')) return false;
  const [first = '', second, third, ...rest] = args[0] === '!' ? args.slice(1) : args;
  if (/^-[defLrsSwxzn]$/.test(first) && second !== undefined)
    return third === undefined || (/^-[ao]$/.test(third) && isCondition(rest));
  const compares = /^["']?\$|^["']/.test(first) && /^(?:[!=]?=|-[a-z]{2})$/.test(second ?? '');
  return compares && third !== undefined && rest.length === 0;
}

function isFlag(word: string): boolean {
  return /^--?[A-Za-z]|^-\d+$|^--$/.test(word);
}

/** Whether a word cannot be one of a sentence: a path, a file's name, an address, a variable, a pattern, an identifier. */
function isShaped(word: string): boolean {
  return /[/$*@=~{}[\]_]|^(?:\d|&)?(?:>>?|<)|^\.{1,3}$|^\.\w|\w:\w|\w\.[A-Za-z]\w{0,7}$|[a-z][A-Z]|^[b-hj-z]$|^HEAD|^localhost$/.test(
    word,
  );
}

/** A path, not "read/write" or "on/off". */
function isPlace(word: string): boolean {
  if (/^(?:\.{0,2}\/|~\/|\.{1,2}$|["']?\$|\.\w)/.test(word) || /^[\w@./*-]*\w\.[A-Za-z]\w{0,7}$/.test(word))
    return true;
  return word.includes('/') && (word.endsWith('/') || FOLDERS.has(word.split('/', 1)[0]!));
}

/** Ends like a sentence or a clause, or is a sign that only sentences have. */
function isPunctuated(word: string): boolean {
  if (/[,:?!\u2026]$|[^./]\.$|^[\u2013\u2014\u2192\u21d2\u2713\u2714\u2705]/u.test(word)) return true;
  return /^(?:-|--?>|=>|>=|<=|==?|\.\.\.)$|^<[^<]*>$|[^>&\d]>$/.test(word);
}
