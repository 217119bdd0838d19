import type { Deed, Reading } from './reading.js';

/** The text of one fenced block and what stands after its opening fence. */
export interface Block {
  lines: string[];
  info: string;
}

export interface Pair {
  find: Block;
  replace: Block;
}

export type Step =
  | { type: 'CREATE'; path: string; block: Block }
  | { type: 'READ' | 'PRUNE'; path: string }
  | { type: 'EDIT'; path: string; pairs: Pair[] }
  | { type: 'EXECUTE'; block: Block }
  | { type: 'RESEARCH'; blocks: Block[] }
  | { type: 'CHAT_WITH_USER'; message: string[] }
  | { type: 'INVOKE'; agent: string; message: string[] }
  | { type: 'CONCLUDE'; message: string[] };

/** How a plan looks where the format leaves a choice. */
export interface Look {
  eol: '\n' | '\r\n';
  /** `tight`: no blank line where none is needed; `loose`: blank lines wherever they may stand. */
  spacing: 'tight' | 'usual' | 'loose';
  finalNewline: boolean;
  /** Stands between an action that ends in a block and the next one. */
  prose: string[];
}

/** A plan as its author meant it. `render` writes it down well or badly. */
export interface Draft {
  title: string;
  rationale: Block;
  memos: string[];
  steps: Step[];
  look: Look;
}

/** What surrounds the plan in the answer that holds it. */
export interface Envelope {
  before: string[];
  after: string[];
  /** The fence around the whole plan, if any. */
  open: string | null;
  close: string | null;
}

/** One block as it is written down: its fences and the lines between them. */
interface Written {
  open: string;
  body: string[];
  close: string | null;
}

export type Fencing = (block: Block) => Written;

export const NO_ENVELOPE: Envelope = { before: [], after: [], open: null, close: null };

/** Three backticks around everything, whatever is inside. */
export const naive: Fencing = ({ info, lines }) => ({ open: `\`\`\`${info}`, body: lines, close: '```' });

/** One backtick more than the longest run of them inside. */
export const careful: Fencing = ({ info, lines }) => {
  const runs = lines.join('\n').match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return { open: fence + info, body: lines, close: fence };
};

export const block = (info: string, ...lines: string[]): Block => ({ info, lines });

/** The blocks whose text comes from a corpus, in the plan's order. */
export function blocksOf(draft: Draft): Block[] {
  return draft.steps.flatMap((step) => {
    if (step.type === 'CREATE') return [step.block];
    if (step.type === 'EDIT') return step.pairs.flatMap(({ find, replace }) => [find, replace]);
    return [];
  });
}

export function render(draft: Draft, fencing: Fencing, envelope: Envelope = NO_ENVELOPE): string {
  const { look } = draft;
  const gap = look.spacing === 'tight' ? [] : [''];
  const space = look.spacing === 'loose' ? [''] : [];
  const fenced = (part: Block) => {
    const { open, body, close } = fencing(part);
    return [open, ...body, ...(close === null ? [] : [close])];
  };

  const plan = [`# ${draft.title}`, ...space, '- **Status:** Green 🟢', '- **Plan Type:** Implementation'];
  plan.push('- **Agent:** Developer', ...gap, '## Rationale', ...space, ...fenced(draft.rationale), ...gap);
  if (draft.memos.length > 0) plan.push('## Memos', ...space, ...fenced(block('', ...draft.memos)), ...gap);
  plan.push('## Action Plan', ...gap);
  draft.steps.forEach((step, i) => {
    if (i > 0) plan.push(...gap, ...space);
    plan.push(`### \`${step.type}\``, ...space, ...stepLines(step, fenced, gap, space));
    const last = i === draft.steps.length - 1;
    if (!last && endsInBlock(step) && look.prose.length > 0) plan.push(...gap, ...look.prose);
  });

  const { before, after, open, close } = envelope;
  const lines = [
    ...before,
    ...(open === null ? [] : [open]),
    ...plan,
    ...(close === null ? [] : [close]),
    ...after,
  ];
  return lines.join(look.eol) + (look.finalNewline ? look.eol : '');
}

function stepLines(step: Step, fenced: (part: Block) => string[], gap: string[], space: string[]): string[] {
  switch (step.type) {
    case 'CREATE':
      return [...located('File Path', step.path), ...space, ...fenced(step.block)];
    case 'READ':
    case 'PRUNE':
      return located('Resource', step.path);
    case 'EDIT': {
      // Without a blank line the first label would continue the list before it.
      const pairs = step.pairs.flatMap(({ find, replace }, i) => [
        ...(i === 0 ? [''] : gap),
        '`FIND:`',
        ...space,
        ...fenced(find),
        ...space,
        '`REPLACE:`',
        ...space,
        ...fenced(replace),
      ]);
      return [...located('File Path', step.path), ...pairs];
    }
    case 'EXECUTE': {
      const metadata = ['- **Description:** Run it.', '- **Expected Outcome:** It ends without a word.'];
      return [...metadata, ...space, ...fenced(step.block)];
    }
    case 'RESEARCH':
      return ['- **Description:** Look for prior art.', ...space, ...step.blocks.flatMap(fenced)];
    case 'CHAT_WITH_USER':
      return step.message;
    case 'INVOKE':
      return [`- **Agent:** ${step.agent}`, '', ...step.message];
    case 'CONCLUDE':
      return ['- **Handoff Resources:**', '  - [docs/a.md](/docs/a.md)', '', ...step.message];
  }
}

const located = (label: string, path: string): string[] => [
  `- **${label}:** [${path}](/${path})`,
  '- **Description:** As agreed.',
];

const endsInBlock = ({ type }: Step): boolean => type === 'CREATE' || type === 'EDIT' || type === 'EXECUTE';

/** What a perfect reader finds in the plan. */
export function truthOf(draft: Draft): Reading {
  return {
    rationale: draft.rationale.lines.join('\n'),
    memos: draft.memos,
    actions: draft.steps.map(deedOf),
  };
}

function deedOf(step: Step): Deed {
  const file = (part: Block) => part.lines.map((line) => `${line}\n`).join('');
  const text = (part: Block) => part.lines.join('\n');
  switch (step.type) {
    case 'CREATE':
      return { type: step.type, target: step.path, texts: [file(step.block)] };
    case 'READ':
    case 'PRUNE':
      return { type: step.type, target: step.path, texts: [] };
    case 'EDIT':
      return {
        type: step.type,
        target: step.path,
        texts: step.pairs.flatMap(({ find, replace }) => [text(find), text(replace)]),
      };
    case 'EXECUTE':
      return { type: step.type, target: '', texts: [file(step.block)] };
    case 'RESEARCH':
      return { type: step.type, target: '', texts: step.blocks.map(text) };
    case 'CHAT_WITH_USER':
      return { type: step.type, target: '', texts: [step.message.join('\n')] };
    case 'INVOKE':
      return { type: step.type, target: step.agent, texts: [step.message.join('\n')] };
    case 'CONCLUDE':
      return { type: step.type, target: '', texts: [step.message.join('\n')] };
  }
}
