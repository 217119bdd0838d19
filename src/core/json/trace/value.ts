import { writePath } from '../path.js';
import type { JsonPath, JsonProblemCode, JsonRepair } from '../types.js';
import { cutOff, type Fault, skipWhite, type Wording } from './fault.js';
import {
  isCommaMissing,
  nameColonFault,
  nameKeyFault,
  nameNextFault,
  nameValueFault,
  type Place,
} from './name-fault.js';
import { readNumber } from './number.js';
import { decodeJsonText, readJsonText } from './text.js';
import { endOfComment, endsHere, PYTHON_WORDS, readPythonText } from './tolerance.js';

/** So many levels of arrays and objects in one another, and no more. */
export const DEEPEST = 200;

/** Of a path that is too deep, what tells where to look. */
const SHOWN_STEPS = 3;

export interface Trace {
  fault: Fault | null;
  /** Behind the value, or how far it could be read. */
  to: number;
  /** The value's own keys, as far as it could be read. */
  keys: string[];
  /** How many brackets are open there, and whether a text is. */
  open: number;
  inText: boolean;
  repairs: JsonRepair[];
}

/**
 * Reads one value step by step up to its end or its first fault, and makes nothing of it. With `repair`, what is no JSON
 * but has only one meaning is no fault. Linear.
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
    if (char === '"') return this.readString(() => [this.path(), 'inside the text at']);
    if (this.readSingleQuoted() !== undefined) return null;
    if (char === '{' || char === '[') return this.openLevel(char === '{' ? 'object' : 'array');
    return this.afterNumber ? this.readDigits() : this.readWord();
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
    return this.invalid(nameValueFault(text, at, word, this.place()));
  }

  private readDigits(): Fault | null {
    const read = readNumber(this.text, this.at);
    if (read.status === 'cut-off') return cutOff(this.text.length, this.path(), 'inside the number at');
    if (read.status === 'fault') return this.invalid(read.say(writePath(this.path())));
    this.at = read.to;
    return null;
  }

  private openLevel(kind: Level['kind']): Fault | null {
    const { levels } = this;
    if (levels.length === DEEPEST) {
      const path = this.path().slice(0, SHOWN_STEPS);
      const message = `Arrays and objects stand in one another more than ${DEEPEST} levels deep, below ${writePath(path)}.`;
      return this.refuse('json-too-deep', { message, hint: 'Write it with fewer levels.' }, path);
    }
    this.at++;
    const keys = new Set<string>();
    if (levels.length === 0) this.rootKeys = keys;
    levels.push({ kind, keys, step: null });
    return null;
  }

  /** What comes behind an opening bracket or a value: the closing bracket, or a comma and what is next. */
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
    const wording = nameNextFault(text, at, afterText, this.place());
    if (isCommaMissing(text, at, afterText)) this.at = behind;
    return this.invalid(wording);
  }

  private refuseComma({ kind }: Level, comma: number, closing: string): Fault {
    this.at = comma;
    const path = this.containerPath();
    const message = `A comma stands behind the last value of the ${kind} at ${writePath(path)}.`;
    return this.invalid({ message, hint: `Leave out the comma before the closing ${closing}.` }, path);
  }

  private readMember(level: Level): Fault | null {
    const { text, at: from } = this;
    let key = this.readSingleQuoted();
    if (key === undefined) {
      if (text[from] !== '"') {
        const path = this.containerPath();
        return this.invalid(nameKeyFault(text, from, writePath(path)), path);
      }
      const fault = this.readString(() => [this.containerPath(), 'inside a key of the object at']);
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
      message: `A key stands twice in the object at ${container}: ${value}.`,
      hint: 'Keep one of the two, or make one value of both.',
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
    if (text[this.at] !== ':') return this.invalid(nameColonFault(text, this.at, writePath(this.path())));
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

  /** `where` is asked for only when something is wrong. */
  private readString(where: () => [path: JsonPath, words: string]): Fault | null {
    const read = readJsonText(this.text, this.at);
    if (read.status === 'text') {
      this.at = read.to;
      return null;
    }
    this.inText = true;
    const [path, words] = where();
    if (read.status === 'cut-off') {
      this.at = this.text.length;
      return cutOff(this.at, path, words);
    }
    const { code, at, say } = read.fault;
    this.at = at;
    return this.refuse(code, say(`${words} ${writePath(path)}`), path);
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

  private place(): Place {
    return {
      kind: this.levels.at(-1)?.kind,
      container: writePath(this.containerPath()),
      value: writePath(this.path()),
    };
  }
}
