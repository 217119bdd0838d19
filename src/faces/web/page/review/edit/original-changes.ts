import type { ChangeSet, Text } from '@codemirror/state';

// An editor knows only lines. What the user changed is therefore put into the text as it was, so that every line
// ending, lone carriage return and byte order mark that the user did not touch stays.

/** The lines of a text for an editor. A carriage return that does not end a line stays in its line. */
export function editorLines(text: string): string[] {
  return text.split(/\r?\n/);
}

/** The text with the changes that an editor made to its lines. New lines end as most lines of the text do. */
export function applyToOriginal(original: string, changes: ChangeSet): string {
  const offsets = new OriginalOffsets(original);
  const ending = commonEnding(original);
  const parts: string[] = [];
  let from = 0;
  changes.iterChanges((fromA: number, toA: number, _fromB: number, _toB: number, inserted: Text) => {
    parts.push(original.slice(from, offsets.of(fromA)), inserted.toString().replaceAll('\n', ending));
    from = offsets.of(toA);
  });
  return [...parts, original.slice(from)].join('');
}

/** Offsets in an editor, where each line ending is one character, as offsets in the original text. */
class OriginalOffsets {
  /** In the editor: where the lines that end in CRLF end. */
  readonly #pairs: number[] = [];

  constructor(original: string) {
    let count = 0;
    for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2))
      this.#pairs.push(at - count++);
  }

  of(offset: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pairs[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  }
}

function commonEnding(text: string): '\r\n' | '\n' {
  const pairs = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return pairs * 2 > all ? '\r\n' : '\n';
}
