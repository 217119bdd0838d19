import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';

export function requireSize(what: string, text: string, limit: number): void {
  if (new TextEncoder().encode(text).length > limit)
    throw new UserError(`The ${what} is larger than ${limit / MB} MB.`);
}

const LONGEST_KEY = 200;

export function requireKey(key: string): string {
  if (/\S/.test(key) && key.length <= LONGEST_KEY && !/\p{Cc}/u.test(key)) return key;
  throw new UserError(`key must be one line of at most ${LONGEST_KEY} characters.`);
}
