import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readState, type StateFacts, updateState } from '../../../src/formats/state/index.js';
import { withFacts } from './states.js';

const SOAK = process.env.TEDDY_SOAK === '1';
const RUNS = { numRuns: SOAK ? 20_000 : 400 };

/** A position with one line in it, what becomes of that line, and the codes of the issues. */
function linesAfter(line: string, facts: StateFacts): { lines: string[]; codes: string[] } {
  const { text, issues } = updateState(`## Current Position\n\n${line}\n\nThe end.\n`, facts);
  expect(updateState(text, facts)).toEqual({ text, issues: [] });
  const lines = text.split('\n');
  expect([...lines.slice(0, 2), ...lines.slice(-4)]).toEqual([
    '## Current Position',
    '',
    lines.at(-4),
    '',
    'The end.',
    '',
  ]);
  return { lines: lines.slice(2, -3), codes: issues.map(({ code }) => code) };
}

describe('what stands behind a known word or number stays', () => {
  test.each([
    ['Status: In progress — waiting for Ann', 'Status: Blocked — waiting for Ann'],
    ['Status: in PROGRESS (note)', 'Status: Blocked (note)'],
    ['Status: Ready to plan, but see below', 'Status: Blocked, but see below'],
    ['Status: Complete. Talk to Ann.', 'Status: Blocked. Talk to Ann.'],
    ['**Status:** In progress — **but see note by Ann**', '**Status:** Blocked — **but see note by Ann**'],
    ['Status: **In progress** since **May**', 'Status: **Blocked** since **May**'],
    ['- **Status: Paused – by Ann** or so', '- **Status: Blocked – by Ann** or so'],
    ['__Status: Paused, ask snake_case', '__Status: Blocked, ask snake_case'],
    ['Status: ✅ Completed!', 'Status: Blocked!'],
    ['Status: `Planned` with `<!--`', 'Status: `Blocked` with `<!--`'],
    ['Phase: 3 of 9 (Executor) — ask Ann', 'Phase: 3 of 8 (Executor) — ask Ann'],
    ['Phase: 2 of 9 (Parser), ask Ann', 'Phase: 3 of 8, ask Ann'],
    ['Phase: 03-executor, ask Ann', 'Phase: 03 of 8 (03-executor), ask Ann'],
    ['Phase: **3 of 9 (Executor)** still', 'Phase: **3 of 8 (Executor)** still'],
    ['Phase: Not started — ask Ann', 'Phase: 3 of 8 — ask Ann'],
    ['Current phase: Phase 2 of 9', 'Current phase: Phase 3 of 8'],
    ['Plan: 1 of 9 and no more!', 'Plan: 2 of 5 and no more!'],
    ['Plan: - (ask Ann)', 'Plan: 2 of 5 in current phase (ask Ann)'],
    [
      'Progress: [##] 10% (3 days late, ask Ann)',
      'Progress: [##########░░░░░░░░░░] 50% (3 days late, ask Ann)',
    ],
    ['Progress: [##] 10% (2/20 tasks) I guess', 'Progress: [##########░░░░░░░░░░] 50% I guess'],
  ])('%s', (before, after) => {
    const facts: StateFacts = before.includes('tatus')
      ? { status: 'Blocked' }
      : before.includes('hase:')
        ? { phase: { number: '3', of: 8 } }
        : before.includes('Plan')
          ? { plan: { number: '2', of: 5 } }
          : { progress: { done: 1, total: 2 } };
    expect(linesAfter(before, facts)).toEqual({ lines: [after], codes: [] });
  });
});

