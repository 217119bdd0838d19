import type { ParseResult, RepairResult } from '../../src/core/plan/types.js';
import type { Case } from './case.js';
import { readPlainly } from './readers.js';
import { difference, type Reading, readingOf } from './reading.js';
import { isWrittenOut } from './written.js';

/**
 * - `exact`: every action and every block is what the author meant, to the byte.
 * - `ambiguous`: the reader said `fence-ambiguous`.
 * - `legal-as-written`: something else was meant, but what was read stands in the text without a fault, so that
 *   nothing could tell: the text is a correct plan as it is and was read as CommonMark reads it; or only a half
 *   of an EDIT is affected, which may hold any number of fences, and its fences are all in place.
 * - `refused`: the plan has an error of another kind. Not silent, but no help either.
 * - `wrong`: everything else, which is wrong in silence.
 */
export type Verdict = 'exact' | 'ambiguous' | 'legal-as-written' | 'refused' | 'wrong';

export const VERDICTS: readonly Verdict[] = ['exact', 'ambiguous', 'legal-as-written', 'refused', 'wrong'];

export interface Judgement {
  verdict: Verdict;
  /** What differs, when the verdict is not `exact`. */
  why: string;
  /** Repairing the repaired text changes nothing. */
  idempotent: boolean;
  /** The twin kept its bytes and says what the plan says; else what went wrong with it. */
  twin: true | string;
}

export type RepairPlan = (text: string) => RepairResult;
export type ParsePlan = (text: string) => ParseResult;

export function judge(subject: Case, repairPlan: RepairPlan, parsePlan: ParsePlan): Judgement {
  const repaired = repairPlan(subject.text);
  return {
    ...verdictOn(subject, repaired, parsePlan),
    idempotent: repairPlan(repaired.text).text === repaired.text,
    twin: twinOf(subject, repairPlan, parsePlan),
  };
}

function verdictOn(
  { text, truth }: Case,
  repaired: RepairResult,
  parsePlan: ParsePlan,
): Pick<Judgement, 'verdict' | 'why'> {
  const { plan, issues } = parsePlan(repaired.text);
  const errors = [...repaired.issues, ...issues].filter(({ severity }) => severity === 'error');
  const ambiguous = errors.find(({ code }) => code === 'fence-ambiguous');
  if (ambiguous) return { verdict: 'ambiguous', why: ambiguous.message };
  if (plan === null) return { verdict: 'refused', why: `unreadable: ${codes(errors)}` };
  const found = readingOf(plan);
  const why = difference(truth, found);
  if (errors.length > 0) return { verdict: 'refused', why: `${why ?? 'exact'} [${codes(errors)}]` };
  if (why === null) return { verdict: 'exact', why: '' };
  const legal = (repaired.text === text && isPlain(text, found)) || isUntold(text, truth, found);
  return { verdict: legal ? 'legal-as-written' : 'wrong', why };
}

function isPlain(text: string, found: Reading): boolean {
  const { reading, leftover } = readPlainly(text);
  return leftover.length === 0 && difference(reading, found) === null;
}

/** The same actions and files, and a text that says what was found without a fault, but not what was meant. */
function isUntold(text: string, truth: Reading, found: Reading): boolean {
  const withoutPairs = (reading: Reading): Reading => ({
    ...reading,
    actions: reading.actions.map((deed) => (deed.type === 'EDIT' ? { ...deed, texts: [] } : deed)),
  });
  if (difference(withoutPairs(truth), withoutPairs(found)) !== null) return false;
  return isWrittenOut(text, found) && !isWrittenOut(text, truth);
}

function twinOf({ twin, truth }: Case, repairPlan: RepairPlan, parsePlan: ParsePlan): true | string {
  const repaired = repairPlan(twin);
  if (repaired.text !== twin || repaired.changed) return 'the twin was changed';
  const { plan, issues } = parsePlan(twin);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (plan === null || errors.length > 0) return `the twin was refused: ${codes(errors)}`;
  return difference(truth, readingOf(plan)) ?? true;
}

const codes = (issues: ReadonlyArray<{ code: string }>): string => issues.map(({ code }) => code).join(' ');
