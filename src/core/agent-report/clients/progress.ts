import { textAt } from '../../json/members.js';
import { readJson } from '../../json/read.js';
import { isJsonObject, type JsonObject } from '../../json/values.js';

/** Much longer events hold files: they say nothing about what happens next. */
const LONGEST_EVENT = 1_000_000;

/** Turns the events that a client prints, one per line, into a plain line each; those that say nothing are left out. */
export class ProgressLines {
  private partial = '';

  constructor(private readonly describeEvent: (event: JsonObject) => string | null) {}

  /** The lines of the events that this text completes, each with its end. */
  push(text: string): string {
    const lines = (this.partial + text).split('\n');
    this.partial = lines.pop() ?? '';
    if (this.partial.length > LONGEST_EVENT) this.partial = this.partial.slice(0, LONGEST_EVENT);
    return lines.map((line) => this.describe(line)).join('');
  }

  private describe(line: string): string {
    if (line.length >= LONGEST_EVENT) return '';
    if (!line.trimStart().startsWith('{')) return `${line}\n`;
    const read = readJson(line);
    const event = read.status === 'value' && isJsonObject(read.value) ? read.value : null;
    const said = event && this.describeEvent(event);
    return said ? `${firstLine(said)}\n` : '';
  }
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0]!;
}

/** What tools name what they work on, the most telling first. */
const SUBJECTS = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description'];

/** `Bash: npm test` */
export function describeTool(name: string | null, input: JsonObject | null): string {
  const subject = input && SUBJECTS.map((key) => textAt(input, key)).find((text) => text !== null);
  return [name ?? 'a tool', ...(subject ? [subject] : [])].join(': ');
}
