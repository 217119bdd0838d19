import {
  cutOff,
  type Fault,
  type FaultPlace,
  type FaultPosition,
  fillWording,
  nameFault,
  nameWord,
  type Wording,
} from './fault.js';
import { decodeJsonText, type LiteralRead, readJsonText, readNumber, readPythonText } from './literals.js';
import { writePath } from './path.js';
import type { JsonPath, JsonProblemCode, JsonRepair } from './values.js';

/** So many levels of arrays and objects in one another, and no more. */
export const DEEPEST = 200;

/** How many steps of a path that is too deep are shown. */
const SHOWN_STEPS = 3;

export interface Trace {
  fault: Fault | null;
  /** The position after the value, or after the part that could be read. */
  to: number;
  /** The value's own keys, as far as it could be read. */
  keys: string[];
  /** How many brackets are open there, and whether a string is. */
  open: number;
  inText: boolean;
  repairs: JsonRepair[];
}

/**
 * Reads one value step by step up to its end or its first fault, without building it. With `repair`, invalid JSON that
 * has only one meaning is accepted. Linear.
 */
export function traceValue(text: string, from: number, { repair = false } = {}): Trace {
  const tracer = new Tracer(text, from, repair);
  const fault = tracer.run();
  const { at, levels, rootKeys, inText, repairs } = tracer;
  repairs.sort((a, b) => a.from - b.from);
  return { fault, to: at, keys: [...rootKeys], open: levels.length, inText, repairs };
}

interface Level {
  kind: 'array' | 'object';
  keys: Set<string>;
  /** The key or the position of what is being read or was read last; null before the first. */
  step: string | number | null;
}

const WORD = /[A-Za-z_$][\w$]*/y;
const LITERALS = ['true', 'false', 'null'];
const WHITE = /[ \n\r\t]*/y;

