import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import { WRITTEN_FIELDS, withFacts } from './states.js';

const SOAK = process.env.TEDDY_SOAK === '1';
const RUNS = { numRuns: SOAK ? 20_000 : 300 };
const MINUTE = 60_000;

/** Every field: values that say no more than the template, and values that do. */
const VALUES: Record<string, { plain: string[]; more: string[] }> = {
  Phase: {
    plain: ['3 of 8', '2/8', '03', '-', '**2** of 8', '[X] of [Y]', '3 of 8 (Oven)', '07-oven'],
    more: ['4 — Q', '2 of 8 (Oven) — Q', 'All Q phases done', '3 of 8, Q', 'Q'],
  },
  Plan: {
    plain: ['1 of 5 in current phase', '2/5', '03-02', 'Not started', '0 of TBD', ''],
    more: ['2 of 2 + 02-0Q complete', '1 of 3 Q', 'Q', '1 of 3 in current phase (Q)', '02 Q'],
  },
  Status: {
    plain: ['In progress', 'ready to plan', '**Blocked**', 'Phase complete', '_Paused_', 'None', ''],
    more: ['In progress — Q', 'Plan Q complete', 'Q', 'Complete. Q.', 'Blocked (Q)', 'done; Q'],
  },
  'Last activity': { plain: ['-', '2026-01-25', ''], more: ['2026-01-25 — Q planned', 'Q', '2026-01-25: Q'] },
  Progress: {
    plain: ['[####░░░░] 50%', '50%', '`[==>  ]` 44 %', '██░░ 33%', '-', ''],
    more: ['[##] 10% (Q/9 plans)', '6/11 plans Q', '[--] Q', '50% Q'],
  },
  'Total plans completed': { plain: ['3', '[N]', '**4**', ''], more: ['31 (Q)', 'Q', '3 of Q'] },
  'Average duration': {
    plain: ['28 minutes', '1.5 hours', '-', 'N/A', '[X] min', '~5 min/plan', '3m 34s', ''],
    more: ['20–25 min Q', '5 min (Q)', 'Q'],
  },
  'Total execution time': { plain: ['5h 36m', '0 hours', '2h10m', '~0.4 hours', ''], more: ['7h (Q)', '~Q'] },
  'Last 5 plans': {
    plain: ['25m, 32m', '-', '5 min', '96s, 142s', ''],
    more: ['02-01 (Q 15min), 02-02 (20m)', '9m, 8m (avg: Q)', 'Q'],
  },
  Trend: { plain: ['Stable', 'Not enough data', '`Improving`', '?', ''], more: ['Stable (Q)', 'Q is slow'] },
  'Last session': {
    plain: ['2026-01-25 10:00', '2026-01-25', 'never', '2026-01-25T10:00:00.123Z', ''],
    more: ['2026-01-25 (Q)', 'Q'],
  },
  'Stopped at': { plain: ['-', ''], more: ['Phase 2 Q', 'Q', 'done with Q; next: 02-02'] },
};
const SECTIONS = [
  ['## Current Position', '', ['Phase', 'Plan', 'Status', 'Last activity', 'Progress']],
  ['## Performance Metrics', '**Velocity:**', Object.keys(VALUES).slice(5, 8)],
  ['', '**Recent Trend:**', ['Last 5 plans', 'Trend']],
  ['## Session Continuity', '', ['Last session', 'Stopped at']],
] as const;
const STYLES = [
  (label: string, value: string) => `${label}: ${value}`,
  (label: string, value: string) => `- **${label}:** ${value}`,
  (label: string, value: string) => `* ${label}: ${value} <!-- why -->`,
  (label: string, value: string) => `__${label}__: ${value}`,
];
const TABLE = ['| Phase | Plans | Total | Avg/Plan |', '|-------|-------|-------|----------|'];
const ROWS = [
  '| 1 | 5 | 40min | 8min |',
  '| 02-oven | 2/2 | 9m | ~4.5 min |',
  '| Phase 03 P01 | 4min | 2 tasks | 7 files |',
];

interface Shape {
  text: string;
  /** The values that say more, each with a word of its own. */
  more: string[];
}

