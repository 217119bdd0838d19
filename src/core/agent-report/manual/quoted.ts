import { fenceFor } from '../../markdown/fence.js';

/** A text of somebody else as a block that it cannot end. */
export function fenced(text: string, language = 'text'): string {
  const fence = fenceFor(text, '`', 3);
  const end = text.endsWith('\n') ? '' : '\n';
  return `${fence}${language}\n${text}${end}${fence}`;
}

/** A name of somebody else within a line: what could end the line is written as JSON does. */
export function codeSpan(text: string): string {
  const line = /^[^\p{Cc}\u2028\u2029]*$/u.test(text) ? text : JSON.stringify(text);
  const ticks = fenceFor(line, '`', 1);
  const gap = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${gap}${line}${gap}${ticks}`;
}
