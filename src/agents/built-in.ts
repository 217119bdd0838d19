import implementer from './built-in/implementer.md';
import investigator from './built-in/investigator.md';
import reviewer from './built-in/reviewer.md';

/** The manuals that come with the program, by name. */
export const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ['implementer', implementer],
  ['investigator', investigator],
  ['reviewer', reviewer],
]);