const shapes: fc.Arbitrary<Shape> = fc
  .record({
    style: fc.constantFrom(...STYLES),
    chosen: fc.record(
      Object.fromEntries(
        Object.entries(VALUES).map(([label, { plain, more }]) => [
          label,
          fc.oneof(
            fc.constantFrom(...plain).map((value) => ({ value, isMore: false })),
            fc.constantFrom(...more).map((value) => ({ value, isMore: true })),
          ),
        ]),
      ),
    ),
    asTable: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.constantFrom('', '\ufeff'),
  })
  .map(({ style, chosen, asTable, eol, bom }) => {
    const lines: string[] = ['---', 'status: executing', '---', '# State', '', '> Status: quoted', ''];
    const more: string[] = [];
    for (const [heading, caption, labels] of SECTIONS) {
      lines.push(heading, '', ...(caption ? [caption, ''] : []));
      const isTable = asTable && caption === '';
      if (isTable) lines.push('| Field | Value |', '|---|---|');
      for (const label of labels) {
        const { value, isMore } = chosen[label]!;
        const said = isMore ? value.replace('Q', `Q${more.length}x`) : value;
        if (isMore) more.push(said);
        lines.push(isTable ? `| ${label} | ${said} |` : style(label, said));
      }
      lines.push('', `Human ${heading}.`, '');
      if (caption === '**Velocity:**') lines.push('**By Phase:**', '', ...TABLE, ...ROWS, '');
    }
    return { text: bom + lines.join(eol) + eol, more };
  });

const later = withFacts({
  phase: { number: '4', of: 9 },
  plan: { number: '1', of: 2 },
  status: 'Blocked',
  lastActivity: { date: '2026-02-03', text: 'Blocked Task 9: Reap' },
  progress: { done: 20, total: 21 },
  velocity: { plansCompleted: 13, averageMs: 5 * MINUTE, totalMs: 5000 },
  recentPlans: { durationsMs: [MINUTE], trend: 'Not enough data' },
  session: { at: '2026-02-03T01:02:03Z', stoppedAt: 'Blocked Task 9: Reap' },
});

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test('every field has the template’s form, and whatever said more is there once, to the letter', () => {
  fc.assert(
    fc.property(shapes, ({ text, more }) => {
      const once = updateState(text, withFacts()).text;
      const fields = readState(once);
      expect(fields).toMatchObject({
        phase: expect.stringMatching(/^3 of 8(?: \(.*\))?$/),
        ...WRITTEN_FIELDS,
      });
      for (const value of more) {
        expect(occurrences(once, value), value).toBe(1);
        const line = once.split(/\r?\n/).find((each) => each.includes(value))!;
        expect(line).toMatch(/^(?:\| |[-*] )?[*_]{0,2}Earlier[*_:| ]/);
      }
      expect(occurrences(once, 'Earlier')).toBe(more.length);
    }),
    RUNS,
  );
});

test('an update changes no other byte, twice is once, and the next one keeps nothing more', () => {
  fc.assert(
    fc.property(shapes, ({ text, more }) => {
      const once = updateState(text, withFacts()).text;
      expect(updateState(once, withFacts()).text).toBe(once);
      const twice = updateState(once, later).text;
      expect(updateState(twice, later).text).toBe(twice);
      expect(occurrences(twice, 'Earlier')).toBe(more.length);
      expect(updateState(updateState(twice, withFacts()).text, later).text).toBe(twice);
      const eol = text.includes('\r') ? '\r\n' : '\n';
      const isOurs =
        /^(?:\| |[-*] )?[*_]{0,2}(?:Phase|Plan|Status|Last activity|Progress|Total plans completed|Average duration|Total execution time|Last 5 plans|Trend|Last session|Stopped at|Earlier)[*_:| ]/;
      const others = (each: string) =>
        each
          .split(eol)
          .filter((line) => !isOurs.test(line) && !/^(?:\| [13] |- 03-01:2 |## Blockers|$)/.test(line));
      expect(others(twice)).toEqual(others(text));
    }),
    RUNS,
  );
});
