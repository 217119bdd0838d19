import { type Case, caseOf } from './case.js';
import { type Block, block, blocksOf, type Draft, type Fencing, naive, render, type Step } from './draft.js';
import { codeSpans } from './hunks.js';
import { isFence } from './markdown-files.js';
import { Random } from './random.js';

/** A case with one thing wrong beyond its naive fences. */
export interface DamagedCase extends Case {
  kind: string;
}

/** Changes what a block says; null where the block has nothing to change. */
type Rewording = (part: Block, random: Random) => Block | null;
/** Changes how one block is written down. */
type Miswriting = (part: Block, random: Random) => Fencing | null;

const REWORDINGS: Record<string, Rewording> = {
  'unclosed inner fence': ({ info, lines }, random) => {
    const spans = codeSpans(lines);
    return spans.length === 0 ? null : { info, lines: lines.toSpliced(random.pick(spans).to - 1, 1) };
  },
  'stray bare fence': ({ info, lines }, random) => ({
    info,
    lines: lines.toSpliced(random.below(lines.length + 1), 0, '```'),
  }),
  'quoted plan': ({ info, lines }, random) => ({ info, lines: [...lines, '', ...quotedPlan(lines, random)] }),
  'quoted action': ({ info, lines }, random) => ({
    info,
    lines: lines.toSpliced(random.below(lines.length + 1), 0, '', ...random.pick(QUOTED_ACTIONS), ''),
  }),
  'quoted labels': ({ info, lines }) => ({
    info,
    lines: [...lines, '', '`FIND:`', '```js', 'a();', '```', '`REPLACE:`', '```js', 'b();', '```'],
  }),
  'tilde fences inside': ({ info, lines }) => ({
    info,
    lines: lines.map((line) => (isFence(line) ? line.replace(/`/g, '~') : line)),
  }),
  'four-tick fence inside': ({ info, lines }) => {
    const spans = codeSpans(lines);
    const { from, to } = spans.at(-1) ?? { from: 0, to: lines.length };
    return {
      info,
      lines: [...lines.slice(0, from), '````md', ...lines.slice(from, to), '````', ...lines.slice(to)],
    };
  },
  'fences in list items': ({ info, lines }, random) => {
    const spans = codeSpans(lines);
    if (spans.length === 0) return null;
    const { from, to } = random.pick(spans);
    const pad = random.pick(['  ', '   ']);
    const code = lines.slice(from, to).map((line) => (line === '' ? '' : pad + line));
    return { info, lines: [...lines.slice(0, from), '- In a list:', '', ...code, ...lines.slice(to)] };
  },
};

const MISWRITINGS: Record<string, Miswriting> = {
  'text after the closing fence': (_, random) => {
    const tail = random.pick([' end of file', ' <!-- done -->', ' That is the whole file.', 'end']);
    return (part) => ({ ...naive(part), close: `\`\`\`${tail}` });
  },
  // Nobody could tell a blank line at the end of the text from one after it.
  'missing closing fence': ({ lines }) =>
    lines.at(-1)?.trim() ? (part) => ({ ...naive(part), close: null }) : null,
  'closing fence shorter than the opener': (_, random) => {
    const [open, close] = random.pick([
      ['````', '```'],
      ['`````', '````'],
      ['``````', '```'],
    ] as const);
    return (part) => ({ open: open + part.info, body: part.lines, close });
  },
  'closing fence longer than the opener': () => (part) => ({ ...naive(part), close: '````' }),
  'tilde fences around': () => (part) => ({ open: `~~~${part.info}`, body: part.lines, close: '~~~' }),
  'four ticks around, not enough': (part) =>
    part.lines.some((line) => /^ {0,3}````/.test(line))
      ? (it) => ({ open: `\`\`\`\`${it.info}`, body: it.lines, close: '````' })
      : null,
  'fences indented under the list': (part, random) => {
    // Where the text has no indent of its own it cannot matter how much of it a reader takes off.
    if (part.lines.some((line) => /^[ \t]/.test(line))) return null;
    const pad = random.pick(['  ', '   ']);
    return (it) => ({ open: `${pad}\`\`\`${it.info}`, body: it.lines, close: `${pad}\`\`\`` });
  },
  'block indented under the list': (part, random) => {
    if (part.lines.some((line) => /\t/.test(line))) return null;
    const pad = random.pick(['  ', '   ']);
    const indent = (line: string) => (line === '' ? '' : pad + line);
    return (it) => ({ open: `${pad}\`\`\`${it.info}`, body: it.lines.map(indent), close: `${pad}\`\`\`` });
  },
};

export const DEFECTS: readonly string[] = [
  ...Object.keys(REWORDINGS),
  ...Object.keys(MISWRITINGS),
  'rationale without its closing fence',
  'text after the closing fence of the rationale',
];

/**
 * The case once for every defect that it can have, each with that defect alone: in one block that the seed
 * chooses, every other fence as naive as before. What surrounds the plan is left off.
 */
export function* damage(subject: Case, seed: number): Generator<DamagedCase> {
  const { draft } = subject;
  const blocks = blocksOf(draft);
  for (const kind of DEFECTS) {
    const random = new Random(`${seed} ${kind} ${subject.name}`);
    const name = `${kind} (${subject.name})`;
    if (kind === 'rationale without its closing fence') {
      yield {
        kind,
        ...miswritten(name, draft, draft.rationale, (part) => ({ ...naive(part), close: null })),
      };
      continue;
    }
    if (kind === 'text after the closing fence of the rationale') {
      yield {
        kind,
        ...miswritten(name, draft, draft.rationale, (part) => ({ ...naive(part), close: '``` end' })),
      };
      continue;
    }
    if (blocks.length === 0) continue;
    const victim = random.pick(blocks);
    const reword = REWORDINGS[kind]?.(victim, random);
    const changed = reword && reworded(draft, victim, reword);
    if (changed && !changed.steps.some(changesNothing)) yield { kind, ...caseOf(name, changed) };
    const miswrite = MISWRITINGS[kind]?.(victim, random);
    if (miswrite) yield { kind, ...miswritten(name, draft, victim, miswrite) };
  }
}

/** Without prose between the actions: after a block that does not end, it would be a second defect. */
function miswritten(name: string, draft: Draft, victim: Block, fencing: Fencing): Case {
  const bare = { ...draft, look: { ...draft.look, prose: [] } };
  return caseOf(name, bare, (part) => (part === victim ? fencing(part) : naive(part)));
}

function reworded(draft: Draft, victim: Block, other: Block): Draft {
  // A draft may use one block in two places; the defect is in one of them.
  let done = false;
  const swap = (part: Block) => {
    if (part !== victim || done) return part;
    done = true;
    return other;
  };
  const steps = draft.steps.map((step): Step => {
    if (step.type === 'CREATE') return { ...step, block: swap(step.block) };
    if (step.type !== 'EDIT') return step;
    const pairs = step.pairs.map(({ find, replace }) => ({ find: swap(find), replace: swap(replace) }));
    return { ...step, pairs };
  });
  return { ...draft, steps };
}

/** A FIND that equals its REPLACE is refused for that alone. */
const changesNothing = (step: Step): boolean =>
  step.type === 'EDIT' &&
  step.pairs.some(({ find, replace }) => find.lines.join('\n') === replace.lines.join('\n'));

const QUOTED_ACTIONS = [
  ['```markdown', '### `READ`', '- **Resource:** [a.md](/a.md)', '- **Description:** Look.', '```'],
  ['```', '### `CREATE`', '- **File Path:** [a.md](/a.md)', '````md', 'Text.', '````', '```'],
  ['````markdown', '### `EXECUTE`', '- **Description:** Try.', '```shell', 'ls', '```', '````'],
  ['### `CHAT_WITH_USER`', 'This heading stands in a document about plans.'],
];

/** A document's section that shows a whole plan, as the documents of a tool like this one do. */
function quotedPlan(lines: string[], random: Random): string[] {
  const fence = random.pick(['```', '````', '`````']);
  const quoted: Draft = {
    title: 'An example',
    rationale: block('text', '### 1. Synthesis', 'Nothing yet.'),
    memos: [],
    steps: [
      { type: 'READ', path: 'docs/a.md' },
      { type: 'CREATE', path: 'docs/b.md', block: block('markdown', ...lines.slice(0, 12)) },
      { type: 'EXECUTE', block: block('shell', 'ls') },
    ],
    look: { eol: '\n', spacing: 'usual', finalNewline: false, prose: [] },
  };
  return ['## Example', '', `${fence}markdown`, ...render(quoted, naive).split('\n'), fence];
}
