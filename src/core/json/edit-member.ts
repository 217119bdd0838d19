// One member of an object within JSON, with or without comments, is added or removed; every other byte stays.

interface Member {
  key: string;
  start: number;
  value: Node;
}

interface Node {
  start: number;
  end: number;
  /** Undefined where it is no object. */
  members?: Member[];
}

/**
 * `{ "group": { "name": value } }` is added; to nothing (null) as a whole file. No two texts become the same one, so that
 * `removeMember` finds the one it was. Undefined where the text has a form in which that is not safe.
 */
export function addMember(
  text: string | null,
  group: string,
  name: string,
  value: unknown,
): string | undefined {
  const whole = JSON.stringify({ [group]: { [name]: value } }, null, 2);
  if (text === null) return `${whole}\n`;
  if (text.trim() === '') return `${text}${whole}`;
  const root = parse(text);
  const holder = root?.members?.find(({ key }) => key === group)?.value;
  if (root?.members === undefined) return undefined;
  if (holder === undefined) return insert(text, root, group, { [name]: value });
  if (holder.members === undefined || holder.members.some(({ key }) => key === name)) return undefined;
  return insert(text, holder, name, value);
}

/** What is there under that name, as written; undefined where nothing is. */
export function memberText(text: string, group: string, name: string): string | undefined {
  const value = findHolder(text, group)?.members?.find(({ key }) => key === name)?.value;
  return value && text.slice(value.start, value.end);
}

/**
 * The text as it was before `addMember`, null for no file. If it has been edited since, the member goes, and its group if
 * that is empty then. Undefined where there is no such member.
 */
export function removeMember(text: string, group: string, name: string): string | null | undefined {
  const root = parse(text);
  const holder = findHolder(text, group);
  const member = holder?.members?.find(({ key }) => key === name);
  if (root?.members === undefined || holder?.members === undefined || member === undefined) return undefined;
  const value = readValue(text.slice(member.value.start, member.value.end));
  const without = cut(text, holder, name);
  const withoutGroup = cut(text, root, group);
  const possible = value === undefined ? [] : [null, text.slice(0, root.start), withoutGroup, without];
  const before = possible.find((each) => addMember(each, group, name, value) === text);
  if (before !== undefined) return before;
  const isEmpty = /^\{\s*\}$/.test(without.slice(holder.start, holder.end - (text.length - without.length)));
  return isEmpty ? withoutGroup : without;
}

function findHolder(text: string, group: string): Node | undefined {
  return parse(text)?.members?.find(({ key }) => key === group)?.value;
}

function insert(text: string, object: Node, name: string, value: unknown): string {
  const members = object.members!;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = members.at(-1);
  const short = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  if (last === undefined) return `${text.slice(0, object.start + 1)}${short}${text.slice(object.start + 1)}`;
  const inner = indentAt(text, members[0]!.start);
  const body = JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eol}${inner}`);
  const { end } = last.value;
  const comma = commaAfter(text, end);
  const head = comma === undefined ? `${text.slice(0, end)},` : text.slice(0, comma + 1);
  const rest = text.slice(comma === undefined ? end : comma + 1);
  // A comment behind the last member stays behind it.
  const line = /^[^\r\n{}]*?(?=\r?\n)/.exec(rest)?.[0];
  const isOneLine = line === undefined || !/^[ \t]*(?:\/\/.*|\/\*.*\*\/[ \t]*)?$/.test(line);
  const more = comma === undefined ? '' : ',';
  if (isOneLine) return `${head} ${short}${more}${rest}`;
  return `${head}${line}${eol}${inner}${JSON.stringify(name)}: ${body}${more}${rest.slice(line.length)}`;
}

function cut(text: string, object: Node, name: string): string {
  const members = object.members!;
  const at = members.findIndex(({ key }) => key === name);
  const { start, value } = members[at]!;
  const comma = commaAfter(text, value.end);
  const before = members[at - 1];
  const blank = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0].length;
  const end = comma === undefined ? value.end : comma + 1;
  const rest = text.slice(end);
  if (comma !== undefined || before === undefined) return `${text.slice(0, start - blank)}${rest}`;
  // It was the last one: the comma before it goes, too.
  const earlier = commaAfter(text, before.value.end)!;
  return `${text.slice(0, earlier)}${text.slice(earlier + 1, start - blank)}${rest}`;
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function commaAfter(text: string, at: number): number | undefined {
  const next = skip(text, at);
  return text[next] === ',' ? next : undefined;
}

/** Past white space and comments. */
function skip(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(text[at] ?? 'x') || text[at] === '\ufeff') at++;
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end === -1 ? text.length : end + 2;
    } else return at;
  }
}

const DEEPEST = 200;

/** Undefined where it is not JSON with comments. */
function parse(text: string): Node | undefined {
  const root = parseValue(text, skip(text, 0), 0);
  return root !== undefined && skip(text, root.end) === text.length ? root : undefined;
}

function parseValue(text: string, start: number, depth: number): Node | undefined {
  if (depth > DEEPEST) return undefined;
  if (text[start] === '{') return parseObject(text, start, depth);
  if (text[start] === '[') return parseList(text, start, depth);
  if (text[start] === '"') return parseText(text, start);
  const word = /^[-+.\w]+/.exec(text.slice(start, start + 400))?.[0];
  return word === undefined ? undefined : { start, end: start + word.length };
}

function parseText(text: string, start: number): Node | undefined {
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return { start, end: at + 1 };
  }
  return undefined;
}

function parseList(text: string, start: number, depth: number): Node | undefined {
  let at = skip(text, start + 1);
  while (text[at] !== ']') {
    const item = parseValue(text, at, depth + 1);
    if (item === undefined) return undefined;
    at = skip(text, item.end);
    if (text[at] === ',') at = skip(text, at + 1);
    else if (text[at] !== ']') return undefined;
  }
  return { start, end: at + 1 };
}

function parseObject(text: string, start: number, depth: number): Node | undefined {
  const members: Member[] = [];
  let at = skip(text, start + 1);
  while (text[at] !== '}') {
    const key = text[at] === '"' ? parseText(text, at) : undefined;
    const colon = key && skip(text, key.end);
    if (key === undefined || text[colon!] !== ':') return undefined;
    const value = parseValue(text, skip(text, colon! + 1), depth + 1);
    if (value === undefined) return undefined;
    members.push({ key: readKey(text.slice(key.start, key.end)), start: key.start, value });
    at = skip(text, value.end);
    if (text[at] === ',') at = skip(text, at + 1);
    else if (text[at] !== '}') return undefined;
  }
  return { start, end: at + 1, members };
}

function readKey(quoted: string): string {
  return (readValue(quoted) as string | undefined) ?? quoted;
}

/** Undefined where it has comments. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