describe("a value that is all a person's stays behind ours, and that is said", () => {
  test.each([
    ['we are behind. Talk to Ann.', 'Blocked — we are behind. Talk to Ann.'],
    ['Completed the parser, not the rest', 'Blocked — Completed the parser, not the rest'],
    ['Complete-ish', 'Blocked — Complete-ish'],
    ['(ask Ann)', 'Blocked (ask Ann)'],
    ['— ask Ann', 'Blocked — ask Ann'],
    ['`<!--` is open', 'Blocked — `<!--` is open'],
    ['**ask Ann**', '**Blocked — ask Ann**'],
    ['[Ann](ann.md) knows', 'Blocked — [Ann](ann.md) knows'],
  ])('%s', (before, after) => {
    expect(linesAfter(`Status: ${before}`, { status: 'Blocked' })).toEqual({
      lines: [`Status: ${after}`],
      codes: ['state-text-kept'],
    });
  });

  test('it does not grow with the next facts', () => {
    const { text } = updateState('Status: ask Ann\n', { status: 'Blocked' });
    expect(updateState(text, { status: 'In progress' })).toEqual({
      text: 'Status: In progress — ask Ann\n',
      issues: [],
    });
  });
});

describe('a phase or a plan without a count is a sentence, and no field', () => {
  const facts: StateFacts = { phase: { number: '3', of: 8 }, plan: { number: '2', of: 5 } };

  test.each([
    'Plan: ask Bob before merging',
    'Phase: of the moon is waxing',
    'Plan: 2 of the tests fail',
    'Plan: most of 5 hours are lost',
    'Plan: None of these works',
    'Plan: 3rd time lucky',
  ])('%s', (sentence) => {
    const text = `# T\n\n${sentence}\n\nStatus: Paused\n`;
    expect(readState(text)).toMatchObject({ phase: null, plan: null });
    expect(updateState(text, facts).text).toBe(`${text}Phase: 3 of 8\nPlan: 2 of 5 in current phase\n`);
  });

  test('without any field, a section is added', () => {
    const text = '# T\n\nPlan: ask Bob before merging\nPhase: of the moon\n';
    const { text: after, issues } = updateState(text, facts);
    expect(after).toBe(`${text}\n## Current Position\n\nPhase: 3 of 8\nPlan: 2 of 5 in current phase\n`);
    expect(issues.map(({ code }) => code)).toEqual([
      'state-section-added',
      'state-field-added',
      'state-field-added',
    ]);
  });
});

describe('what cannot stand behind a new value stays below it', () => {
  const NEW = '2026-01-26 - Completed Task 2: Bake';
  const facts: StateFacts = { lastActivity: { date: '2026-01-26', text: 'Completed Task 2: Bake' } };

  test.each([
    ['Last activity: call Ann', [`Last activity: ${NEW}`, 'Earlier: call Ann']],
    ['- **Last Activity:** call Ann', [`- **Last Activity:** ${NEW}`, '- **Earlier:** call Ann']],
    ['**Last activity: call Ann** soon', [`**Last activity: ${NEW}**`, '**Earlier: call Ann** soon']],
    ['Last activity: none — yet', [`Last activity: ${NEW}`, 'Earlier: none — yet']],
    ['Last activity: a\ngoes on', [`Last activity: ${NEW}`, 'Earlier: a', 'goes on']],
    ['Last activity: a <!-- b\nc -->', [`Last activity: ${NEW}`, 'Earlier: a <!-- b', 'c -->']],
    ['1. Last activity: a\n   - b', [`1. Last activity: ${NEW}`, '1. Earlier: a', '   - b']],
    [
      '| A | B |\n|---|---|\n| Last activity | a \\| b |\n| C | d |',
      ['| A | B |', '|---|---|', `| Last activity | ${NEW} |`, '| Earlier       | a \\| b |', '| C | d |'],
    ],
  ])('%j', (before, lines) => {
    expect(linesAfter(before, facts)).toEqual({ lines, codes: ['state-text-kept'] });
  });

  test.each(['Phase: 2 of 8 - ask Ann', 'Phase: 2 of 8 (ask Ann first)', 'Phase: 2: Ann is away'])(
    '%s: a name and a note look the same, and are false behind another number',
    (before) => {
      expect(linesAfter(before, { phase: { number: '3', of: 8 } })).toEqual({
        lines: ['Phase: 3 of 8', before.replace('Phase', 'Earlier')],
        codes: ['state-text-kept'],
      });
      expect(linesAfter(before, { phase: { number: '2', of: 8 } }).lines).toHaveLength(1);
    },
  );

  test('the same words of another program are kept once', () => {
    const text = 'Last activity: call Ann\n';
    const once = updateState(text, facts).text;
    const again = updateState(once.replace(NEW, 'call Ann'), facts).text;
    expect(again).toBe(once);
  });
});

