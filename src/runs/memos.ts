import { isAlias, isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml';
import type { FileEdit } from '../core/tree.js';

type Memos = { status: 'memos'; memos: string[] } | { status: 'refused'; reason: string };

export function parseMemos(text: string): Memos {
  const read = readList(text);
  return read.status === 'refused' ? read : { status: 'memos', memos: read.memos };
}

/**
 * Adds and removes memos, and keeps all else in the file; a memo that is there already, or is not there, is left and reported.
 * `text` is null where there is no file.
 */
export function editMemos(
  text: string | null,
  changes: readonly { op: '+' | '-'; text: string }[],
): FileEdit {
  const read = readList(text ?? '');
  if (read.status === 'refused') return read;
  const { document } = read;
  if (!isSeq(document.contents)) document.contents = new YAMLSeq() as never;
  const list = document.contents as unknown as YAMLSeq;
  const held = new Set(read.memos.map((memo) => memo.trim()));
  const notApplied: string[] = [];
  for (const { op, text: memo } of changes) {
    if (op === '+' && held.has(memo)) notApplied.push(`The memo "${memo}" already exists.`);
    else if (op === '+') list.add(document.createNode(memo));
    else if (held.has(memo)) remove(list, memo);
    else notApplied.push(`The memo "${memo}" does not exist.`);
    if (op === '+') held.add(memo);
    else held.delete(memo);
  }
  list.flow = false;
  const isChanged = notApplied.length < changes.length;
  return { status: 'edited', text: isChanged ? document.toString({ lineWidth: 0 }) : text, notApplied };
}

/** A comment above the memo stays, above what follows it. */
function remove(list: YAMLSeq, memo: string): void {
  const at = list.items.findIndex((item) => isScalar(item) && String(item.value).trim() === memo);
  if (at === -1) return;
  const [removed] = list.items.splice(at, 1);
  const comment = isScalar(removed) ? removed.commentBefore : null;
  if (comment == null) return;
  const next = list.items[at];
  if (isScalar(next)) next.commentBefore = [comment, ...(next.commentBefore ?? [])].join('\n');
  else list.comment = [...(list.comment == null ? [] : [list.comment]), comment].join('\n');
}

function readList(text: string) {
  // The failsafe schema has no types but text: a memo `yes` or `42` stays what was written.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { schema: 'failsafe', prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const reason = `is not valid YAML: ${error.message.split('\n', 1)[0]!.replace(/:$/, '')}`;
    return { status: 'refused', reason } as const;
  }
  if (document.contents === null) return { status: 'memos', document, memos: [] as string[] } as const;
  const value = toPlain(document);
  if (!Array.isArray(value)) return { status: 'refused', reason: 'is not a list of strings' } as const;
  const items = isSeq(document.contents) ? document.contents.items : [];
  const odd = value.findIndex((memo, i) => typeof memo !== 'string' || isAlias(items[i]));
  if (odd !== -1) {
    return { status: 'refused', reason: `is not a list of strings: item ${odd + 1} is not text` } as const;
  }
  return { status: 'memos', document, memos: value as string[] } as const;
}

/** Undefined where aliases would unfold into more than any list of memos could hold. */
function toPlain(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}
