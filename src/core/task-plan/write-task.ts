import type { Item } from './checkboxes.js';
import type { TaskPlace } from './parse.js';
import type { Splice } from './splices.js';

/** What a new task says. */
export interface NewTask {
  /** On one line. */
  name: string;
  files: readonly string[];
  verify: string | null;
  action: string | null;
  done: string | null;
}

interface WrittenTask extends NewTask {
  /** Positions; null: no attribute. */
  dependsOn: readonly number[] | null;
}

/** A new `<task>` at a position, indented like its neighbour, with a checkbox where the others have one. */
export function writeTask(
  text: string,
  places: readonly TaskPlace[],
  position: number,
  task: WrittenTask,
): Splice[] {
  const eol = lineEnding(text);
  const before = places.slice(0, position - 1).toReversed();
  const near = before[0];
  if (!near) return [appendTask(text, elementText(task, { eol, indent: '', inner: '  ' }), eol)];
  // A task can be inside the one before it.
  const end = Math.max(...before.map(({ element }) => endOfInk(text, element!.body.end)));
  const indent = indentBefore(text, near.element!.tag.at);
  const source = elementText(task, { eol, indent, inner: innerIndent(text, near) });
  const gap = before[1] && text.slice(endOfInk(text, before[1].element!.body.end), near.element!.tag.at);
  const separator = gap !== undefined && /^\s*\n\s*$/.test(gap) ? gap : eol + eol + indent;
  const box = before.find(({ item }) => item !== undefined)?.item;
  return [{ from: end, to: end, text: separator + source }, ...(box ? writeItem(text, box, task.name) : [])];
}

/** A new checkbox behind another one, in its form. */
export function writeItem(text: string, { at, tickAt, ...item }: Item, name: string): Splice[] {
  const marker = text
    .slice(at, tickAt - 1)
    .replace('\uFEFF', '')
    .replace(/\d+/, (number) => String(Number(number) + 1));
  const end = endOfItem(text, { at, tickAt, ...item });
  return [{ from: end, to: end, text: `${lineEnding(text)}${marker}[ ] ${name}` }];
}

/** After the lines below an item that belong to it, because they are indented more. */
export function endOfItem(text: string, { at, end: textEnd }: Item): number {
  const depth = indentOf(text, text.charCodeAt(at) === 0xfeff ? at + 1 : at);
  let end = textEnd;
  for (let next = text.indexOf('\n', end); next !== -1; ) {
    const start = next + 1;
    next = text.indexOf('\n', start);
    const line = text.slice(start, next === -1 ? undefined : next);
    if (line.trim() === '') continue;
    if (indentOf(text, start) <= depth || line.trimStart().startsWith('<')) break;
    end = start + line.trimEnd().length;
  }
  return end;
}

/** The space before a tag that starts its line. */
function indentBefore(text: string, at: number): string {
  const lead = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).replace('\uFEFF', '');
  return lead.trim() === '' ? lead : '';
}

function indentOf(text: string, at: number): number {
  let to = at;
  while (text[to] === ' ' || text[to] === '\t') to++;
  return to - at;
}

function endOfInk(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
}

/** The first one in the file. */
export function lineEnding(text: string): string {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The space before the first element of a task. */
export function innerIndent(text: string, { element }: TaskPlace): string {
  const { tag } = element!;
  const space = /^[ \t]*\r?\n([ \t]*)</.exec(text.slice(tag.end, tag.end + 200));
  return space?.[1] ?? `${indentBefore(text, tag.at)}  `;
}

interface Style {
  eol: string;
  indent: string;
  inner: string;
}

function elementText({ name, files, verify, action, done, dependsOn }: WrittenTask, style: Style): string {
  const { eol, indent, inner } = style;
  const step = inner.startsWith(indent) && inner !== indent ? inner.slice(indent.length) : '  ';
  const part = (tag: string, value: string | null) =>
    value === null ? [] : [`${inner}<${tag}>${value.replaceAll(/\r?\n/g, eol)}</${tag}>`];
  const depends = dependsOn === null ? '' : ` depends_on="${dependsOn.join(',')}"`;
  const automated = verify && `${eol}${inner}${step}<automated>${asText(verify)}</automated>${eol}${inner}`;
  return [
    `<task type="auto"${depends}>`,
    ...part('name', asText(name)),
    ...part('files', files.length === 0 ? null : writeFiles(files)),
    ...part('action', action ?? asText(name.replace(/^task\s*\d+:\s*/i, ''))),
    ...part('verify', automated),
    ...part('done', done ?? (verify && 'The verify command succeeds.')),
    `${indent}</task>`,
  ].join(eol);
}

/** As `<files>` has them. */
export function writeFiles(files: readonly string[]): string {
  return files.map(asText).join(', ');
}

function appendTask(text: string, source: string, eol: string): Splice {
  const end = text.length;
  const isOpen = text !== '' && !text.endsWith('\n');
  const isBlank = /^\uFEFF?$|\n\r?\n$/.test(text.slice(-4));
  return {
    from: end,
    to: end,
    text: `${isOpen ? eol : ''}${isBlank ? '' : eol}${source}${isOpen ? '' : eol}`,
  };
}

/** Words as text of an element: tags and entities in them are written as entities. */
export function asText(words: string): string {
  return words.replace(/&(?=#?\w{1,8};)/g, '&amp;').replace(/<(?=[/a-z!])/gi, '&lt;');
}
