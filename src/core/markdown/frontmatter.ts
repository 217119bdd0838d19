/** Where the YAML of the frontmatter is. */
export interface FrontmatterRange {
  from: number;
  to: number;
  /** Lines before the YAML. */
  linesBefore: number;
  /** Where the document continues after it. */
  next: number;
}

/**
 * The first line that is not blank is `---`, a later one is too. A line that starts with a tag before that shows
 * that the second one is missing: what follows is the document, and no task of it may be lost.
 */
export function findFrontmatter(text: string): FrontmatterRange | 'none' | 'unclosed' {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let linesBefore = 1;
  for (;;) {
    const ink = skipBlanks(text, at);
    const lf = text.indexOf('\n', at);
    if (lf === -1) return 'none';
    if (isRule(text, at, lf)) {
      at = lf + 1;
      break;
    }
    if (ink !== lf && !(text[ink] === '\r' && ink + 1 === lf)) return 'none';
    at = lf + 1;
    linesBefore++;
  }
  const from = at;
  while (at < text.length) {
    const lf = text.indexOf('\n', at);
    const end = lf === -1 ? text.length : lf;
    if (isRule(text, at, end)) return { from, to: at, linesBefore, next: Math.min(end + 1, text.length) };
    if (text[at] === '<' && /[a-z]/i.test(text[at + 1] ?? '')) return 'unclosed';
    at = end + 1;
  }
  return 'unclosed';
}

function isRule(text: string, at: number, end: number): boolean {
  if (!text.startsWith('---', at)) return false;
  const ink = skipBlanks(text, at + 3, end);
  return ink === end || (ink + 1 === end && text[ink] === '\r');
}

function skipBlanks(text: string, at: number, to = text.length): number {
  let i = at;
  while (i < to && (text[i] === ' ' || text[i] === '\t')) i++;
  return i;
}
