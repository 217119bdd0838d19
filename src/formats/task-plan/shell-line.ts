import {
  countEvidence,
  countStray,
  endsInJudgement,
  isArgument,
  isBare,
  isFlag,
  isFlagValue,
  isPlace,
  isRedirect,
  NONE,
} from './arguments.js';
import {
  ALONE,
  ENGLISH,
  FOLDERS,
  isProgram,
  isProgramPath,
  PIPED,
  PROSE,
  PROSE_BEHIND_ENGLISH,
  type Subcommands,
  subcommandsOf,
  TARGETS,
  WRAPPERS,
} from './programs.js';
import type { Word } from './words.js';

/** Programs that take several of their words, and those that take folders behind one. */
const CHAINS_WORDS = new Set(['make', 'ninja', 'mvn', 'gradle']);
const TAKES_FOLDERS = new Set(['git', 'ruff', 'biome', 'vitest', 'playwright']);
/** What programs that people write call what they do: `node src/todo.js list`. */
const DEEDS = ['add', 'export', 'generate', 'help', 'import', 'init', 'list', 'migrate', 'show', 'status'];
/** Words that may follow a script: `python manage.py test`. "clean" praises more often. */
const PARTS: ReadonlySet<string> = new Set(
  [...FOLDERS, ...TARGETS, ...DEEDS].filter((word) => word !== 'clean'),
);
/** `node -v above 20` */
const ASKS_VERSION = /^(?:\S+ --(?:version|help)|(?:node|ruby|python3?|php|perl|lua|java|dart) -[vV])$/;

/**
 * What stands around a command: nothing that says what it is; a mark of the shell, such as `!` or braces, that no
 * sentence begins with; a whole construct of the shell, in which there is nothing but commands.
 */
export type Certainty = 'open' | 'marked' | 'shell';

/** Where a command stands. */
export interface Setting {
  certainty: Certainty;
  /** A pipe leads into it or out of it. */
  isPiped: boolean;
  /** Another command stands before it. */
  isLater: boolean;
}

/** A command between two operators. */
interface Simple extends Setting {
  program: string;
  args: readonly Word[];
  /** It begins `NAME=value`. */
  isAssigned: boolean;
  /** How many programs run it. */
  depth: number;
}

/** `timeout 60 npx tsc`: nobody needs more programs that run programs. */
const MOST_DEPTH = 4;