describe('behind what became of a task', () => {
  const task = (text: string): StateFacts => ({
    lastActivity: { date: '2026-01-27', text },
    session: { at: '2026-01-27T10:00:00Z', stoppedAt: text },
  });
  const first = updateState(null, task('Completed Task 1: Buy — or grow (organic) flour.')).text;

  test('nothing is kept where nobody wrote', () => {
    const { text, issues } = updateState(first, task('Failed Task 2: Bake'));
    expect(text).toBe(
      first.replaceAll('Completed Task 1: Buy — or grow (organic) flour.', 'Failed Task 2: Bake'),
    );
    expect(issues).toEqual([]);
  });

  test.each(['Last activity', 'Stopped at'])('words behind %s are known by its twin', (label) => {
    const line = first.split('\n').find((each) => each.startsWith(label))!;
    const edited = first.replace(line, `${line} Call Ann!`);
    const { text, issues } = updateState(edited, task('Failed Task 2: Bake'));
    expect(issues.map(({ code }) => code)).toEqual(['state-text-kept']);
    expect(text).toBe(
      updateState(first, task('Failed Task 2: Bake')).text.replace(
        new RegExp(`^${label}: .*\n`, 'm'),
        (ours) => `${ours}${line.replace(label, 'Earlier')} Call Ann!\n`,
      ),
    );
  });

  test('and behind both', () => {
    const edited = first.replace(/flour\.$/m, 'flour. Ann one').replace(/flour\.$/m, 'flour. Ann two');
    const { text } = updateState(edited, task('Failed Task 2: Bake'));
    expect(text).toContain(
      '\nEarlier: 2026-01-27 - Completed Task 1: Buy — or grow (organic) flour. Ann one\n',
    );
    expect(text).toContain('\nEarlier: Completed Task 1: Buy — or grow (organic) flour. Ann two\n');
  });
});

/** Every field, with values that it may have had. */
const VALUES: Record<string, string[]> = {
  Phase: ['3 of 8', '2 of 8', '3/7', '03', '-', '**2** of 8', '[X] of [Y]'],
  Plan: ['1 of 5 in current phase', '2/5', '03-02', 'Not started', ''],
  Status: ['In progress', 'ready to plan', '**Blocked**', 'Phase complete', '_Paused_', 'None', ''],
  'Last activity': ['-'],
  Progress: ['[####░░░░] 50%', '50%', '[##] 10% (1/9 tasks)', '`[==>  ]` 44 %', '-', ''],
  'Total plans completed': ['3', '[N]', '**4**', ''],
  'Average duration': ['28 minutes', '1.5 hours', '-', 'N/A', '[X] min', ''],
  'Total execution time': ['5h 36m', '0m', '2h10m', '90', ''],
  'Last 5 plans': ['25m, 32m', '-', '5 min', ''],
  Trend: ['Stable', 'Not enough data', '`Improving`', '?', ''],
  'Last session': ['2026-01-25 10:00', '2026-01-25', 'never', '2026-01-25T10:00:00Z', ''],
  'Stopped at': ['-'],
};
/** Words behind these are known by their twin. */
const EVENTS = new Map([
  ['Last activity', '2026-01-25 - Completed Task 1: Sow'],
  ['Stopped at', 'Completed Task 1: Sow'],
]);
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

