import { type Case, caseOf } from './case.js';
import {
  type Block,
  block,
  type Draft,
  type Envelope,
  type Look,
  NO_ENVELOPE,
  type Pair,
  type Step,
} from './draft.js';
import type { Hunk } from './hunks.js';
import { isFence, type MarkdownFile } from './markdown-files.js';
import { Random } from './random.js';

export const USUAL: Look = { eol: '\n', spacing: 'usual', finalNewline: true, prose: [] };

const PROSE = ['With that in place, the next step follows.', 'It builds on this one.'];
const GREETING = ['Sure! Here is the plan that you asked for:', ''];
const FAREWELL = ['', 'Let me know whether this fits, and I will go on from there.'];

const read: Step = { type: 'READ', path: 'docs/ARCHITECTURE.md' };
const prune: Step = { type: 'PRUNE', path: 'docs/old.md' };
const execute: Step = { type: 'EXECUTE', block: block('shell', 'npm test -- --run', 'git status --short') };
const research: Step = {
  type: 'RESEARCH',
  blocks: [block('text', 'markdown fence nesting'), block('text', 'commonmark code block length')],
};
const edit: Step = {
  type: 'EDIT',
  path: 'src/main.ts',
  pairs: [{ find: block('ts', 'const port = 80;'), replace: block('ts', 'const port = 8080;') }],
};
const chat: Step = { type: 'CHAT_WITH_USER', message: ['The draft is ready.', '', 'Shall I go on?'] };
const chatWithFence: Step = {
  type: 'CHAT_WITH_USER',
  message: ['Please run this first:', '', '```sh', 'npm ci', '```', '', 'Is the output empty?'],
};
const invoke: Step = { type: 'INVOKE', agent: 'Architect', message: ['The brief is complete.'] };
const conclude: Step = { type: 'CONCLUDE', message: ['The cause is found and the fix is attached.'] };

/** Makes a case of one file; `other` is another file of the corpus. */
type Arrangement = (file: Source, other: Source) => { draft: Draft; envelope?: Envelope };

interface Source {
  name: string;
  lines: string[];
}

const create = (file: Source, info = 'markdown', path = pathOf(file)): Step => ({
  type: 'CREATE',
  path,
  block: { info, lines: file.lines },
});

