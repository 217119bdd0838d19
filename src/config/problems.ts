import { nearestWord } from '../core/nearest.js';
import { shorten } from '../core/shorten.js';
import { FROM_ENVIRONMENT, holdsSecret, namesSecret } from './secret.js';
import type { ConfigProblem } from './types.js';

export type KeyPath = readonly (string | number)[];

/** Enough for a person; a hostile file has no end of them. */
const MOST = 50;

/** Collects what is wrong with one file, each with its line and key. */
export class Problems {
  readonly list: ConfigProblem[] = [];

  constructor(
    private readonly file: string,
    private readonly lineOf: (path: KeyPath) => number,
  ) {}

  get full(): boolean {
    return this.list.length >= MOST;
  }

  /** Whether something in a top-level group is wrong already. */
  hasIn(group: string): boolean {
    return this.list.some(({ key }) => key?.startsWith(`${group}.`));
  }

  /** `reason` completes the sentence "<key> …". */
  add(path: KeyPath, reason: string, end = '.'): void {
    if (this.full) return;
    const key = keyText(path);
    this.list.push({
      file: this.file,
      line: this.lineOf(path),
      key: key === '' ? null : key,
      message: `${key === '' ? 'The file' : key} ${reason}${end}`,
    });
  }

  /** A key that nobody knows: what it may have been meant for. `elsewhere` holds whole paths. */
  addUnknown(path: KeyPath, known: readonly string[], elsewhere: readonly string[] = []): void {
    const name = String(path.at(-1));
    const near = nearestWord(name, known) ?? elsewhere.find((other) => other.split('.').at(-1) === name);
    if (namesSecret(name)) this.add(path, `is a secret by its name; ${FROM_ENVIRONMENT}`);
    else if (near === undefined) this.add(path, `is not known; known here: ${known.join(', ')}`);
    else this.add(path, `is not known; did you mean ${near}`, '?');
  }

  /** Every text of the file, known key or not. */
  addSecrets(value: unknown, path: KeyPath = []): void {
    if (this.full) return;
    if (typeof value === 'string') {
      if (holdsSecret(value))
        this.add(path, `holds what looks like a key or a password; ${FROM_ENVIRONMENT}`);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.addSecrets(item, [...path, index]);
    } else if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) this.addSecrets(item, [...path, key]);
    }
  }
}

/** `rules[2].path`, where positions count from 1. */
function keyText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step + 1}]`;
    const name = holdsSecret(step)
      ? '…'
      : /^[\w*-]{1,60}$/.test(step)
        ? step
        : JSON.stringify(shorten(step, 60));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
