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
import { splitWords, type Word } from './words.js';

const OPERATORS = new Set(['&&', '||', ';', '|', '|&', '&']);
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
const PREFIXES = new Set(['!', '{', '(', 'time']);

/** A command between two operators. */
interface Simple {
  program: string;
  args: readonly Word[];
  /** It begins `NAME=value`. */
  isAssigned: boolean;
  /** A pipe leads into it or out of it. */
  isPiped: boolean;
  /** Another command stands before it. */
  isLater: boolean;
  /** How many programs run it. */
  depth: number;
}

/** `timeout 60 npx tsc`: nobody needs more programs that run programs. */
const MOST_DEPTH = 4;

/** Whether one line is a command and nothing else. It says no whenever it could be a sentence. */
export function readsAsCommand(line: string): boolean {
  const words = splitWords(line);
  if (!words || words.length === 0 || !endsPlainly(words.at(-1)!)) return false;
  for (let i = 0; i <= words.length; i++) {
    const from = i;
    while (i < words.length && !OPERATORS.has(words[i]!.text)) i++;
    const command = readSimple(words.slice(from, i), words[from - 1]?.text, words[i]?.text);
    if (!command || !isCommand(command)) return false;
    // `npm start &`
    if (i === words.length - 1 && /^[;&]$/.test(words[i]!.text)) return true;
  }
  return true;
}

/** `git log shows it.`: a sentence ends in a full stop, a command hardly ever. */
function endsPlainly({ text, isQuoted }: Word): boolean {
  return isQuoted || !/[\p{L}\p{N})]\.$|[:?]$/u.test(text);
}

function readSimple(
  all: readonly Word[],
  before: string | undefined,
  after: string | undefined,
): Simple | undefined {
  const words = all.map(dropParentheses).filter(({ text }) => text !== '' && text !== '}');
  let at = 0;
  let isAssigned = false;
  for (; at < words.length; at++) {
    const { text } = words[at]!;
    if (/^[A-Za-z_]\w*=/.test(text)) isAssigned = true;
    else if (!PREFIXES.has(text)) break;
  }
  const program = words[at];
  if (!program || program.isQuoted) return undefined;
  const isPiped = [before, after].some((operator) => operator === '|' || operator === '|&');
  return {
    program: program.text,
    args: words.slice(at + 1),
    isAssigned,
    isPiped,
    isLater: before !== undefined,
    depth: 0,
  };
}

/** Of a subshell: `(cd app && npm test)`. */
function dropParentheses(word: Word, index: number): Word {
  if (word.isQuoted || word.text.includes('$(')) return word;
  const from = index === 0 && word.text.startsWith('(') ? 1 : 0;
  const isClosed = !word.text.slice(from).includes('(') && word.text.endsWith(')');
  return { ...word, text: word.text.slice(from, isClosed ? -1 : undefined) };
}

function isCommand(command: Simple): boolean {
  const { program, args } = command;
  if (!isProgram(program)) return false;
  const name = program.startsWith('/') ? program.slice(program.lastIndexOf('/') + 1) : program;
  if (name !== program && isProgram(name)) return isCommand({ ...command, program: name });
  if (program === 'echo' || program === 'printf') return isSaid(command);
  if (args.some((word, i) => !word.isQuoted && !isArgument(word.text, args[i + 1]?.text ?? '', program)))
    return false;
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
  // By itself it is what is hoped for: "exit 0".
  exit: ({ args, isLater }) =>
    isLater && (args.length === 0 || (args.length === 1 && /^\d+$/.test(args[0]!.text))),
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
  const stray = countStray(args, PARTS);
  const first = args[0]!.text;
  if (ASKS_VERSION.test(`${program} ${first}`)) return args.length === 1;
  if (isFlag(first) || first.startsWith('$') || first.startsWith('"$') || isRedirect(first))
    return stray <= 2;
  if (program !== 'set' && isPlace(first)) return stray === 0;
  return (isPiped || isAssigned) && args.length === 1 && !args[0]!.isQuoted;
}

function isNoAssignment({ text }: Word): boolean {
  return !/^[A-Za-z_]\w*=/.test(text);
}

/** Something shows it, and there are not more words than that explains. */
function showsPlain({ args, isAssigned, isPiped }: Simple): boolean {
  if (!isPiped && endsInJudgement(args)) return false;
  const folders = args.filter(({ text }) => FOLDERS.has(text)).length;
  const evidence = countEvidence(args) + folders + (isAssigned ? 1 : 0) + (isPiped ? 1 : 0);
  return evidence > 0 && countStray(args, FOLDERS) <= evidence - folders;
}
