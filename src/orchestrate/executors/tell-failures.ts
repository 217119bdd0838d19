import { fenceFor } from '../../core/markdown/fence.js';
import type { FailureKind } from '../events.js';
import type { ExecutorFailure } from './failure.js';

const KINDS: Readonly<Record<FailureKind, string>> = {
  reported: 'whoever tried said that it failed',
  invalid: 'what was printed is no valid result',
  verification: 'the verification did not pass',
  vacuous: 'the verification passed without having checked anything',
  conflict: 'the changes did not go together with what others had changed meanwhile',
  crash: 'it ended without a result',
  'rate-limit': 'the service had no room for it',
  'time-out': 'it took too long',
};

/** The earliest say least about what to do now. */
const MOST_FAILURES = 5;
const MOST_FILES = 50;
const LONGEST_REASON = 8000;
const LONGEST_EVIDENCE = 4000;

export interface Told {
  /** In their order. */
  failures: readonly ExecutorFailure[];
  /** What a person wants to be done otherwise. */
  fix: string | null;
  /** Secrets become masks. */
  mask(text: string): string;
}

/** What a person says, and then what went wrong before; empty where there is nothing to tell. */
export function describeFailures({ failures, fix, mask }: Told): string {
  const last = failures.slice(-MOST_FAILURES);
  const earlier = failures.length - last.length;
  return [
    ...(fix === null
      ? []
      : [`# What a person wants to be done\n\nThis goes before all else:\n\n${quote(fix)}`]),
    ...(failures.length === 0 ? [] : ['# What went wrong before\n', LEAD]),
    ...(earlier === 0 ? [] : [`${earlier} earlier attempts are not told here.\n`]),
    ...last.map((failure) => describeFailure(failure, mask)),
  ].join('\n');
}

const LEAD = `This task was tried before, and it is not done. None of those changes is in your folder, unless you find it there.
Find out why it failed, and do not do the same again.
`;

function describeFailure(failure: ExecutorFailure, mask: Told['mask']): string {
  const { attempt, kind, reason, evidence, filesChanged } = failure;
  return [
    `## Attempt ${attempt}: ${KINDS[kind]}\n`,
    quote(cut(mask(reason), LONGEST_REASON)),
    ...(evidence === null
      ? []
      : [`What was tried, in its own words:\n\n${quote(cut(mask(evidence), LONGEST_EVIDENCE))}`]),
    ...(filesChanged === null ? [] : [`${describeFiles(filesChanged)}\n`]),
  ].join('\n');
}

function describeFiles(files: readonly string[]): string {
  if (files.length === 0) return 'It changed no file.';
  const more = files.length - MOST_FILES;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `It changed ${files.slice(0, MOST_FILES).join(', ')}${rest}.`;
}

function quote(text: string): string {
  const marks = fenceFor(text, '`', 3);
  return `${marks}\n${text.trimEnd()}\n${marks}\n`;
}

/** Most is said at the beginning, and what failed last at the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const [head, tail] = [text.slice(0, most / 2), text.slice(-most / 2)].map(dropHalves);
  return `${head}\n… ${text.length - most} characters are left out here …\n${tail}`;
}

/** Where a character was cut in two. */
function dropHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}
