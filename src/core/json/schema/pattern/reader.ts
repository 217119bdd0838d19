/** A pattern on its way to being read. A problem ends it: from then on it is at its end, so that every loop ends too. */
export interface Reader {
  readonly characters: readonly string[];
  at: number;
  /** Of groups. */
  readonly names: Set<string>;
  /** The first one: completes the sentence "The pattern …". */
  problem: string | null;
}

export function startReading(source: string): Reader {
  return { characters: [...source], at: 0, names: new Set(), problem: null };
}

export function isAtEnd({ at, characters }: Reader): boolean {
  return at >= characters.length;
}

export function peek({ characters, at }: Reader, ahead = 0): string {
  return characters[at + ahead] ?? '';
}

export function next(reader: Reader): string {
  return reader.characters[reader.at++] ?? '';
}

/** Goes past a text if it stands here. */
export function skip(reader: Reader, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (peek(reader, index) !== text[index]) return false;
  }
  reader.at += text.length;
  return true;
}

/** All characters from here that are wanted, `most` at the most. */
export function takeWhile(reader: Reader, wanted: RegExp, most: number): string {
  const from = reader.at;
  while (reader.at - from < most && wanted.test(peek(reader))) reader.at++;
  return reader.characters.slice(from, reader.at).join('');
}

export function fail(reader: Reader, problem: string): null {
  reader.problem ??= problem;
  reader.at = reader.characters.length;
  return null;
}
