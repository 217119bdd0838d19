import { fenceFor } from '../../core/markdown/lines.js';

/** A section of ours: nothing that others wrote stands in it outside a fence, but on one line. */
export function section(heading: string, ...paragraphs: readonly string[]): string {
  return `${[heading, ...paragraphs].join('\n\n')}\n`;
}

/** A block that nothing in `text` can end. */
export function toFencedBlock(text: string, language = ''): string {
  const fence = fenceFor(text);
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${fence}${language}\n${body}${fence}`;
}

/** What others wrote, on one line: what would end it is made visible. */
export function toOneLine(text: string): string {
  if (!/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)) return text;
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}