/** A word that a shell replaces before it looks for the program. */
const VARIABLE = /^\$[{(A-Za-z_]/;
/** What a program can be called, in a place where there must be one. */
const CALLABLE = /^[a-z0-9_./$~"'[][^,;:!?\u2026]*$/;

/** Whether words without an operator are a command. It says no whenever they could be of a sentence. */
export function isSimpleCommand(words: readonly Word[], setting: Setting): boolean {
  const at = words.findIndex(isNoAssignment);
  if (at === -1) return words.length > 0;
  const { text, isQuoted } = words[at]!;
  const command = { ...setting, program: text, args: words.slice(at + 1), isAssigned: at > 0, depth: 0 };
  if (setting.certainty === 'shell') return isCallable(command);
  return isQuoted || VARIABLE.test(text) ? namesProgram(command) : isCommand(command);
}

/** Between `then` and `fi` stands a command; it only must not have the words of a sentence. */
function isCallable({ program, args }: Simple): boolean {
  if (!CALLABLE.test(program)) return false;
  if (program === 'echo' || program === 'printf') return true;
  return areArguments(args, program);
}

function areArguments(args: readonly Word[], program: string): boolean {
  return args.every(
    (word, i) =>
      word.isQuoted ||
      isArgument(word.text, args[i + 1]?.text ?? '', program) ||
      // `test -e ready`
      (isFlagValue(args, i) && isBare(word) && /^(?:test|\[\[?)$/.test(program)),
  );
}

/** `"my tool" --all`, `$TOOL x`; `"Save" button` is none. */
function namesProgram({ program, args }: Simple): boolean {
  const name = program.replace(/["']/g, '');
  const isPath = isProgramPath(name) || (VARIABLE.test(name) && name.includes('/'));
  if (!areArguments(args, program)) return false;
  if (args.length === 0) return isPath;
  const letters = args.filter(({ text }) => /^[b-hj-z]$/.test(text)).length;
  const evidence = countEvidence(args) + letters;
  return !endsInJudgement(args) && evidence > 0 && countStray(args) <= evidence;
}

function isCommand(command: Simple): boolean {
  const { program, args } = command;
  if (!isProgram(program)) return false;
  const name = program.startsWith('/') ? program.slice(program.lastIndexOf('/') + 1) : program;
  if (name !== program && isProgram(name)) return isCommand({ ...command, program: name });
  if (program === 'echo' || program === 'printf') return isSaid(command);
  if (!areArguments(args, program)) return false;
  const rule = RULES[program];
  if (rule) return rule(command);
  if (args.length === 0) return standsAlone(command);
  if (WRAPPERS.has(program)) return isWrapped(command, 0);
  const known = subcommandsOf(isProgramPath(program) ? './' : program);
  if (known) return usesSubcommand(command, known);
  return ENGLISH.has(program) ? showsEnglish(command) : showsPlain(command);
}

function standsAlone({ program, isPiped }: Simple): boolean {
  return ALONE.has(program) || isProgramPath(program) || (isPiped && PIPED.has(program));
}

/** What is said in a chain may be anything; by itself it must look like a command. */
function isSaid({ args, isPiped, isLater }: Simple): boolean {
  if (args.length === 0) return false;
  if (isPiped || isLater) return true;
  if (args.some(({ text, isQuoted }) => !isQuoted && PROSE.has(text))) return false;
  return args.some(({ text, isQuoted }) => isQuoted || text.includes('$'));
}

const RULES: Readonly<Record<string, ((command: Simple) => boolean) | undefined>> = {
  __proto__: null as never,
  test: ({ args }) => isCondition(args),
  '[': ({ args }) => args.at(-1)?.text === ']' && isCondition(args.slice(0, -1)),
  '[[': ({ args }) => args.at(-1)?.text === ']]' && isCondition(args.slice(0, -1)),
  find: ({ args }) =>
    args.some(({ text }) => /^-[a-z]{3}/.test(text)) || (args.length > 0 && isPlace(args[0]!.text)),
  // By itself "exit 0" is what is hoped for; nobody hopes for `exit 1`.
  exit: ({ args, isLater }) =>
    args.length === 0 ? isLater : args.length === 1 && (isLater ? /^\d+$/ : /^[1-9]\d*$/).test(args[0]!.text),
  sleep: ({ args }) => args.length === 1 && /^\d+(?:\.\d+)?[smhd]?$/.test(args[0]!.text),
  which: ({ args }) => {
    const { text } = args[0] ?? { text: '' };
    return (
      args.length === 1 &&
      isProgram(text) &&
      (!ENGLISH.has(text) || /^(?:node|ruby|python3?|php)$/.test(text))
    );
  },
  cd: ({ args }) => args.length === 1,
  true: ({ args }) => args.length === 0,
  false: ({ args }) => args.length === 0,
  timeout: (command) => /^\d+[smh]?$/.test(command.args[0]?.text ?? '') && isWrapped(command, 1),
};

function isCondition(args: readonly Word[]): boolean {
  const [first, second] = args[0]?.text === '!' ? args.slice(1) : args;
  if (!first || !second) return false;
  const behind = args[args.indexOf(second) + 1]?.text;
  if (/^-[defrswxznLS]$/.test(first.text)) return behind === undefined || /^(?:-[ao]|&&|\|\|)$/.test(behind);
  const compares = /^(?:=|==|!=|=~|-[a-z]{2})$/.test(second.text) || first.text.startsWith('$(');
  return compares && (first.isQuoted || first.text.startsWith('$') || /^-[a-z]{2}$/.test(second.text));
}

/** The command behind `npx` and the like, from an argument on. */
function isWrapped({ args, ...command }: Simple, from: number): boolean {
  let at = from;
  while (at < args.length && isFlag(args[at]!.text)) at++;
  const program = args[at];
  if (!program || program.isQuoted || command.depth >= MOST_DEPTH) return false;
  const depth = command.depth + 1;
  return isCommand({ ...command, program: program.text, args: args.slice(at + 1), isLater: true, depth });
}

function usesSubcommand(command: Simple, known: Subcommands): boolean {
  const { program, args } = command;
  const at = args.findIndex((word, i) => isBare(word) && !isFlagValue(args, i));
  const word = args[at]?.text ?? '';
  const nested = subcommandsOf(`${program} ${word}`);
  const rest = { ...command, program: `${program} ${word}`, args: args.slice(at + 1) };
  if (at !== -1 && nested && rest.args.length > 0) return usesSubcommand(rest, nested);
  const evidence = countEvidence(args) + (command.isAssigned ? 1 : 0);
  if (at === -1) return evidence > 0;
  if (known.wraps.has(word)) return isWrapped(command, at + 1);
  if (known.takesWord.has(word)) {
    if (rest.args.length === 0 || endsInJudgement(rest.args.slice(1))) return false;
    return countStray(rest.args.slice(1)) <= countEvidence(rest.args.slice(1));
  }
  if (endsInJudgement(rest.args) && !CHAINS_WORDS.has(program)) return false;
  const isScript = (program === 'yarn' || program === 'pnpm' || program === 'bun') && evidence > 0;
  const isTarget =
    word.includes('-') && known.enough.has('build') && word.split('-').every((part) => TARGETS.has(part));
  if (known.enough.has(word) || isTarget) {
    const allowed = CHAINS_WORDS.has(program) ? known.enough : TAKES_FOLDERS.has(program) ? FOLDERS : NONE;
    return countStray(rest.args, allowed) <= (evidence > 0 ? evidence + 1 : 0);
  }
  return (known.more.has(word) || isScript) && evidence > 0 && countStray(rest.args) <= evidence + 1;
}

/** The first argument shows it, and the others do not read like words of a sentence. */
function showsEnglish(command: Simple): boolean {
  const { program, args, isAssigned, isPiped } = command;
  const nested = subcommandsOf(`${program} ${args[0]!.text}`);
  if (nested) return usesSubcommand({ ...command, args: args.slice(1) }, nested);
  if (program === 'export' && !isNoAssignment(args[0]!)) return args.length === 1;
  if (program === 'env') {
    const at = args.findIndex(isNoAssignment);
    if (at !== -1 && isWrapped(command, at)) return true;
  }
  if (args.some(({ text }) => PROSE_BEHIND_ENGLISH.has(text.toLowerCase()))) return false;
  if (endsInJudgement(args)) return false;
  if (command.certainty === 'marked') return true;
  const stray = countStray(args, PARTS);
  const first = args[0]!.text;
  if (ASKS_VERSION.test(`${program} ${first}`)) return args.length === 1;
  if (isFlag(first) || first.startsWith('$') || first.startsWith('"$') || isRedirect(first))
    return stray <= 2;
  if (program !== 'set' && isPlace(first)) return stray === 0;
  return (isPiped || isAssigned) && args.length === 1 && !args[0]!.isQuoted;
}

export function isNoAssignment({ text }: Word): boolean {
  return !/^[A-Za-z_]\w*=/.test(text);
}

/** Something shows it, and there are not more words than that explains. */
function showsPlain({ args, isAssigned, isPiped, certainty }: Simple): boolean {
  if (!isPiped && endsInJudgement(args)) return false;
  if (certainty === 'marked') return true;
  const folders = args.filter(({ text }) => FOLDERS.has(text)).length;
  const evidence = countEvidence(args) + folders + (isAssigned ? 1 : 0) + (isPiped ? 1 : 0);
  return evidence > 0 && countStray(args, FOLDERS) <= evidence - folders;
}
