/** How many words a text holds. */
export function countWords(text) {
  return text.split(' ').length;
}

/** How many lines a text holds. */
export function countLines(text) {
  return text.split('\n').length;
}
