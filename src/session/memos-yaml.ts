import { parseDocument } from 'yaml';

type Memos = { status: 'memos'; memos: string[] } | { status: 'refused'; reason: string };

export function parseMemos(text: string): Memos {
  // The failsafe schema has no types but text: a memo `yes` or `42` stays what was written.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { schema: 'failsafe', prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    return {
      status: 'refused',
      reason: `is not valid YAML: ${error.message.split('\n', 1)[0]!.replace(/:$/, '')}`,
    };
  }
  if (document.contents === null) return { status: 'memos', memos: [] };
  const value = toPlain(document);
  if (!Array.isArray(value)) return { status: 'refused', reason: 'is not a list of strings' };
  const odd = value.findIndex((memo) => typeof memo !== 'string');
  if (odd !== -1)
    return { status: 'refused', reason: `is not a list of strings: item ${odd + 1} is not text` };
  return { status: 'memos', memos: value };
}

/** Undefined where aliases would unfold into more than any list of memos could hold. */
function toPlain(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}
