import fc from 'fast-check';
import { change } from './subject.js';

const MARKS = ['#', '&', '*', '!', ':', '"', "'", '-', '|', '>', '[', '{', '%', '@', '`', '?', ',', '~'];
const word = fc
  .array(fc.constantFrom(...MARKS, 'a', 'b', '1', 'null', 'é'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));
const gap = fc.constantFrom(' ', ' ', '  ', '\t', '\n  ', '\n    ');

const FIELDS = {
  evidence: (text: string) => ({ 11: `evidence: ${text}`, 12: null, 13: null }),
  error: (text: string) => ({ 14: `error: ${text}` }),
  command: (text: string) => ({ 7: `  command: ${text}` }),
  output_summary: (text: string) => ({ 9: `  output_summary: ${text}` }),
  task_name: (text: string) => ({ 2: `task_name: ${text}` }),
  executor_id: (text: string) => ({ 18: `  executor_id: ${text}` }),
  file: (text: string) => ({ 4: `  - ${text}` }),
};

/** A result in which one text is made of odd words, as somebody types it: without quotes, on one line or several. */
export function typedInto(
  ...fields: (keyof typeof FIELDS)[]
): fc.Arbitrary<{ text: string; words: string[] }> {
  const words = fc.array(word, { minLength: 1, maxLength: 6 });
  const gaps = fc.array(gap, { minLength: 6, maxLength: 6 });
  const names = fields.length > 0 ? fields : (Object.keys(FIELDS) as (keyof typeof FIELDS)[]);
  return fc.tuple(fc.constantFrom(...names), words, gaps).map(([field, all, between]) => {
    const typed = all.map((each, at) => (at === 0 ? each : `${between[at]}${each}`)).join('');
    return { text: change(FIELDS[field](typed.replaceAll('\n', '\n  '))), words: all };
  });
}

/** Quotes around a text and the mark of a block are YAML's own; all else is the executor's. */
export function wordsMissing(words: readonly string[], kept: string): string[] {
  const plain = (each: string) => each.replace(/["'\\]/g, '');
  const all = plain(kept);
  // A comment may come before the mark.
  const isMark = (each: string, at: number) =>
    (at === 0 && /^[|>]/.test(each)) || (words[0]!.startsWith('#') && /^[|>][-+\d]*$/.test(each));
  return words
    .filter((each, at) => !isMark(each, at))
    .map(plain)
    .filter((each) => !/^(?:~|null)?$/.test(each) && !all.includes(each));
}
