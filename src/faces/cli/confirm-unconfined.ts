import { UserError } from '../../node/errors.js';
import type { GlobalOptions } from './output.js';

interface Unconfined {
  root: string;
  /** Why it cannot be confined, in whole sentences. */
  why: string;
  /** What it can do then: a sentence. */
  risk: string;
  /** What is asked: start `it`, or `them`. */
  what: string;
}

/** Asks whether programs that cannot be confined may run anyway. Throws `UserError` if not: a script must use the option. */
export async function confirmUnconfined(
  { root, why, risk, what }: Unconfined,
  options: GlobalOptions,
): Promise<void> {
  if (!options.json) {
    const { confirm } = await import('./review/terminal-review.js');
    const question = {
      root,
      title: `Start ${what} without confinement?`,
      about: `${why} ${risk}`,
      texts: [],
    };
    const answer = await confirm({ ...question, yes: `start ${what}`, no: 'start nothing' }, options);
    if (answer === 'yes') return;
    if (answer !== 'no-terminal') throw new UserError('Nothing was started.');
  }
  throw new UserError(`${why} To run ${what} without confinement, pass --unconfined.`);
}
