import { isAlias, isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml';

type Memos = { status: 'memos'; memos: string[] } | { status: 'refused'; reason: string };

/** One change of a list of memos. */
interface Change {
  op: '+' | '-';
  text: string;
}

export function parseMemos(text: string): Memos {
  const read = readList(text);
  return read.status === 'refused' ? read : { status: 'memos', memos: read.memos };
}

/** The text with memos added and removed, all else in it kept; null for no file. */
export function editMemoList(text: string | null, changes: readonly Change[]): Memos & { text?: string } {
  const read = readList(text ?? '');
  if (read.status === 'refused') return read;
  const { document, memos } = read;
  if (!isSeq(document.contents)) document.contents = new YAMLSeq() as never;
  const list = document.contents as unknown as YAMLSeq;
  for (const { op, text: memo } of changes) {
    if (op === '+') list.add(document.createNode(memo));
    else remove(list, memo);
  }
  list.flow = false;
  return { status: 'memos', memos, text: document.toString({ lineWidth: 0 }) };
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
