/** At most so many characters, and none of them cut in two. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** The same, with dots in the last place where something is left out. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most - 1)}…`;
}

/** The same, and how much is left out: `begin… (12 more characters)`. */
export function shortenCounted(text: string, most: number): string {
  const shown = cutText(text, most);
  return shown === text ? text : `${shown}… ${countRest(text, shown)}`;
}

/** A text of somebody else within a sentence of ours: in quotes, on one line, and not without end. */
export function quoteExcerpt(text: string, most = 120): string {
  const shown = cutText(text, most);
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown)}… ${countRest(text, shown)}`;
}

function countRest(text: string, shown: string): string {
  return `(${text.length - shown.length} more characters)`;
}

/** On one line, each run of white space one space. */
export function foldText(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
