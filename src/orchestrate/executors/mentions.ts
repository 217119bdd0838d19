/**
 * An `@` at which a word begins, as claude takes it for a file that it is to put in; behind a letter or a digit, as in an
 * address of mail, only one that begins a path.
 */
const MENTION = /(?<![\p{L}\p{N}_])@(?=[^\s@])|@(?=[/~.\\])/gu;

const NOTE = `In this text a space stands behind every at sign at which a word begins, as in "@ name", so that no file is put in by its
name. Wherever you write such a word, write it without that space.

`;

/** The same text without mentions of files, and a note on how they are written, where there is one. */
export function withoutMentions(prompt: string): string {
  const plain = prompt.replace(MENTION, '@ ');
  return plain === prompt ? prompt : `${NOTE}${plain}`;
}
