import type { AttemptFiles, AttemptRecord, OpenQuestion } from '../../../../orchestrate/attempt-records.js';
import type { FailureKind } from '../../../../orchestrate/events.js';
import { quoteWord } from '../../held-input.js';
import { plural } from '../../issue-lines.js';
import { visibleLine } from '../../visible.js';
import { exactTime } from './amounts.js';

const LONGEST = 300;

/** How an attempt ended, for a sentence such as "3 attempts failed (timed out)". */
const KINDS: Record<FailureKind, string> = {
  reported: 'reported as failed',
  invalid: 'no valid result',
  verification: 'not verified',
  vacuous: 'no test ran',
  conflict: 'did not merge',
  crash: 'crashed',
  'rate-limit': 'rate limit',
  'time-out': 'timed out',
};

const WHY: Record<Exclude<OpenQuestion['why'], 'attempts-exhausted'>, string> = {
  blocked: 'it is blocked',
  checkpoint: 'it is for a person',
  'verify-changed': 'its <verify> was changed',
  'cannot-land': 'its work cannot land',
  unusable: 'it could not be worked on',
  budget: 'what it may cost is used up',
};

/** Why a person is asked, in a few words. */
export function summarizeQuestion({ why, failures }: OpenQuestion): string {
  if (why !== 'attempts-exhausted') return WHY[why];
  const kinds = [...new Set(failures)].map((kind) => KINDS[kind]);
  return kinds.length === 0
    ? 'its attempts failed'
    : `${plural(failures.length, 'attempt')} failed (${kinds.join(', ')})`;
}

/** What to type, and what else. */
export function describeAnswers(id: string, { why }: OpenQuestion): string {
  const [first, others] =
    why === 'checkpoint' ? ['done', 'skip, abort'] : ['retry', '"fix: …", skip, abort, done'];
  return `teddy task resolve ${quoteWord(id)} ${first}   (or ${others})`;
}

/** Sentences and what was printed on one line, the first of it where it is long. */
export function shortenMessage(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= LONGEST) return line;
  return `${line.slice(0, line.lastIndexOf(' ', LONGEST) + 1 || LONGEST).trimEnd()} … (${line.length} characters in all)`;
}

/** Each attempt, how it ended and where to read more; the files of a number that was made again stand with the last. */
export function attemptLines(attempts: readonly (AttemptRecord & AttemptFiles)[]): string[] {
  return attempts.flatMap((each, at) => {
    const isLast = !attempts.slice(at + 1).some(({ attempt }) => attempt === each.attempt);
    const files = isLast ? [...(each.output === null ? [] : [each.output]), ...each.patches] : [];
    return [
      `  ${each.attempt}  ${visibleLine(each.executor)}: ${describeEnd(each)}`,
      ...(each.reason === null ? [] : [`     ${visibleLine(shortenMessage(each.reason))}`]),
      ...files.map((path) => `     ${visibleLine(path)}`),
    ];
  });
}

function describeEnd({ outcome, why, durationMs }: AttemptRecord): string {
  const time = exactTime(durationMs);
  switch (outcome) {
    case 'done':
      return `done in ${time}`;
    case 'failed':
      return `failed after ${time} (${KINDS[why ?? 'reported']})`;
    case 'blocked':
      return `blocked after ${time}`;
    case 'cut-off':
      return 'cut off, and does not count';
  }
}
