import { writePath } from '../json/path.js';
import type { JsonPath, JsonValue } from '../json/types.js';

const LONGEST = 120;

/** A text of somebody else within a sentence of ours: in quotes, on one line, and not without end. */
export function quote(text: string, longest = LONGEST): string {
  if (text.length <= longest) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, longest))}… (${text.length - longest} more characters)`;
}

/** `a`, `a and b`, `a, b, c and 9 more`; `joint` stands for `and`. */
export function list(words: readonly string[], joint = 'and', most = 5): string {
  if (words.length > most) return `${words.slice(0, most).join(', ')} and ${words.length - most} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`;
}

/** A key within a sentence of ours. */
export function nameKey(key: string): string {
  return /^[\w$.-]{1,80}$/.test(key) ? `\`${key}\`` : quote(key);
}

/** A place within a sentence of ours: `report_metadata.status`. */
export function namePlace(path: JsonPath): string {
  if (path.length === 0) return 'the report';
  const written = writePath(path);
  const short = written.startsWith('$.') ? written.slice(2) : written;
  return short.length <= LONGEST ? `\`${short}\`` : `\`${short.slice(0, LONGEST)}…\``;
}

/** What a value is, for the sentence "… is …". */
export function describeValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quote(value)}`;
  return typeof value === 'object' ? 'an object' : String(value);
}
