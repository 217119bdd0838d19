import type { Done } from '../core/report/record.js';

/** An action that came to nothing, and why: a sentence, and maybe more lines on it. */
export function failure(why: string): Done {
  return { status: 'failure', summary: why.split('\n', 1)[0]!, error: { text: `${why}\n` } };
}
