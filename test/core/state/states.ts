import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { StateFacts } from '../../../src/core/state/types.js';

export interface StateFile {
  name: string;
  text: string;
}

const folder = fileURLToPath(new URL('../../corpus/states/', import.meta.url));

/** Files that people could have written, with LF. */
export const STATES: StateFile[] = readdirSync(folder)
  .sort()
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') }));

/** Each of them also with CRLF, with a byte order mark, and without a final newline. */
export const VARIANTS: StateFile[] = STATES.flatMap(({ name, text }) => [
  { name, text },
  { name: `${name}, CRLF`, text: text.replaceAll('\n', '\r\n') },
  { name: `${name}, BOM and CRLF`, text: `\ufeff${text.replaceAll('\n', '\r\n')}` },
  { name: `${name}, open end`, text: text.trimEnd() },
  { name: `${name}, blank end`, text: `${text}\n\n` },
]);

const MINUTE = 60_000;

/** Something of everything. */
export const FACTS = {
  phase: { number: '3', of: 8 },
  plan: { number: '2', of: 5 },
  status: 'Phase complete',
  lastActivity: { date: '2026-01-26', text: 'Completed Task 2: Add execution protocol section' },
  progress: { done: 9, total: 20 },
  velocity: { plansCompleted: 12, averageMs: 28 * MINUTE, totalMs: 336 * MINUTE },
  byPhase: [
    { phase: '1', completed: 5, plans: 5, totalMs: 130 * MINUTE, averageMs: 26 * MINUTE },
    { phase: '3', completed: 0, plans: 8, totalMs: null, averageMs: null },
  ],
  recentPlans: { durationsMs: [25, 32, 28, 22, 31].map((each) => each * MINUTE), trend: 'Declining' },
  blockers: { change: 'add', taskId: '03-01:2', date: '2026-01-26', text: 'the key is missing' },
  session: { at: '2026-01-26T14:32:15Z', stoppedAt: 'Completed Task 2: Add execution protocol section' },
} as const satisfies StateFacts & Record<string, unknown>;

export function withFacts(facts: Partial<StateFacts> = {}): StateFacts {
  return { ...(FACTS as unknown as StateFacts), ...facts };
}

/** What those facts are as text, phase and lists aside. */
export const WRITTEN_FIELDS = {
  plan: '2 of 5 in current phase',
  status: 'Phase complete',
  lastActivity: '2026-01-26 - Completed Task 2: Add execution protocol section',
  progress: '[#########░░░░░░░░░░░] 45%',
  totalPlansCompleted: '12',
  averageDuration: '28 minutes',
  totalExecutionTime: '5h 36m',
  lastPlans: '25m, 32m, 28m, 22m, 31m',
  trend: 'Declining',
  lastSession: '2026-01-26 14:32',
  stoppedAt: 'Completed Task 2: Add execution protocol section',
};

const words = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('Completed Task 2: Parse `<T>`', 'a | b', 'x', '**bold**', '_it_', ''),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: 'grapheme' }) },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.constantFrom(
          '<!--',
          '-->',
          '`',
          '``',
          '\\',
          '|',
          '\n',
          '- ',
          '# ',
          '```',
          '*',
          ':',
          ' ',
          'a',
          '%',
          '(',
        ),
      )
      .map((parts) => parts.join('')),
  },
);
const day = fc.oneof(fc.constantFrom('2026-01-26', '2026-02-03'), words);
const ms = fc.oneof(fc.integer({ min: 0, max: 10 ** 8 }), fc.double());
const count = fc.oneof(fc.nat({ max: 40 }), fc.double());
const number = fc.oneof(fc.constantFrom('1', '2', '03', '2.1', '10', '3a', '03-01', 'setup'), words);

export const anyFacts: fc.Arbitrary<StateFacts> = fc.record(
  {
    phase: fc.record({ number, of: count }),
    plan: fc.record({ number, of: count }),
    status: fc.constantFrom('Ready to execute', 'In progress', 'Blocked', 'Phase complete', 'Complete'),
    lastActivity: fc.record({ date: day, text: words }),
    progress: fc.record({ done: count, total: count }),
    velocity: fc.record({ plansCompleted: count, averageMs: fc.option(ms), totalMs: ms }),
    byPhase: fc.array(
      fc.record({
        phase: number,
        completed: count,
        plans: count,
        totalMs: fc.option(ms),
        averageMs: fc.option(ms),
      }),
      { maxLength: 5 },
    ),
    recentPlans: fc.record({
      durationsMs: fc.array(ms, { maxLength: 7 }),
      trend: fc.constantFrom('Improving', 'Declining', 'Stable', 'Not enough data'),
    }),
    blockers: fc.oneof(
      fc.record({ change: fc.constant('add' as const), taskId: taskIds(), date: day, text: words }),
      fc.record({ change: fc.constant('remove' as const), taskId: taskIds() }),
    ),
    session: fc.record({ at: fc.oneof(fc.constant('2026-01-26T14:32:15Z'), words), stoppedAt: words }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<StateFacts>;

function taskIds(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('03-01:2', '03-01:1', '02-01:3'), words);
}

export function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, '').split(/\r\n|\n/);
}

/** The lines of `before` that are not in `after`, and the other way round, by the longest common subsequence. */
export function diffLines(before: string[], after: string[]): { gone: string[]; come: string[] } {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        before[i] === after[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const gone: string[] = [];
  const come: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) [i, j] = [i + 1, j + 1];
    else if (j < after.length && (i === before.length || lengths[i]![j + 1]! >= lengths[i + 1]![j]!))
      come.push(after[j++]!);
    else gone.push(before[i++]!);
  }
  return { gone, come };
}

/** Whether all of `wanted` stand in `lines`, in their order. */
export function holdsInOrder(lines: string[], wanted: string[]): boolean {
  let next = 0;
  for (const line of lines) if (next < wanted.length && line === wanted[next]) next++;
  return next === wanted.length;
}

const LABEL =
  /^(\|?\s*(?:[-*+] |\d+[.)] )?[*_]{0,3}(?:current )?(?:phase|plan|status|last[ _]activity|progress|total plans completed|(?:average|avg) duration|total execution time|last 5 plans|trend|last session|stopped at)[*_]{0,3}\s*[:|])/i;
/** Rows of By Phase for the phases of the facts. */
const ROW = /^(?:\s*\|\s*)?(?:[^|]*\|\s*)?(?:phase )?0?[13](?:[.-]?[^|\d]*)?\|/i;
const PLACEHOLDER_ROW = /^[|\s-]+$/;
const PLACEHOLDER = /^(?:- |\d\. )?[_([]?(?:none|n\/a)(?: yet)?[.)_\]]*\s*$/i;
const OURS = /^- 03-01:2 \(/;

/** A field's line up to its value. */
export function labelOf(line: string): string | undefined {
  return LABEL.exec(line)?.[1];
}

/** Whether a line may be another one after FACTS were written. */
export function mayChange(line: string): boolean {
  return [LABEL, ROW, PLACEHOLDER_ROW, PLACEHOLDER, OURS].some((shape) => shape.test(line));
}
