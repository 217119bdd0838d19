const LONGEST = 120;

/** A text of somebody else within a sentence of ours: in quotes, on one line, and not without end. */
export function quoteValue(text: string): string {
  if (text.length <= LONGEST) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, LONGEST))}… (${text.length - LONGEST} more characters)`;
}

/** `a`, `a and b`, `a, b, c and 9 more` */
export function listWords<T = string>(
  items: readonly T[],
  say: (item: T) => string = String,
  most = 5,
): string {
  const words = items.slice(0, most).map(say);
  if (items.length > most) return `${words.join(', ')} and ${items.length - most} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What a value is, for the sentence "<field> is …". */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quoteValue(value)}`;
  return typeof value === 'object' ? 'a mapping' : String(value);
}