const wrapped = (open: string, chatter: boolean): Envelope => ({
  before: chatter ? GREETING : [],
  after: chatter ? FAREWELL : [],
  open,
  close: open.replace(/[^`]/g, ''),
});

const crlf: Partial<Look> = { eol: '\r\n' };
const tight: Partial<Look> = { spacing: 'tight' };
const loose: Partial<Look> = { spacing: 'loose' };
const cut: Partial<Look> = { finalNewline: false };
const talkative: Partial<Look> = { prose: PROSE };

/** A CREATE with a naive fence around a real file, set among other actions in many ways. */
const ARRANGEMENTS: Record<string, Arrangement> = {
  alone: (file) => plan([create(file)]),
  'alone, bare opener': (file) => plan([create(file, '')]),
  'alone, no final newline': (file) => plan([create(file)], cut),
  first: (file) => plan([create(file), read, execute, chat]),
  'first, tight': (file) => plan([create(file, 'md'), execute, read], tight),
  'middle of reads': (file) => plan([read, create(file), prune]),
  'middle, bare opener, tight': (file) => plan([execute, create(file, ''), execute], tight),
  'middle, loose': (file) => plan([execute, create(file), research, read], loose),
  last: (file) => plan([execute, read, create(file)]),
  'last, tight, no final newline': (file) => plan([execute, create(file)], { ...tight, ...cut }),
  'one of each': (file) => plan([read, execute, create(file), edit, research, prune, chat, invoke]),
  'after research': (file) => plan([research, create(file, ''), research]),
  'after an edit, before an edit': (file) => plan([edit, create(file), edit, conclude]),
  'between chats that hold fences': (file) => plan([chatWithFence, create(file), chatWithFence]),
  'before an invocation': (file) => plan([create(file, 'md'), invoke], tight),
  'two in a row': (file, other) => plan([create(file), create(other)]),
  'two in a row, bare openers, tight': (file, other) => plan([create(file, ''), create(other, '')], tight),
  'three and a command': (file, other) =>
    plan([create(other, 'mdx'), create(file, ''), create(other, 'md', 'docs/third.md'), execute]),
  'prose between': (file, other) => plan([create(file), execute, create(other, ''), read], talkative),
  'fence in the rationale': (file) => plan([create(file), execute], {}, excerptOf(file)),
  'fence in the rationale, tight': (file) => plan([read, create(file, '')], tight, excerptOf(file)),
  'fence in the rationale alone': (file) => plan([read, execute, chat], {}, excerptOf(file)),
  crlf: (file) => plan([execute, create(file), read], crlf),
  'crlf, two in a row': (file, other) =>
    plan([create(file, ''), create(other), execute], { ...crlf, ...tight }),
  'wrapped in three ticks': (file) => ({
    ...plan([create(file), execute]),
    envelope: wrapped('```markdown', false),
  }),
  'wrapped in three ticks, chatter': (file) => ({
    ...plan([execute, create(file)]),
    envelope: wrapped('```markdown', true),
  }),
  'wrapped in three bare ticks, chatter': (file) => ({
    ...plan([create(file, ''), chat]),
    envelope: wrapped('```', true),
  }),
  'wrapped in four ticks, chatter': (file, other) => ({
    ...plan([create(file), create(other), read]),
    envelope: wrapped('````markdown', true),
  }),
  'wrapped, crlf, no final newline': (file) => ({
    ...plan([read, create(file)], { ...crlf, ...cut }),
    envelope: wrapped('````md', false),
  }),
  'chatter at the end': (file) => ({
    ...plan([read, create(file)], cut),
    envelope: { ...NO_ENVELOPE, after: ['', ...PROSE] },
  }),
  'chatter without a wrap': (file) => ({
    ...plan([read, create(file)]),
    envelope: { ...NO_ENVELOPE, before: GREETING, after: FAREWELL },
  }),
};

export const ARRANGEMENT_NAMES: readonly string[] = Object.keys(ARRANGEMENTS);

/** Every file in `perFile` arrangements, chosen by the seed; in all of them unless told otherwise. */
export function* arrange(
  files: readonly MarkdownFile[],
  seed: number,
  perFile = ARRANGEMENT_NAMES.length,
): Generator<Case> {
  const random = new Random(seed);
  for (const [i, file] of files.entries()) {
    const start = perFile < ARRANGEMENT_NAMES.length ? i * perFile : 0;
    for (let k = 0; k < perFile; k++) {
      const name = ARRANGEMENT_NAMES[(start + k) % ARRANGEMENT_NAMES.length]!;
      const { draft, envelope } = ARRANGEMENTS[name]!(file, random.pick(files));
      yield caseOf(`${name}: ${file.name}`, draft, undefined, envelope);
    }
  }
}

/** Real hunks as the pairs of an EDIT, each half with a naive fence; some of them next to a whole file. */
export function* arrangeHunks(
  hunks: readonly Hunk[],
  files: readonly MarkdownFile[],
  seed: number,
): Generator<Case> {
  const random = new Random(seed);
  const pairOf = (hunk: Hunk, info: string): Pair => ({
    find: { info, lines: hunk.find },
    replace: { info, lines: hunk.replace },
  });
  for (const [i, hunk] of hunks.entries()) {
    const info = random.pick(['markdown', 'md', '', 'diff']);
    const pair = pairOf(hunk, info);
    const next = pairOf(hunks[(i + 1) % hunks.length]!, info);
    const editOf = (...pairs: Pair[]): Step => ({ type: 'EDIT', path: pathOf(hunk), pairs });
    const look = { ...random.pick([{}, {}, tight, loose, crlf, cut, talkative]) };
    const shapes: Array<[string, Step[], Envelope?]> = [
      ['one pair', [editOf(pair)]],
      ['one pair among actions', [read, editOf(pair), execute, chat]],
      ['two pairs', [editOf(pair, next), execute]],
      ['two edits', [editOf(pair), editOf(next)]],
      ['a fine pair between', [editOf(pair, { find: block('', 'a'), replace: block('', 'b') }, next), read]],
      ['before a file', [editOf(pair), create(random.pick(files)), execute]],
      ['after a file', [create(random.pick(files), ''), editOf(pair), invoke]],
      ['wrapped', [editOf(pair), execute], wrapped('```markdown', true)],
    ];
    const [name, steps, envelope] = shapes[i % shapes.length]!;
    yield caseOf(`edit, ${name}: ${hunk.name}`, plan(steps, look).draft, undefined, envelope);
  }
}

function plan(steps: Step[], look: Partial<Look> = {}, extra: string[] = []): { draft: Draft } {
  return {
    draft: {
      title: 'Bring the documents up to date',
      rationale: rationale(extra),
      memos: extra.length > 0 ? ['[+] Documents live under docs.', '[-] There are no documents.'] : [],
      steps,
      look: { ...USUAL, ...look },
    },
  };
}

function rationale(extra: string[]): Block {
  const lines = ['### 1. Synthesis', 'The last turn went well.', '', '### 2. Justification', 'It is next.'];
  lines.push(
    ...extra,
    '',
    '### 3. Expected Outcome',
    'The file exists.',
    '',
    '### 4. State Dashboard',
    '- Open',
  );
  return block('text', ...lines);
}

/** The first code block of a file, with its fences. */
function excerptOf({ lines }: Source): string[] {
  const from = lines.findIndex(isFence);
  const length = lines.slice(from + 1).findIndex(isFence);
  return lines.slice(from, length < 0 ? from + 3 : from + 2 + length);
}

function pathOf({ name }: { name: string }): string {
  const plain = name.replace(/[^A-Za-z0-9/.-]+/g, '-').replace(/(^|\/)\.+/g, '$1');
  return `docs/${plain}`.replace(/\/+/g, '/');
}
