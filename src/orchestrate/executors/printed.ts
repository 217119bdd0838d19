import type { ProcessOutput } from '../../node/process/types.js';

const LIMITED =
  /rate[ _-]?limit|too many requests|overloaded|resource[ _]exhausted|usage limit|\b(?:429|529)\b|hit your .{0,30}limit/i;
/** A program that fails says why at its end; what its tools printed before is not about itself. */
const LOOKED_AT = 4000;

/** Whether what a program printed before it failed says that too much was asked of its service. */
export function saysLimited(printed: string): boolean {
  return LIMITED.test(printed.slice(-LOOKED_AT));
}

const LAST_LINES = 10;
const LAST_CHARACTERS = 2000;

/** What was printed last, to be put behind a sentence: of the error output, else of the other. */
export function describeOutput({ stdout, stderr }: Printed): string {
  const error = lastLines(stderr);
  if (error !== '') return ` The end of its error output:\n${error}`;
  if (stdout === undefined) return '';
  const output = lastLines(stdout);
  return output === '' ? ' It printed nothing.' : ` The end of its output:\n${output}`;
}

interface Printed {
  stdout?: ProcessOutput;
  stderr: ProcessOutput;
}

function lastLines({ head, tail }: ProcessOutput): string {
  return (tail || head).slice(-LAST_CHARACTERS).trim().split('\n').slice(-LAST_LINES).join('\n');
}
