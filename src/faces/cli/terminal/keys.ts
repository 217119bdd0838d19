/** One thing typed. `text` is what it would put into a text; keys that put nothing there have a name alone. */
export interface Key {
  name: string;
  text?: string;
}

const PASTE_FROM = '\u001b[200~';
const PASTE_TO = '\u001b[201~';

const CONTROLS: Record<string, string> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

const SEQUENCES: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
};

/**
 * Reads typed text as keys. `rest` is what may be the beginning of a longer sequence; `final` says that no more of it
 * will come, and then there is none.
 */
export function readKeys(typed: string, final: boolean): { keys: Key[]; rest: string } {
  const keys: Key[] = [];
  let at = 0;
  while (at < typed.length) {
    const read = typed[at] === '\u001b' ? readEscape(typed, at, final) : readPlain(typed, at);
    if (read === undefined) break;
    keys.push(read.key);
    at = read.end;
  }
  return { keys, rest: typed.slice(at) };
}

interface KeyRead {
  key: Key;
  end: number;
}

function readPlain(typed: string, at: number): KeyRead {
  const character = String.fromCodePoint(typed.codePointAt(at)!);
  const end = at + character.length;
  const control = CONTROLS[character];
  if (control !== undefined) return { key: { name: control }, end };
  const code = character.charCodeAt(0);
  if (code < 32) return { key: { name: `ctrl-${String.fromCharCode(code + 96)}` }, end };
  return { key: { name: character, text: character }, end };
}

function readEscape(typed: string, at: number, final: boolean): KeyRead | undefined {
  if (typed.startsWith(PASTE_FROM, at)) return readPaste(typed, at, final);
  const next = typed[at + 1];
  if (next === undefined) return final ? { key: { name: 'escape' }, end: at + 1 } : undefined;
  if (next === '[' || next === 'O') {
    const sequence = /^[0-9;:<=>?]{0,20}[ -/]{0,4}[@-~]/.exec(typed.slice(at + 2, at + 32));
    if (sequence !== null)
      return { key: { name: SEQUENCES[sequence[0]] ?? 'unknown' }, end: at + 2 + sequence[0].length };
    if (!final) return undefined;
    return { key: { name: 'unknown' }, end: typed.length };
  }
  if (next === '\r' || next === '\n') return { key: { name: 'alt-enter' }, end: at + 2 };
  if (next === '\u001b') return { key: { name: 'escape' }, end: at + 1 };
  return { key: { name: 'unknown' }, end: at + 1 + String.fromCodePoint(typed.codePointAt(at + 1)!).length };
}

function readPaste(typed: string, at: number, final: boolean): KeyRead | undefined {
  const from = at + PASTE_FROM.length;
  const to = typed.indexOf(PASTE_TO, from);
  if (to === -1 && !final) return undefined;
  const pasted = typed.slice(from, to === -1 ? typed.length : to);
  const end = to === -1 ? typed.length : to + PASTE_TO.length;
  return { key: { name: 'paste', text: pasted.replace(/\r\n?/g, '\n') }, end };
}
