import { isProgram } from './programs.js';
import { readsAsCommand } from './shell-grammar.js';
import { oneLine } from './text.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(',').map((words) => words.trim()));

/** What bids to run the command behind it. */
const BIDS = list(
  'run, run:, execute, execute:, please run, then run, run the command, run this, verify with, verify with:, verify by running, verify:, check with, check with:, check by running, check:, test with, test with:, command:, test:',
);
/** What only asks how it ends. */
const CLAIMS = list(
  'check, check that, check if, verify, verify that, confirm, confirm that, ensure, ensure that, make sure, make sure that, running',
);
/** What a command that succeeds is said to do. */
const VERDICTS = list(
  'passes, must pass, should pass, succeeds, must succeed, should succeed, exits 0, exits with 0, exits with code 0, exits with status 0, exits zero, returns 0, is green, and check that it passes, and make sure it passes, and confirm it passes, and check that it succeeds, and confirm that it passes',
);

/**
 * The command of a short sentence that says nothing but that it is to be run, or that it succeeds. With any other word
 * in it, "and look" or "fails", the sentence is for a person.
 */
export function readSpokenCommand(line: string): string | undefined {
  return line.includes('`') ? readSpan(line) : dropVerdict(line);
}

/** Run `npm test`. */
function readSpan(line: string): string | undefined {
  const [before, code, after, ...more] = line.split('`');
  if (before === undefined || code === undefined || after === undefined || more.length > 0) return undefined;
  const lead = oneLine(before).toLowerCase();
  const verdict = oneLine(after).replace(/[.!]$/, '').toLowerCase();
  const isBid = BIDS.has(lead);
  const isSaid = isBid ? verdict === '' || VERDICTS.has(verdict) : isClaim(lead, verdict);
  const command = code.trim();
  if (!isSaid) return undefined;
  const [program, ...args] = command.split(/\s+/);
  const isKnown = isBid && args.length > 0 && isProgram(program!);
  return isKnown || readsAsCommand(command) ? command : undefined;
}

function isClaim(lead: string, verdict: string): boolean {
  return VERDICTS.has(verdict) && (lead === '' || CLAIMS.has(lead));
}

/** `npx tsc --noEmit passes`; without a flag it stays a sentence: "npm test passes". */
function dropVerdict(line: string): string | undefined {
  if (!line.includes(' -')) return undefined;
  const text = line.replace(/\.$/, '');
  for (const verdict of VERDICTS) {
    if (!text.endsWith(` ${verdict}`)) continue;
    const command = text.slice(0, -verdict.length).trimEnd();
    return /\s--?[A-Za-z]/.test(command) && readsAsCommand(command) ? command : undefined;
  }
  return undefined;
}
