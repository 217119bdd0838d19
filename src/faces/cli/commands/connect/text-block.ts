// Lines at the end of a file, set off by an empty line. Where the file had no newline at its end, the block has none
// either, so that removing it gives back the file as it was.

/** `block` has no newline at its end. `text` is null where there is no file. */
export function appendBlock(text: string | null, block: string): string {
  if (text === null) return `${block}\n`;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = block.replaceAll('\n', eol);
  if (text === '') return lines;
  return text.endsWith('\n') ? `${text}${eol}${lines}${eol}` : `${text}${eol}${eol}${lines}`;
}

/** The text without the block that is there, as it was before; null where nothing else ever was. */
export function removeBlock(text: string, start: number, end: number): string | null {
  const before = text.slice(0, start);
  const rest = text.slice(end);
  if (before === '') return rest === '\n' ? null : rest.replace(/^\r?\n/, '');
  if (rest === '') return before.replace(/(?:\r?\n){1,2}$/, '');
  return `${before.replace(/(\r?\n)\r?\n$/, '$1')}${rest.replace(/^\r?\n/, '')}`;
}
