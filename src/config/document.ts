import { createRedactor, type Redactor } from '../core/redact/redactor.js';
import { nearestWord, shorten } from '../core/text.js';
import type { ConfigProblem } from './types.js';

/** In characters. */
const LIMIT = 1024 * 1024;

export type OpenedDocument =
  | { status: 'open'; value: unknown; problems: Problems; lineOf: (path: KeyPath) => number }
  | { status: 'refused'; problems: ConfigProblem[] };

/** A YAML file that a user wrote for teddy, as a value, with a place for its problems. */
export async function openDocument(file: string, text: string): Promise<OpenedDocument> {
  if (text.length > LIMIT) {
    return refuse({ file, line: null, key: null, message: 'The file is larger than 1 MB.' });
  }
  // YAML is costly to load, and most projects have no such file.
  const { parseYaml } = await import('../core/yaml.js');
  const read = parseYaml(text);
  if (read.status === 'refused') {
    return refuse({ file, line: read.line, key: null, message: `The file ${read.reason}.` });
  }
  const problems = new Problems(file, read.lineOf);
  return { status: 'open', value: read.value, problems, lineOf: read.lineOf };
}

function refuse(problem: ConfigProblem): OpenedDocument {
  return { status: 'refused', problems: [problem] };
}

/** A mapping, or nothing at all; anything else is a problem, and counts as nothing. */
export function readMapping(value: unknown, path: KeyPath, problems: Problems): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.add(path, 'is not a mapping; write "key: value" lines');
  return {};
}

export function readDocumentList(value: unknown, path: KeyPath, problems: Problems): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  problems.add(path, 'is not a list; start each item with "- "');
  return [];
}

export type KeyPath = readonly (string | number)[];

/** Enough for a person; a hostile file has no end of them. */
const MOST = 50;

/** Collects what is wrong with one file, each with its line and key. */
export class Problems {
  readonly list: ConfigProblem[] = [];

  constructor(
    private readonly file: string,
    private readonly lineOf: (path: KeyPath) => number | null,
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

  /** An unknown key: what it may have been meant for. `elsewhere` holds whole paths. */
  addUnknown(path: KeyPath, known: readonly string[], elsewhere: readonly string[] = []): void {
    const name = String(path.at(-1));
    const near = nearestWord(name, known) ?? elsewhere.find((other) => other.split('.').at(-1) === name);
    if (namesSecret(name)) this.add(path, `is a secret, judging by its name; ${FROM_ENVIRONMENT}`);
    else if (near === undefined) this.add(path, `is unknown; known here: ${known.join(', ')}`);
    else this.add(path, `is unknown; did you mean ${near}`, '?');
  }

  /** Every text of the file, known key or not. */
  addSecrets(value: unknown, path: KeyPath = []): void {
    if (this.full) return;
    if (typeof value === 'string') {
      if (holdsSecret(value)) this.add(path, `looks like a key or a password; ${FROM_ENVIRONMENT}`);
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

let redactor: Redactor | undefined;

/** Whether a text holds what looks like a key or a password: what a report would mask. */
export function holdsSecret(text: string): boolean {
  redactor ??= createRedactor({ hash: () => '00000000' });
  return redactor.mask(text) !== text;
}

/** Whether a key's own name says that its value would be a secret. */
function namesSecret(key: string): boolean {
  const folded = key.toLowerCase().replace(/[-_ ]/g, '');
  return (
    /apikey|secret|password|passwd|passphrase|credential|bearer|privatekey|accesskey/.test(folded) ||
    /^(?:key|token|auth|authorization|pass|pwd)$|token$/.test(folded)
  );
}

const FROM_ENVIRONMENT =
  'keys come from the environment, never from this file: put the key in a variable and set keyEnv to its name';