// What is not JSON and means one thing only.
const COMMENT = /(?:\/\/|#)[^\n]*|\/\*[^*]*\*+(?:[^*/][^*]*\*+)*\//y;
const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

export function skipWhite(text: string, from: number): number {
  WHITE.lastIndex = from;
  WHITE.test(text);
  return WHITE.lastIndex;
}

/** The position after the comment that starts here; undefined if there is none, or it never ends. */
function endOfComment(text: string, at: number): number | undefined {
  COMMENT.lastIndex = at;
  return COMMENT.test(text) ? COMMENT.lastIndex : undefined;
}

/** Whether only white space follows, up to the end of the text or of its fence. */
function endsHere(text: string, at: number): boolean {
  const end = skipWhite(text, at);
  if (end === text.length) return true;
  const isFence = text.startsWith('```', end) || text.startsWith('~~~', end);
  return isFence && text.slice(at, end).includes('\n');
}

class Tracer {
  readonly levels: Level[] = [];
  rootKeys: ReadonlySet<string> = new Set();
  inText = false;
  readonly repairs: JsonRepair[] = [];
  private afterText = false;
  private afterNumber = false;

  constructor(
    private readonly text: string,
    public at: number,
    private readonly repairing: boolean,
  ) {}

  run(): Fault | null {
    let fault = this.readValue();
    while (!fault && this.levels.length > 0) fault = this.readNext(this.levels.at(-1)!);
    return fault;
  }

  /** White space, and comments where these are left out. */
  private skip(): void {
    this.at = skipWhite(this.text, this.at);
    if (!this.repairing) return;
    for (let to = endOfComment(this.text, this.at); to; to = endOfComment(this.text, this.at)) {
      this.repairs.push({ kind: 'comment', from: this.at, to, put: ' ' });
      this.at = skipWhite(this.text, to);
    }
  }

  private readValue(): Fault | null {
    const { text } = this;
    const behind = this.at;
    this.skip();
    const char = text[this.at];
    if (char === undefined) return cutOff(behind, this.path(), 'before the value at');
    this.afterText = char === '"' || char === "'";
    this.afterNumber = /[-+.0-9]/.test(char);
    if (char === '"') return this.readString('inside the string at', () => this.path());
    if (this.readSingleQuoted() !== undefined) return null;
    if (char === '{' || char === '[') return this.openLevel(char === '{' ? 'object' : 'array');
    if (!this.afterNumber) return this.readWord();
    return this.pass(readNumber(text, this.at), 'inside the number at', () => this.path());
  }

  private readWord(): Fault | null {
    const { text, at } = this;
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word !== undefined && LITERALS.includes(word)) {
      this.at += word.length;
      return null;
    }
    const meant = this.repairing && word !== undefined ? PYTHON_WORDS.get(word) : undefined;
    if (meant !== undefined) {
      this.at += word!.length;
      this.repairs.push({ kind: 'word', from: at, to: this.at, put: meant });
      return null;
    }
    if (word && at + word.length === text.length && LITERALS.some((literal) => literal.startsWith(word)))
      return cutOff(text.length, this.path(), 'inside the value at');
    return word === undefined ? this.misplaced('value') : this.invalid(nameWord(word, this.place()));
  }

  private openLevel(kind: Level['kind']): Fault | null {
    const { levels } = this;
    if (levels.length === DEEPEST) {
      const path = this.path().slice(0, SHOWN_STEPS);
      const message = `Arrays and objects are nested more than ${DEEPEST} levels deep, below ${writePath(path)}.`;
      return this.refuse('json-too-deep', { message, hint: 'Write it with fewer levels.' }, path);
    }
    this.at++;
    const keys = new Set<string>();
    if (levels.length === 0) this.rootKeys = keys;
    levels.push({ kind, keys, step: null });
    return null;
  }

  /** Reads what follows an opening bracket or a value: the closing bracket, or a comma and the next value. */
  private readNext(level: Level): Fault | null {
    const { text } = this;
    const behind = this.at;
    const closing = level.kind === 'array' ? ']' : '}';
    this.skip();
    if (text[this.at] === closing) return this.closeLevel(1);
    if (this.isLastBraceMissing(level, behind)) {
      this.at = behind;
      this.repairs.push({ kind: 'brace', from: behind, to: behind, put: '}' });
      return this.closeLevel(0);
    }
    if (this.at === text.length) return this.endInside(level, behind);
    if (level.step !== null) {
      if (text[this.at] !== ',') return this.refuseNext(behind);
      const comma = this.at++;
      this.skip();
      if (this.at === text.length) return this.endInside(level, comma + 1);
      if (text[this.at] === closing) {
        if (!this.repairing) return this.refuseComma(level, comma, closing);
        this.repairs.push({ kind: 'comma', from: comma, to: comma + 1, put: '' });
        return this.closeLevel(1);
      }
    }
    if (level.kind === 'object') return this.readMember(level);
    level.step = typeof level.step === 'number' ? level.step + 1 : 0;
    return this.readValue();
  }

  private closeLevel(length: 0 | 1): null {
    this.at += length;
    this.levels.pop();
    this.afterText = false;
    this.afterNumber = false;
    return null;
  }

  /** All but the outermost object is closed, and its last value is whole: a number might have had more digits. */
  private isLastBraceMissing({ kind, step }: Level, behind: number): boolean {
    const { text, levels, repairing, afterNumber } = this;
    const isOutermost = levels.length === 1 && kind === 'object' && step !== null;
    return repairing && isOutermost && !afterNumber && endsHere(text, behind);
  }

  private endInside({ kind }: Level, at: number): Fault {
    return cutOff(at, this.containerPath(), `inside the ${kind} at`);
  }

  private refuseNext(behind: number): Fault {
    const { text, at, afterText } = this;
    const fault = this.misplaced(afterText ? 'after a string' : 'after a value');
    // A missing comma belongs right after the value.
    const isCommaMissing = /["{[]/.test(text[at]!) || (!afterText && /[\w-]/.test(text[at]!));
    return isCommaMissing ? { ...fault, at: behind } : fault;
  }

  private refuseComma({ kind }: Level, comma: number, closing: string): Fault {
    this.at = comma;
    const path = this.containerPath();
    const message = `Found a comma after the last value of the ${kind} at ${writePath(path)}.`;
    return this.invalid({ message, hint: `Leave out the comma before the closing ${closing}.` }, path);
  }

  private readMember(level: Level): Fault | null {
    const { text, at: from } = this;
    let key = this.readSingleQuoted();
    if (key === undefined) {
      if (text[from] !== '"') return this.misplaced('key', this.containerPath());
      const fault = this.readString('inside a key of the object at', () => this.containerPath());
      if (fault) return fault;
      key = decodeJsonText(text, from, this.at);
    }
    const known = level.keys.has(key);
    level.step = key;
    if (known || key === '__proto__') {
      this.at = from;
      return known ? this.refuseRepeated() : this.refuseProto();
    }
    level.keys.add(key);
    return this.readColon();
  }

  private refuseRepeated(): Fault {
    const { container, value } = this.place();
    return this.refuse('json-key-repeated', {
      message: `The object at ${container} has a key twice: ${value}.`,
      hint: 'Keep one of the two, or combine their values.',
    });
  }

  private refuseProto(): Fault {
    return this.refuse('json-key-forbidden', {
      message: `The object at ${this.place().container} has the key __proto__, which is not accepted.`,
      hint: 'Give this key another name, or leave it out.',
    });
  }

  private readColon(): Fault | null {
    const { text } = this;
    const behind = this.at;
    this.skip();
    if (this.at === text.length) return cutOff(behind, this.path(), 'before the value at');
    if (text[this.at] !== ':') return this.misplaced('colon');
    this.at++;
    return this.readValue();
  }

  private readSingleQuoted(): string | undefined {
    const { text, at } = this;
    const read = this.repairing && text[at] === "'" ? readPythonText(text, at) : undefined;
    if (!read) return undefined;
    this.at = read.to;
    this.repairs.push({ kind: 'quote', from: at, to: read.to, put: JSON.stringify(read.value) });
    return read.value;
  }

  private readString(words: string, pathOf: () => JsonPath): Fault | null {
    const fault = this.pass(readJsonText(this.text, this.at), words, pathOf);
    if (!fault) return null;
    this.inText = true;
    this.at = fault.at;
    return fault;
  }

  /** Moves past the literal. `words` completes "The JSON ends … $.a"; the path is computed only for a fault. */
  private pass(read: LiteralRead, words: string, pathOf: () => JsonPath): Fault | null {
    if (read.status === 'read') {
      this.at = read.to;
      return null;
    }
    const path = pathOf();
    if (read.status === 'cut-off') return cutOff(this.text.length, path, words);
    const place = writePath(path);
    const where = words === 'inside the number at' ? place : `${words} ${place}`;
    return { code: read.code, at: read.at, path, ...fillWording(read.wording, { where }) };
  }

  /** The token here is not the one that the grammar wants. */
  private misplaced(position: FaultPosition, path = this.path()): Fault {
    return this.invalid(nameFault(this.text, this.at, position, this.place()), path);
  }

  private invalid(wording: Wording, path = this.path()): Fault {
    return this.refuse('json-invalid', wording, path);
  }

  private refuse(code: JsonProblemCode, wording: Wording, path = this.path()): Fault {
    return { code, at: this.at, path, ...wording };
  }

  private path(): JsonPath {
    return this.levels.flatMap(({ step }) => step ?? []);
  }

  private containerPath(): JsonPath {
    return this.levels.slice(0, -1).flatMap(({ step }) => step ?? []);
  }

  private place(): FaultPlace {
    return {
      kind: this.levels.at(-1)?.kind,
      container: writePath(this.containerPath()),
      value: writePath(this.path()),
    };
  }
}
