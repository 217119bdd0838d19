// What stands inside one line: code spans, comments, and text of ours that must stay on its line.

/** Code spans of one line as pairs of offsets, the end excluded. One that goes on in the next line is none here. */
function codeSpans(line: string): [number, number][] {
  const runs: { at: number; length: number; next: number }[] = [];
  for (let at = line.indexOf('`'); at !== -1; at = line.indexOf('`', at)) {
    const from = at;
    while (line[at] === '`') at++;
    runs.push({ at: from, length: at - from, next: -1 });
  }
  const later = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i]!;
    run.next = later.get(run.length) ?? -1;
    later.set(run.length, i);
  }
  const spans: [number, number][] = [];
  for (let i = 0; i < runs.length; i++) {
    const { at, length, next } = runs[i]!;
    const isEscaped = length === 1 && line[at - 1] === '\\';
    if (next === -1 || isEscaped) continue;
    spans.push([at, runs[next]!.at + length]);
    i = next;
  }
  return spans;
}

/** Where the next `<!--` outside code spans stands; -1 where there is none. */
export function findComment(line: string, from = 0): number {
  let at = line.indexOf('<!--', from);
  if (at === -1 || !line.includes('`')) return at;
  for (const [start, end] of codeSpans(line)) {
    if (at === -1 || at < start) return at;
    if (at < end) at = line.indexOf('<!--', end);
  }
  return at;
}

/** One line of text that opens no comment, no code span that it does not close, and closes none of other people. */
export function fieldText(text: string): string {
  const folded = foldSpace(text).replaceAll('<!--', '&lt;!--').replaceAll('-->', '--&gt;');
  const closed = outsideCode(folded, (part) => part.replaceAll('`', "'"));
  let end = closed.length;
  while (end > 0 && (closed[end - 1] === '\\' || closed[end - 1] === ' ')) end--;
  return closed.slice(0, end);
}

/** A phase or an id without anything that Markdown would read. */
export function plainName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}.:_/-]+/gu, ' ').replace(/^[^\p{L}\p{N}]+/u, '');
  return plain.trim() || '?';
}

const ITEM_LENGTH = 200;

/** Text of a list item, cut where it is long: no tag of it ends the list. */
export function itemText(text: string): string {
  return escapeTags(cut(fieldText(text)));
}

/** Whether `itemText` could have written it: nothing in it that it would have escaped or folded. */
export function isItemText(text: string): boolean {
  return text !== '' && escapeTags(fieldText(text)) === text;
}

function cut(text: string): string {
  if (text.length <= ITEM_LENGTH) return text;
  const last = text.charCodeAt(ITEM_LENGTH - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${fieldText(text.slice(0, ITEM_LENGTH - (isHalf ? 2 : 1)))}…`;
}

function escapeTags(text: string): string {
  return outsideCode(text, (part) => part.replace(/<(?=[A-Za-z/!?])/g, '&lt;'));
}

function outsideCode(text: string, change: (part: string) => string): string {
  let out = '';
  let done = 0;
  for (const [start, end] of codeSpans(text)) {
    out += change(text.slice(done, start)) + text.slice(start, end);
    done = end;
  }
  return out + change(text.slice(done));
}

/** White space and control characters, line ends among them, become single spaces. */
function foldSpace(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

export function isItem(line: string): boolean {
  return /^\s{0,40}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line);
}

export function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)![0].length;
}
