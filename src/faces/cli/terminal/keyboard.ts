import { monotonicMs, sleep } from '../../../node/clock.js';
import type { Tty } from '../../../node/terminal/tty.js';

/** Keys closer together than this were not pressed one by one. */
const BURST_MS = 30;
/** Escape sequences arrive at once; a lone Esc is a key. */
const SEQUENCE_MS = 50;
/** Pastes may take longer to arrive. */
const PASTE_MS = 1000;
/** How long the keyboard must be idle before a question accepts an answer. */
const QUIET_MS = 120;

type Input =
  | { kind: 'key'; key: Key }
  /** Several keys at once, or a paste; never an answer. */
  | { kind: 'burst' }
  /** The screen must be redrawn. */
  | { kind: 'redraw' }
  /** The terminal was closed. */
  | { kind: 'ended' };

/** Thrown by pending reads when `unless` is aborted. */
export class Abandoned extends Error {}

const ESCAPE: Input = { kind: 'key', key: { name: 'escape' } };

/** Reads keys from the terminal between `open` and `close`. */
export class Keyboard {
  readonly #tty: Tty;
  readonly #leaving: () => void;
  readonly #queue: Input[] = [];
  #decoder = new TextDecoder();
  #pending = '';
  #mode: 'answers' | 'text' | 'deaf' = 'deaf';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #signal: AbortSignal | undefined;
  #abandoned: AbortSignal | undefined;
  #lastByte = 0;
  #ended = false;

  /** `leaving` is called before the terminal is released, for any reason. */
  constructor(tty: Tty, leaving: () => void) {
    this.#tty = tty;
    this.#leaving = leaving;
  }

  open(): void {
    if (this.#stop !== undefined) return;
    this.#forget();
    this.#mode = 'deaf';
    this.#stop = this.#tty.listen({
      bytes: (chunk) => this.#onBytes(chunk),
      redraw: () => this.#push({ kind: 'redraw' }),
      leaving: this.#leaving,
      ended: () => {
        this.#ended = true;
        this.#push({ kind: 'ended' });
      },
    });
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#forget();
  }

  /** Drops earlier input, except Ctrl-C, and waits until the keyboard is idle. */
  async quieten(): Promise<void> {
    const interrupted = this.#queue.some(isInterrupt);
    this.#forget();
    if (interrupted) this.#push({ kind: 'key', key: { name: 'ctrl-c' } });
    this.#mode = 'deaf';
    this.#lastByte = monotonicMs();
    for (;;) {
      const left = this.#lastByte + QUIET_MS - monotonicMs();
      if (left <= 0 || this.#ended || this.#queue.some(isInterrupt)) break;
      await sleep(left);
    }
  }

  /** Whether another key is waiting. */
  get hasMore(): boolean {
    return this.#queue.length > 0;
  }

  /** Stops the process as Ctrl-Z does. The screen must be redrawn when it continues. */
  suspend(): void {
    this.#tty.stop();
  }

  /** Reads within `work` return Esc once `signal` is aborted. */
  async within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const wake = () => this.#wake?.();
    this.#signal = signal;
    signal.addEventListener('abort', wake);
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', wake);
      this.#signal = undefined;
    }
  }

  /** Reads within `work` throw `Abandoned` once `signal` is aborted. */
  async unless<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const wake = () => this.#wake?.();
    this.#abandoned = signal;
    signal.addEventListener('abort', wake);
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', wake);
      this.#abandoned = undefined;
    }
  }

  /** Reads one key as an answer. */
  answer(): Promise<Input> {
    return this.#next('answers');
  }

  /** Reads one key of text, or any key that is not an answer. */
  key(): Promise<Input> {
    return this.#next('text');
  }

  async #next(mode: 'answers' | 'text'): Promise<Input> {
    this.#mode = mode;
    for (;;) {
      if (this.#abandoned?.aborted) throw new Abandoned();
      if (this.#signal?.aborted) return ESCAPE;
      const input = this.#queue.shift();
      if (input !== undefined) return input;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #onBytes(chunk: Uint8Array): void {
    this.#lastByte = monotonicMs();
    const typed = this.#decoder.decode(chunk, { stream: true });
    if (typed.includes('\u0003') && !this.#pending.includes('\u001b[200~')) {
      this.#forgetPending();
      this.#push({ kind: 'key', key: { name: 'ctrl-c' } });
      return;
    }
    if (this.#mode === 'deaf') return;
    this.#pending += typed;
    clearTimeout(this.#timer);
    if (this.#mode === 'answers') this.#timer = setTimeout(() => this.#settle(), this.#patience(BURST_MS));
    else this.#readText();
  }

  #readText(): void {
    const { keys, rest } = readKeys(this.#pending, false);
    this.#pending = rest;
    this.#pushText(keys);
    if (rest !== '') {
      this.#timer = setTimeout(() => {
        const last = readKeys(this.#pending, true).keys;
        this.#pending = '';
        this.#pushText(last);
      }, this.#patience(SEQUENCE_MS));
    }
  }

  /** Terminals that do not mark pastes send them at once, so an Enter that is not last is a line break. */
  #pushText(keys: readonly Key[]): void {
    const isPaste = keys.slice(0, -1).some(({ name }) => name === 'enter');
    for (const key of keys)
      this.#push({ kind: 'key', key: isPaste && key.name === 'enter' ? { name: 'newline' } : key });
  }

  #settle(): void {
    const { keys } = readKeys(this.#pending, true);
    this.#pending = '';
    const [key] = keys;
    if (key === undefined) return;
    this.#push(keys.length > 1 || key.name === 'paste' ? { kind: 'burst' } : { kind: 'key', key });
  }

  #patience(usual: number): number {
    return this.#pending.includes('\u001b[200~') && !this.#pending.includes('\u001b[201~') ? PASTE_MS : usual;
  }

  #push(input: Input): void {
    if (input.kind === 'redraw' && this.#queue.some(({ kind }) => kind === 'redraw')) return;
    this.#queue.push(input);
    this.#wake?.();
  }

  #forget(): void {
    this.#queue.length = 0;
    if (this.#ended) this.#queue.push({ kind: 'ended' });
    this.#forgetPending();
  }

  #forgetPending(): void {
    clearTimeout(this.#timer);
    this.#pending = '';
    this.#decoder = new TextDecoder();
  }
}

function isInterrupt(input: Input): boolean {
  return input.kind === 'key' && input.key.name === 'ctrl-c';
}

/** One key press. `text` is what it inserts, if anything. */
interface Key {
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
  // Shift-Enter, in terminals that report it.
  '13;2u': 'alt-enter',
  '27;2;13~': 'alt-enter',
};

/**
 * Splits input into keys. `rest` may be an incomplete sequence; it is empty if `final`, because no more input
 * follows.
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
