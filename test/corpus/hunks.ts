import { execFileSync } from 'node:child_process';
import { structuredPatch } from 'diff';
import { isFence, type MarkdownFile } from './markdown-files.js';
import { Random } from './random.js';

/** One hunk of a diff as an EDIT has it: the lines before and the lines after, context included. */
export interface Hunk {
  name: string;
  find: string[];
  replace: string[];
}

/** Hunks of `versions` later versions of each file, made by the kinds of edits that people make to documents. */
export function* revise(files: readonly MarkdownFile[], seed: number, versions = 1): Generator<Hunk> {
  const random = new Random(seed);
  for (const file of files) {
    if (file.lines.length > 4000) continue;
    for (let version = 0; version < versions; version++) {
      const edits = 1 + random.below(4);
      let after = file.lines;
      for (let i = 0; i < edits; i++) after = random.pick(EDITS)(after, random);
      yield* hunksBetween(file.name, file.lines, after);
    }
  }
}

/** The Markdown hunks of a git history, without our own cases: many of them are there to be broken. */
export function historyHunks(repository: string): Hunk[] {
  const args = [
    '-C',
    repository,
    'log',
    '-p',
    '-U3',
    '--no-color',
    '--no-ext-diff',
    '--no-renames',
    '--format=',
  ];
  const log = execFileSync('git', [...args, '--', '*.md', '*.mdx', ':!spec'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return parseLog(log);
}

function parseLog(log: string): Hunk[] {
  const hunks: Hunk[] = [];
  let name = '';
  let body: string[] | null = null;
  const flush = () => {
    if (body) hunks.push(...usable(halves(name, body)));
    body = null;
  };
  for (const line of log.split('\n')) {
    if (line.startsWith('diff --git ')) {
      flush();
      name = line.slice(line.indexOf(' b/') + 3);
    } else if (line.startsWith('@@ ')) {
      flush();
      body = [];
    } else if (body && /^[ +-]/.test(line)) body.push(line);
  }
  flush();
  return hunks;
}

function* hunksBetween(name: string, before: string[], after: string[]): Generator<Hunk> {
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
  const patch = structuredPatch('a', 'b', text(before), text(after), undefined, undefined, { context: 3 });
  for (const { lines } of patch.hunks) yield* usable(halves(name, lines));
}

function halves(name: string, lines: string[]): Hunk {
  const side = (sign: '-' | '+') => lines.filter((l) => l[0] === ' ' || l[0] === sign).map((l) => l.slice(1));
  return { name, find: side('-'), replace: side('+') };
}

/** An EDIT needs something to find and something to change; a hunk without a fence is no test of repair. */
function usable(hunk: Hunk): Hunk[] {
  const find = hunk.find.join('\n');
  const replace = hunk.replace.join('\n');
  const fenced = hunk.find.some(isFence) || hunk.replace.some(isFence);
  const plain = !/[\r\0\uFFFD]/.test(find + replace);
  return fenced && plain && find.trim() !== '' && find !== replace ? [hunk] : [];
}

/** True when one half has an odd number of fences and the other has not: a fence is added, or goes, alone. */
export const changesParity = ({ find, replace }: Hunk): boolean =>
  (find.filter(isFence).length - replace.filter(isFence).length) % 2 !== 0;

/** True when one half holds an odd number of fences. */
export const isOdd = ({ find, replace }: Hunk): boolean =>
  find.filter(isFence).length % 2 === 1 || replace.filter(isFence).length % 2 === 1;

const PLAN_PART =
  /^ {0,3}(?:#{1,6} +`?(?:CREATE|READ|EDIT|EXECUTE|RESEARCH|PRUNE|INVOKE|CONCLUDE|CHAT_WITH_USER)`?|## Action Plan|`?(?:FIND|REPLACE):`?)\s*$/;

/** True when a half quotes a plan, whose parts then look like those of the plan around it. */
export const quotesPlan = ({ find, replace }: Hunk): boolean =>
  [...find, ...replace].some((line) => PLAN_PART.test(line));

type Edit = (lines: string[], random: Random) => string[];

interface Span {
  from: number;
  to: number;
}

const EDITS: Edit[] = [
  // A code block goes.
  (lines, random) => withCode(lines, random, ({ from, to }) => lines.toSpliced(from, to - from)),
  // Its fences go, its text stays.
  (lines, random) =>
    withCode(lines, random, ({ from, to }) => [
      ...lines.slice(0, from),
      ...lines.slice(from + 1, to - 1),
      ...lines.slice(to),
    ]),
  // It gets another language, or loses the one it has.
  (lines, random) =>
    withCode(lines, random, ({ from }) => {
      const ticks = lines[from]!.match(/^ *(`+|~+)/)![0];
      return lines.with(from, ticks + random.pick(['', 'ts', 'json', 'bash', 'jsx {2}', 'text']));
    }),
  // A line inside it changes, goes or is added.
  (lines, random) =>
    withCode(lines, random, ({ from, to }) => {
      const size = to - from - 2;
      const at = from + 1 + random.below(Math.max(1, size));
      const line = 'const answer = 42; // see below';
      return size > 0 && random.chance(0.5) ? lines.with(at, line) : lines.toSpliced(at, 0, line);
    }),
  // The line before or after it changes.
  (lines, random) =>
    withCode(lines, random, ({ from, to }) => {
      const at = random.chance(0.5) && from > 0 ? from - 1 : to;
      return lines.toSpliced(at, 1, 'The following was changed:');
    }),
  // A new code block is added, somewhere between two lines.
  (lines, random) => {
    const made = random.pick([
      ['```sh', 'npm install --save-dev it', '```'],
      ['```', 'plain output', '```', ''],
      ['', '```js', 'it();', '', 'it.only();', '```', ''],
      ['~~~', 'tilde', '~~~'],
      ['````md', '```js', 'nested();', '```', '````'],
    ]);
    return lines.toSpliced(random.below(lines.length + 1), 0, ...made);
  },
  // A paragraph becomes a code block.
  (lines, random) => {
    const at = random.below(lines.length);
    return [...lines.slice(0, at), '```', lines[at] ?? '', '```', ...lines.slice(at + 1)];
  },
  // A code block moves.
  (lines, random) =>
    withCode(lines, random, ({ from, to }) => {
      const rest = lines.toSpliced(from, to - from);
      return rest.toSpliced(random.below(rest.length + 1), 0, ...lines.slice(from, to));
    }),
  // Two code blocks become one.
  (lines, random) =>
    withCode(lines, random, ({ to }) => {
      const next = lines.findIndex((line, i) => i >= to && isFence(line));
      return next < 0 ? lines : lines.toSpliced(to - 1, next - to + 2);
    }),
  // A few lines anywhere go.
  (lines, random) => lines.toSpliced(random.below(lines.length), 1 + random.below(4)),
  // A heading and a sentence are added.
  (lines, random) => lines.toSpliced(random.below(lines.length), 0, '## Notes', '', 'Mind the `fence`.', ''),
];

function withCode(lines: string[], random: Random, edit: (span: Span) => string[]): string[] {
  const spans = codeSpans(lines);
  return spans.length > 0 ? edit(random.pick(spans)) : lines;
}

/** The code blocks of a document, fences included. */
export function codeSpans(lines: string[]): Span[] {
  const spans: Span[] = [];
  let open: { from: number; fence: string } | null = null;
  for (const [i, line] of lines.entries()) {
    const fence = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = { from: i, fence };
    else if (line.trim() === fence && fence.startsWith(open.fence)) {
      spans.push({ from: open.from, to: i + 1 });
      open = null;
    }
  }
  return spans;
}
