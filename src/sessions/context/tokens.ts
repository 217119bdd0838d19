const CHARACTERS = 4;

/** An estimate, and the only one: models count in ways of their own. */
export function countTokens(text: string): number {
  return tokensOf(text.length);
}

/** Of so many characters. */
export function tokensOf(length: number): number {
  return Math.ceil(length / CHARACTERS);
}

/** The most characters that so many tokens can have. */
export function charactersOf(tokens: number): number {
  return tokens * CHARACTERS;
}
