import { type Deed, dropNewline, type Reading } from './reading.js';

/** One part of a plan as a reader sees it. Lines are 0-based, `to` is past the last. */
export interface Part {
  kind: 'heading' | 'block' | 'list' | 'prose' | 'other';
  from: number;
  to: number;
  /** Of a heading: its level. */
  level: number;
  /** Of a heading its title, of a block its text, else the source. */
  text: string;
}

export interface Outline {
  reading: Reading;
  /** What the grammar of a plan has no place for. */
  leftover: string[];
}

const WITH_ONE_BLOCK = new Set(['CREATE', 'EXECUTE']);
const WITHOUT_BLOCK = new Set(['READ', 'PRUNE']);
const WITH_MESSAGE = new Set(['CHAT_WITH_USER', 'INVOKE', 'CONCLUDE']);

/** Puts the parts that a reader saw together into a plan. */
export function outline(parts: readonly Part[], lines: readonly string[]): Outline {
  const reading: Reading = { rationale: '', memos: [], actions: [] };
  const leftover: string[] = [];
  const leave = (part: Part, what: string = part.kind) => leftover.push(`line ${part.from + 1}: ${what}`);
  let section = '';

  for (let i = 0; i < parts.length; ) {
    const head = parts[i]!;
    let end = i + 1;
    while (end < parts.length && !isBoundary(parts[end]!)) end++;
    const body = parts.slice(i + 1, end);
    const from = head.to;
    const to = parts[end]?.from ?? lines.length;
    if (!isBoundary(head)) leave(head);
    else if (head.level === 1) {
      if (i > 0) leave(head, 'a second title, or text before the title');
      for (const part of body) if (part.kind !== 'list') leave(part);
    } else if (head.level === 2) {
      section = head.text;
      const block = body.find(({ kind }) => kind === 'block');
      const text = dropNewline(block?.text ?? '');
      if (section === 'Rationale') reading.rationale = text;
      else if (section === 'Memos') reading.memos = text.split('\n');
      else if (section !== 'Action Plan') leave(head, 'an unknown section');
      for (const part of body) if (part !== block) leave(part);
    } else if (section === 'Action Plan') {
      reading.actions.push(action(head.text, body, lines.slice(from, to), from, leave));
    } else leave(head);
    i = end;
  }
  return { reading, leftover };
}

const isBoundary = ({ kind, level }: Part): boolean => kind === 'heading' && level <= 3;

function action(
  type: string,
  body: Part[],
  source: readonly string[],
  offset: number,
  leave: (part: Part, what?: string) => void,
): Deed {
  const list = body[0]?.kind === 'list' ? body[0] : null;
  const metadata = list?.text ?? '';
  const link = metadata.match(/\*\*(?:File Path|Resource):\*\* *\[[^\]]*\]\(\/?([^)\s]*)\)/);
  const deed: Deed = { type, target: link?.[1] ?? '', texts: [] };
  const blocks = body.filter(({ kind }) => kind === 'block');

  if (WITH_MESSAGE.has(type)) {
    const start = list && type !== 'CHAT_WITH_USER' ? list.to - offset : 0;
    deed.texts = [source.slice(start).join('\n').trim()];
    if (type === 'INVOKE') deed.target = metadata.match(/\*\*Agent:\*\* *(.*)/)?.[1] ?? '';
    return deed;
  }
  if (type === 'EDIT') {
    deed.texts = pairs(body.slice(list ? 1 : 0), leave);
    return deed;
  }
  for (const part of body) if (part.kind === 'other' || part.kind === 'heading') leave(part);
  for (const part of body) if (part.kind === 'list' && part !== list) leave(part);
  if (type === 'RESEARCH') deed.texts = blocks.map(({ text }) => dropNewline(text));
  else if (WITH_ONE_BLOCK.has(type)) {
    deed.texts = blocks.slice(0, 1).map(({ text }) => text);
    for (const part of blocks.slice(1)) leave(part, 'a second block');
  } else {
    if (!WITHOUT_BLOCK.has(type)) leave(body[0] ?? NOWHERE, `an unknown action ${type}`);
    for (const part of blocks) leave(part);
  }
  return deed;
}

const NOWHERE: Part = { kind: 'other', from: 0, to: 0, level: 0, text: '' };

function pairs(body: Part[], leave: (part: Part, what?: string) => void): string[] {
  const texts: string[] = [];
  let label = '';
  for (const part of body) {
    const wanted = texts.length % 2 === 0 ? 'FIND:' : 'REPLACE:';
    if (part.kind === 'prose' && part.text.trim() === `\`${wanted}\``) {
      if (label !== '') leave(part, 'a label without its block');
      label = wanted;
    } else if (part.kind === 'block' && label === wanted) {
      texts.push(dropNewline(part.text));
      label = '';
    } else if (part.kind !== 'prose' || label !== '' || wanted === 'REPLACE:') leave(part);
  }
  if (label !== '' || texts.length % 2 === 1) leave(body.at(-1) ?? NOWHERE, 'a FIND without its REPLACE');
  return texts;
}
