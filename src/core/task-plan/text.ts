const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Each entity once: `&amp;lt;` is `&lt;`. */
export function resolveEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()]!;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

/** Every run of white space as one space, none at the ends. */
export function joinLines(text: string): string {
  return /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text.trim();
}

/** What is between two offsets, without the blank lines around it, with `\n` between lines. */
export function innerText(text: string, from: number, to: number): string {
  let start = from;
  for (let i = from; i < to && isWhite(text.charCodeAt(i)); i++) if (text[i] === '\n') start = i + 1;
  let end = to;
  while (end > start && isWhite(text.charCodeAt(end - 1))) end--;
  const inner = text.slice(start, Math.max(start, end));
  return inner.includes('\r') ? inner.replaceAll('\r\n', '\n') : inner;
}

export function isBlankChar(code: number): boolean {
  return code === 32 || code === 9;
}

export function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** The first offset from `at` on that holds neither space nor tab. */
export function skipBlanks(text: string, at: number, to = text.length): number {
  let next = at;
  while (next < to && isBlankChar(text.charCodeAt(next))) next++;
  return next;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
