// Placeholders for omitted lines: `// ... existing code ...`, `# rest of the file unchanged`. Written into a file,
// such a line would replace the code that it omits.

export interface Elision {
  /** The line, trimmed. */
  text: string;
  /** Counted from 0. */
  line: number;
  /** It states that something is left out; `// ...` alone does not. */
  isCertain: boolean;
}

/** Other meanings of a lone `...`, by kind of file: none, a statement, the end of a document, prose. */
type FileKind = 'code' | 'c' | 'python' | 'prose' | 'other';

const KINDS: readonly (readonly [FileKind, RegExp])[] = [
  ['python', /\.pyi?$/i],
  ['c', /\.(?:c|h|cc|cpp|cxx|hpp|m|mm)$/i],
  ['code', /\.(?:[cm]?[jt]sx?|java|kts?|go|rs|cs|swift|php|rb|scala|dart|s?css|less|sql|json|sh)$/i],
  ['prose', /(?:\.(?:md|mdx|markdown|txt|rst|adoc|tex)|(?:^|\/)[A-Z]+)$/],
];

function kindOf(path: string): FileKind {
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other';
}

/** Longer lines are code, or prose of their own. */
const LONGEST = 160;
const MENTIONED =
  /\.{3}|…|\b(?:rest|remainder|existing|other|remaining|previous|omitted|truncated|elided|else|same as before)\b/i;

/** The first line of a text for `path` that is a placeholder and that `isKnown` does not accept. */
export function findElision(
  text: string,
  path: string,
  isKnown: (line: string) => boolean,
): Elision | undefined {
  if (!MENTIONED.test(text)) return undefined;
  const kind = kindOf(path);
  let faint: Elision | undefined;
  let before = '';
  let inFence = false;
  for (const [line, raw] of text.split('\n').entries()) {
    const trimmed = raw.trim();
    if (trimmed === '') continue;
    if (kind === 'prose' && /^(?:```|~~~)/.test(trimmed)) inFence = !inFence;
    const grade = inFence ? undefined : gradeLine(trimmed, before, kind);
    before = trimmed;
    if (grade === undefined || isKnown(trimmed)) continue;
    const found = { text: trimmed, line, isCertain: grade === 'certain' };
    if (found.isCertain) return found;
    faint ??= found;
  }
  return faint;
}

/** Whether a line may be a placeholder, in a file of any kind. */
export function isElision(line: string): boolean {
  return gradeLine(line.trim(), '', 'code') !== undefined;
}

const COMMENT = /^(?:\/\/+|#+|\/\*+|<!--|\{\/\*+|--|;+|%+|\*)\s*(.*)$/;
const HTML_COMMENT = /^<!--\s*(.*)$/;
const COMMENT_END = /\s*(?:\*+\/\}?|-->)$/;
const LEADING_DOTS = /^(?:\.{3,}|…)/;
const TRAILING_DOTS = /(?:\.{3,}|…)$/;
const ONLY_DOTS = /^(?:\.{3,}|…)$/;

function gradeLine(line: string, before: string, kind: FileKind): 'certain' | 'faint' | undefined {
  if (line.length > LONGEST) return undefined;
  const comment = (kind === 'prose' ? HTML_COMMENT : COMMENT).exec(line)?.[1]?.replace(COMMENT_END, '');
  const body = unbracket(comment ?? line);
  if (ONLY_DOTS.test(body)) {
    const isText = body === line && !isInvalidAlone(before, kind);
    return isText || (comment === undefined && body !== line) ? undefined : 'faint';
  }
  const words = body.replace(LEADING_DOTS, '').replace(TRAILING_DOTS, '').trim();
  const [leads, trails] = [LEADING_DOTS.test(body), TRAILING_DOTS.test(body)];
  // `...rest` spreads a variable.
  const isSpread = comment === undefined && body === line && /^\.{3}[\w$([{]/.test(line) && !trails;
  if (isSpread || words === '') return undefined;
  if (leads && (trails || kind !== 'prose') && OMITTED_AFTER_DOTS.test(words)) return 'certain';
  if (comment === undefined) return undefined;
  if (leads && trails) return 'certain';
  if (trails && OMITTED_BEFORE_DOTS.test(words)) return 'certain';
  return OMITTED.some((pattern) => pattern.test(words)) ? 'certain' : undefined;
}

/** Whether a line of only `...` cannot be real content of the file. */
function isInvalidAlone(before: string, kind: FileKind): boolean {
  switch (kind) {
    case 'code':
      return true;
    // The body of a stub, and a parameter.
    case 'python':
      return !/[:"']$/.test(before);
    case 'c':
      return !/[,(]$/.test(before);
    case 'prose':
    case 'other':
      return false;
  }
}

function unbracket(text: string): string {
  return /^\[.*\]$|^\(.*\)$|^<.*>$|^\{.*\}$/.test(text) ? text.slice(1, -1).trim() : text;
}

const OMITTED_AFTER_DOTS =
  /^[[(]?(?:the |all |your |our |any )?(?:existing|rest|remaining|remainder|other|previous|same|unchanged|more|imports?|omitted|keep|snip|truncated|as before|no changes?|original|code|implementation)\b/i;
const OMITTED_BEFORE_DOTS = /^(?:the )?(?:existing|rest of|remaining|remainder|unchanged|same as before)\b/i;

const WHOLE =
  '(?:file|code|function|method|class|implementation|module|component|imports|contents?|tests|body|document|script|logic|config|configuration)';
const STAYS =
  '(?:(?:is |are |remains? |stays? )?(?:unchanged|the same|as before|as is|omitted)|(?:goes |continues )?here)';

/** Comments without dots that only state that something is left out. */
const OMITTED: readonly RegExp[] = [
  new RegExp(
    `^(?:the )?(?:rest|remainder)(?: of (?:the |this |your )?(?:[\\w-]+ ){0,2}${WHOLE})(?: ${STAYS})?\\.?$`,
    'i',
  ),
  new RegExp(`^(?:the )?(?:rest|remainder)(?: of (?:the |this |your )?[\\w-]+)? ${STAYS}\\.?$`, 'i'),
  new RegExp(`^existing (?:code|contents?|implementation)(?: ${STAYS})?\\.?$`, 'i'),
  new RegExp(`^(?:existing|other|remaining|previous) (?:[\\w-]+ ){1,3}${STAYS}\\.?$`, 'i'),
  new RegExp(`^(?:everything|all) else ${STAYS}\\.?$`, 'i'),
  /^(?:[\w-]+ ){0,4}(?:omitted|truncated|elided) for (?:brevity|clarity|space)\.?$/i,
  /^same as before\.?$/i,
];
