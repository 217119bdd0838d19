import { splitHidden } from '../../../core/text.js';

// The parts of a receipt. Every text in them is escaped, and hidden characters are shown by number.

export type Pair = readonly [name: string, value: string];

export function chapter(title: string, parts: readonly string[], note: string | null = null): string[] {
  if (parts.length === 0 && note === null) return [];
  return [`<h2>${title}</h2>`, ...(note === null ? [] : [`<p>${showText(note)}</p>`]), ...parts];
}

export function block(look: string, parts: readonly string[]): string {
  return [`<section class="${look}">`, ...parts, '</section>'].join('\n');
}

export function facts(pairs: readonly Pair[], look = ''): string {
  const rows = pairs.map(
    ([name, value]) => `<dt>${showText(name)}</dt><dd class="${look}">${showText(value)}</dd>`,
  );
  return `<dl>${rows.join('\n')}</dl>`;
}

export function details(name: string, text: string): string {
  return `<details><summary>${name}</summary>${pre(text)}</details>`;
}

export function pre(text: string, lookOf: (line: string) => string = () => ''): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return `<pre>${lines.map((line) => `<span class="${lookOf(line)}">${showText(line)}\n</span>`).join('')}</pre>`;
}

/** As text, with hidden characters as `<U+202E>`. */
export function showText(text: string): string {
  return splitHidden(text)
    .map((part) => (part.hidden ? `<mark>${escapeText(part.text)}</mark>` : escapeText(part.text)))
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeText(text: string): string {
  const plain = splitHidden(text).map((part) => part.text);
  return plain.join('').replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