const tail = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ' ',
        ' — ',
        ' - ',
        ', ',
        '. ',
        ' (',
        ') ',
        '; ',
        ': ',
        ' *',
        '* ',
        ' / ',
        ' "',
        '! ',
        ' `',
        ' %',
      ),
      fc.constantFrom('w', 'ask-w', 'Ann', 'in', 'W', '(w)', '*w*', '`w`'),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.map(([gap, word]) => gap + word).join(''));

/** A file with words of a person, each with a mark of its own, behind some values and in the place of others. */
const edited = fc
  .record({
    style: fc.constantFrom(...STYLES),
    values: fc.record(
      Object.fromEntries(
        Object.entries(VALUES).map(([label, values]) => [
          label,
          fc.record({ value: fc.constantFrom(...values), tail, isInstead: fc.boolean() }),
        ]),
      ),
    ),
    hasEvent: fc.boolean(),
    asTable: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ style, values, hasEvent, asTable, eol }) => {
    let number = 0;
    const mark = () => `Q${'abcdefghij'[number % 10]}${'x'.repeat(number++ / 10)}`;
    const lines: string[] = [];
    for (const [heading, caption, labels] of SECTIONS) {
      lines.push(heading, '', ...(caption ? [caption, ''] : []));
      const isTable = asTable && caption === '';
      if (isTable) lines.push('| Field | Value |', '|---|---|');
      for (const label of labels) {
        const { value, tail, isInstead } = values[label]!;
        const marked = tail.replace(/[wW]|Ann|\bin\b/g, (word) => word + mark());
        // `(Name)` behind a phase goes with its number.
        const theirs = label === 'Phase' ? marked.replace(/[()]/g, '') : marked;
        const ours = EVENTS.has(label) ? (hasEvent ? EVENTS.get(label)! : '-') : value;
        const said = (isInstead && theirs !== '') || ours === '' ? theirs.trim() : ours + theirs;
        lines.push(isTable ? `| ${label} | ${said} |` : style(label, said));
      }
      lines.push('', `Human ${heading}.`, '');
    }
    return lines.join(eol) + eol;
  });

const words = (text: string) => text.match(/[\w-]*Q[a-j]x*/g) ?? [];

const later = withFacts({
  phase: { number: '4', of: 9 },
  plan: { number: '1', of: 2 },
  status: 'Blocked',
  lastActivity: { date: '2026-02-03', text: 'Blocked Task 9: Reap' },
  progress: { done: 20, total: 21 },
  velocity: { plansCompleted: 13, averageMs: null, totalMs: 5000 },
  recentPlans: { durationsMs: [], trend: 'Not enough data' },
  session: { at: '2026-02-03T01:02:03Z', stoppedAt: 'Blocked Task 9: Reap' },
});

test('every word of a person is there after each update, in order, and twice is once', () => {
  fc.assert(
    fc.property(edited, (text) => {
      const once = updateState(text, withFacts());
      expect(words(once.text)).toEqual(words(text));
      expect(updateState(once.text, withFacts()).text).toBe(once.text);
      const twice = updateState(once.text, later);
      expect(words(twice.text)).toEqual(words(text));
      expect(updateState(twice.text, later).text).toBe(twice.text);
    }),
    RUNS,
  );
});

test('files do not grow: what was kept once is not kept again', () => {
  fc.assert(
    fc.property(edited, (text) => {
      const lines = (each: string) => each.split('\n').length;
      const round = (each: string) => updateState(updateState(each, withFacts()).text, later).text;
      // A note behind the first phase may have to go below it with the second.
      const settled = round(round(text));
      expect(round(settled)).toBe(settled);
      expect(words(settled)).toEqual(words(text));
      // At most one line each for a phase, an activity and a stop.
      expect(lines(settled) - lines(updateState(text, withFacts()).text)).toBeLessThanOrEqual(3);
    }),
    RUNS,
  );
});
