import { type Certainty, isNoAssignment, isSimpleCommand } from './shell-line.js';
import { splitWords, type Word } from './words.js';

const SEPARATORS = new Set(['&&', '||', ';', '&', '\n']);
const OPERATORS = new Set([...SEPARATORS, '|', '|&', ';;', '(', ')']);
/** What a construct begins with, and the word that ends it. */
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['{', '}'],
  ['if', 'fi'],
  ['for', 'done'],
  ['while', 'done'],
  ['until', 'done'],
  ['case', 'esac'],
]);
/** Words behind which a command begins. */
const LEADS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '{', '!', 'time']);
const ENDS = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', ')', ';;']);
/** Nobody nests deeper by hand, and the stack of calls has an end. */
const MOST_NESTED = 24;

/** Whether a text is a command and nothing else. It says no whenever it could be a sentence. */
export function readsAsCommand(text: string, words = splitWords(text)): boolean {
  if (!words || words.length === 0 || !endsPlainly(words.at(-1)!)) return false;
  return new CommandLine(words).isWhole();
}

/** `git log shows it.`: a sentence ends in a full stop, a command hardly ever. */
function endsPlainly({ text, isQuoted }: Word): boolean {
  return isQuoted ? !/["']\.$/.test(text) : !/[\p{L}\p{N})]\.$|[:?]$/u.test(text);
}

/** `A=1`, without a command in it. */
export function setsOnly(words: readonly Word[]): boolean {
  return words.length > 0 && !words.some((word) => isNoAssignment(word) || word.text.includes('$('));
}

/** Which constructs are still open, fed with line after line. */
export class Nesting {
  private readonly closers: string[] = [];

  get isOpen(): boolean {
    return this.closers.length > 0;
  }

  add(words: readonly Word[]): void {
    let isFirst = true;
    for (const { text } of words) {
      const closer = CLOSERS.get(text);
      // A `)` that closes nothing ends a pattern of `case`.
      if (text === this.closers.at(-1) && (isFirst || text === ')')) this.closers.pop();
      else if (closer && (isFirst || text === '(')) this.closers.push(closer);
      isFirst = OPERATORS.has(text) || (isFirst && LEADS.has(text));
    }
  }
}

/** Reads words once, from left to right, by the grammar of the shell. Each read… says whether it found its part. */
class CommandLine {
  private at = 0;
  private nested = 0;
  /** There is more in it than `A=1`, which always succeeds. */
  private doesSomething = false;

  constructor(private readonly words: readonly Word[]) {}

  isWhole(): boolean {
    return this.readList('open') && this.at === this.words.length && this.doesSomething;
  }

  private readList(certainty: Certainty, isInside = false): boolean {
    this.skipLines();
    for (let isLater = isInside; ; isLater = true) {
      if (!this.readPipeline(certainty, isLater)) return false;
      const operator = this.next();
      if (operator === undefined || ENDS.has(operator)) return true;
      if (!SEPARATORS.has(operator)) return false;
      this.at++;
      this.skipLines();
      const following = this.next();
      if (operator.length === 1 && (following === undefined || ENDS.has(following))) return true;
    }
  }

  private readPipeline(around: Certainty, isLater: boolean): boolean {
    let certainty = around;
    for (let isPiped = false; ; isPiped = true) {
      for (; this.next() === '!' || this.next() === 'time'; this.at++)
        if (this.next() === '!' && certainty === 'open') certainty = 'marked';
      if (!this.readCommand(certainty, isPiped, isLater || isPiped)) return false;
      if (!this.take('|') && !this.take('|&')) return true;
      this.skipLines();
    }
  }

  private readCommand(certainty: Certainty, isPiped: boolean, isLater: boolean): boolean {
    const opener = this.next() ?? '';
    if (!CLOSERS.has(opener)) return this.readSimple(certainty, isPiped, isLater);
    if (this.nested >= MOST_NESTED) return false;
    this.at++;
    this.nested++;
    const isRead = this.readConstruct(opener, certainty, isLater);
    this.nested--;
    return isRead && this.readRedirects();
  }

  private readConstruct(opener: string, certainty: Certainty, isLater: boolean): boolean {
    switch (opener) {
      case '(':
        // Remarks stand in parentheses, too: what is in them has to show itself.
        if (certainty === 'shell' && this.next() === '(') return this.skipArithmetic();
        return this.readList(certainty, isLater) && this.take(')');
      case '{':
        return this.readList(certainty === 'open' ? 'marked' : certainty, isLater) && this.take('}');
      case 'if':
        return this.readIf();
      case 'case':
        return this.readCase();
      case 'for':
        return this.readNames() && this.readLoop();
      default:
        return this.readList('shell', true) && this.readLoop();
    }
  }

  private readIf(): boolean {
    do {
      if (!this.readList('shell', true) || !this.take('then') || !this.readList('shell', true)) return false;
    } while (this.take('elif'));
    if (this.take('else') && !this.readList('shell', true)) return false;
    return this.take('fi');
  }

  /** `f in a b;` or `((i = 0; i < 3; i++));` */
  private readNames(): boolean {
    if (this.take('(')) {
      if (!this.skipArithmetic()) return false;
    } else {
      if (!/^[A-Za-z_]\w*$/.test(this.next() ?? '')) return false;
      this.at++;
      if (!this.take('in')) return false;
      while (!this.isOperator()) this.at++;
    }
    if (!this.take(';') && this.next() !== '\n') return false;
    this.skipLines();
    return true;
  }

  private readLoop(): boolean {
    return this.take('do') && this.readList('shell', true) && this.take('done');
  }

  private readCase(): boolean {
    if (this.isOperator()) return false;
    this.at++;
    if (!this.take('in')) return false;
    let count = 0;
    for (this.skipLines(); this.next() !== 'esac'; count++) {
      if (!this.readPattern()) return false;
      this.skipLines();
      const isEmpty = this.next() === ';;' || this.next() === 'esac';
      if (!isEmpty && !this.readList('shell', true)) return false;
      const isLast = !this.take(';;');
      this.skipLines();
      if (isLast && this.next() !== 'esac') return false;
    }
    return count > 0 && this.take('esac');
  }

  /** `a | b)` */
  private readPattern(): boolean {
    this.take('(');
    do {
      if (this.isOperator()) return false;
      this.at++;
    } while (this.take('|'));
    return this.take(')');
  }

  private skipArithmetic(): boolean {
    while (this.at < this.words.length && this.next() !== ')') this.at++;
    return this.take(')') && this.take(')');
  }

  private readSimple(certainty: Certainty, isLed: boolean, isLater: boolean): boolean {
    const from = this.at;
    if (this.next() === '[[') while (!this.take(']]') && this.at < this.words.length) this.at++;
    while (!this.isOperator()) this.at++;
    const operator = this.next() ?? '';
    const isPiped = isLed || operator === '|' || operator === '|&';
    const words = this.words.slice(from, this.at);
    this.doesSomething ||= !setsOnly(words);
    return isSimpleCommand(words, { certainty, isPiped, isLater });
  }

  /** Behind a construct: `done < names.txt`. A text that goes on below (`<<END`) is not read. */
  private readRedirects(): boolean {
    while (!this.isOperator()) {
      const { text } = this.words[this.at++]!;
      if (!/^(?:\d|&)?(?:>>?|<)(?!<)/.test(text)) return false;
      if (!/[><]$/.test(text)) continue;
      if (this.isOperator()) return false;
      this.at++;
    }
    return true;
  }

  private skipLines(): void {
    while (this.next() === '\n') this.at++;
  }

  private next(): string | undefined {
    return this.words[this.at]?.text;
  }

  private isOperator(): boolean {
    const next = this.next();
    return next === undefined || OPERATORS.has(next);
  }

  private take(text: string): boolean {
    if (this.next() !== text) return false;
    this.at++;
    return true;
  }
}
