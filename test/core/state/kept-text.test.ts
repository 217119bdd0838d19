import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import type { StateFacts } from '../../../src/core/state/types.js';

const MINUTE = 60_000;

/** A section with one line in it, what becomes of that line, and the codes of the issues. */
function linesAfter(section: string, line: string, facts: StateFacts): { lines: string[]; codes: string[] } {
  const { text, issues } = updateState(`## ${section}\n\n${line}\n\nThe end.\n`, facts);
  expect(updateState(text, facts)).toEqual({ text, issues: [] });
  const lines = text.split('\n');
  expect(lines.slice(0, 2)).toEqual([`## ${section}`, '']);
  expect(lines.slice(-3)).toEqual(['', 'The end.', '']);
  return { lines: lines.slice(2, -3), codes: issues.map(({ code }) => code) };
}

describe('a value that says more than the template makes way as a whole, and is kept once', () => {
  const facts = {
    Phase: { phase: { number: '3', of: 8 } },
    Plan: { plan: { number: '1', of: 3 } },
    Status: { status: 'Blocked' },
    Progress: { progress: { done: 1, total: 2 } },
  } as const satisfies Record<string, StateFacts>;
  const now = {
    Phase: '3 of 8',
    Plan: '1 of 3 in current phase',
    Status: 'Blocked',
    Progress: '[##########░░░░░░░░░░] 50%',
  };

  test.each([
    ['Plan', '1 of 3 complete'],
    ['Plan', '2 of 2 + 02-03 complete'],
    ['Plan', '2 of 4 in current phase (02-01 and 02-02 done)'],
    ['Plan', 'ask Bob before merging'],
    ['Phase', '2 of 8 (Parser), ask Ann'],
    ['Phase', '4 — Ovens and heat'],
    ['Phase', 'All 5 phases complete'],
    ['Phase', '— (between milestones)'],
    ['Status', 'Plan 02 complete — the oven is wired, ready for plan 03'],
    ['Status', 'Blocked — all of phase 2 is complete'],
    ['Status', 'In progress — waiting for Ann'],
    ['Status', '**In progress** since **May**'],
    ['Status', 'Complete-ish'],
    ['Status', '`<!--` is open'],
    ['Progress', '[███░░░] 57% (5/7 phases complete)'],
    ['Progress', '6/11 plans (55%)'],
  ] as const)('%s: %s', (label, value) => {
    expect(linesAfter('Current Position', `${label}: ${value}`, facts[label])).toEqual({
      lines: [`${label}: ${now[label]}`, `Earlier: ${value}`],
      codes: ['state-text-kept'],
    });
  });

  test('a name stays with its number', () => {
    expect(linesAfter('Position', 'Phase: 03 (Ovens) — BAKING', facts.Phase).lines).toEqual([
      'Phase: 3 of 8 (Ovens)',
      'Earlier: 03 (Ovens) — BAKING',
    ]);
  });

  test.each([
    ['- **Status:** so so', ['- **Status:** Blocked', '- **Earlier:** so so']],
    ['**Status: so so** since May', ['**Status: Blocked**', '**Earlier: so so** since May']],
    ['**Status: done** since May', ['**Status: Blocked**', '**Earlier: done** since May']],
    ['Status: so so  ', ['Status: Blocked  ', 'Earlier: so so  ']],
    ['Status: done\nbut for the oven', ['Status: Blocked', 'Earlier: done', 'but for the oven']],
    ['Status: a <!-- b\nc -->', ['Status: Blocked', 'Earlier: a <!-- b', 'c -->']],
    ['1. Status: a\n   - b', ['1. Status: Blocked', '1. Earlier: a', '   - b']],
    [
      '| A | B |\n|---|---|\n| Status | a \\| b |\n| C | d |',
      ['| A | B |', '|---|---|', '| Status | Blocked |', '| Earlier | a \\| b |', '| C | d |'],
    ],
  ])('%j', (before, lines) => {
    expect(linesAfter('Current Position', before, facts.Status)).toEqual({
      lines,
      codes: ['state-text-kept'],
    });
  });

  test.each([
    ['Average duration: 20–25 min', 'Average duration: 25 minutes'],
    ['Average duration: 25 min for most', 'Average duration: 25 minutes'],
    ['Total execution time: ~7 hours (v1.0)', 'Total execution time: 2h'],
    ['Total plans completed: 31 (23 before May, 8 since)', 'Total plans completed: 32'],
    ['Last 5 plans: 02-01 (15min), 02-02 (20m), 02-03 (8 min)', 'Last 5 plans: 15m, 20m'],
    ['Last 5 plans: 96s, 142s (avg: 119s)', 'Last 5 plans: 15m, 20m'],
    ['Trend: Stable (two slow ones aside)', 'Trend: Improving'],
  ])('%s', (before, after) => {
    const metrics: StateFacts = {
      velocity: { plansCompleted: 32, averageMs: 25 * MINUTE, totalMs: 120 * MINUTE },
      recentPlans: { durationsMs: [15 * MINUTE, 20 * MINUTE], trend: 'Improving' },
    };
    const { text } = updateState(`## Performance Metrics\n\n- ${before}\n`, metrics);
    expect(text).toContain(`- ${after}\n- Earlier: ${before.slice(before.indexOf(':') + 2)}\n`);
    expect(text.match(/Earlier/g)).toHaveLength(1);
    expect(updateState(text, metrics)).toEqual({ text, issues: [] });
  });

  test('the next facts keep nothing more', () => {
    const { text } = updateState('Status: ask Ann\n', { status: 'Blocked' });
    expect(text).toBe('Status: Blocked\nEarlier: ask Ann\n');
    expect(updateState(text, { status: 'In progress' })).toEqual({
      text: 'Status: In progress\nEarlier: ask Ann\n',
      issues: [],
    });
  });

  test('the same words of another program are kept once', () => {
    const once = updateState('Status: ask Ann\n', { status: 'Blocked' }).text;
    expect(updateState(once.replace('Blocked', 'ask Ann'), { status: 'Blocked' }).text).toBe(once);
  });
});

describe('a value that the facts do not know stays', () => {
  test.each(['Average duration: ~9 min', 'Average duration: fast', 'Last 5 plans: 02-01 (9m)'])(
    '%s',
    (line) => {
      const text = `## Performance Metrics\n\n**Velocity:**\n- ${line}\n`;
      const { text: after } = updateState(text, {
        velocity: { plansCompleted: 0, averageMs: null, totalMs: 0 },
        recentPlans: { durationsMs: [], trend: 'Not enough data' },
      });
      expect(after).toContain(`- ${line}\n`);
      expect(after).not.toContain('Earlier');
    },
  );
});

describe('numbers of something else are left alone', () => {
  test('under a caption that names a part of the past', () => {
    const old =
      '## Performance Metrics\n\n**Velocity (v1.0):**\n- Total plans completed: 62\n- Average duration: 9m\n';
    const { text } = updateState(old, { velocity: { plansCompleted: 3, averageMs: null, totalMs: 0 } });
    expect(text.startsWith(old)).toBe(true);
    expect(text).toContain('\n**Velocity:**\n- Total plans completed: 3\n');
  });
});

describe('outside of its section, a phase or a plan without a count is a sentence', () => {
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
});

describe('what became of a task', () => {
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

  test.each(['Last activity', 'Stopped at'])(
    'words after %s that its twin does not have are kept',
    (label) => {
      const line = first.split('\n').find((each) => each.startsWith(label))!;
      const { text } = updateState(first.replace(line, `${line} Call Ann!`), task('Failed Task 2: Bake'));
      expect(text).toContain(`\n${line.replace(label, 'Earlier')} Call Ann!\n`);
      expect(text.match(/Earlier/g)).toHaveLength(1);
    },
  );

  test('and after both', () => {
    const edited = first.replace(/flour\.$/m, 'flour. Ann one').replace(/flour\.$/m, 'flour. Ann two');
    const { text } = updateState(edited, task('Failed Task 2: Bake'));
    expect(text).toContain(
      'Earlier: 2026-01-27 - Completed Task 1: Buy — or grow (organic) flour. Ann one\n',
    );
    expect(text).toContain('Earlier: Completed Task 1: Buy — or grow (organic) flour. Ann two\n');
  });
});

test('a new field is added below the text that an old value is kept with, not in between', () => {
  const facts: StateFacts = { plan: { number: '1', of: 2 }, status: 'Ready to execute' };
  const { text } = updateState('**Plan:** \nthe first, of two\n', facts);
  expect(text).toBe(
    '**Plan:** 1 of 2 in current phase\n**Earlier:** \nthe first, of two\n**Status:** Ready to execute\n',
  );
  expect(updateState(text, facts).text).toBe(text);
});

test('a value between emphasis ends without a backslash, which would escape the emphasis', () => {
  const facts: StateFacts = { lastActivity: { date: '2026-01-26', text: 'x \\*' } };
  const { text } = updateState('**Status: x**', facts);
  expect(text).toBe('**Status: x**\n**Last activity: 2026-01-26 - x**');
  expect(updateState(text, facts).text).toBe(text);
});

test('a field is not added to a fence that only the end of its list item ends', () => {
  const text =
    '## Current Position\n\n2. two\n  Plan: 7 of 7\n  ```\n\n    Status: code\n\n## Decisions\n\nNone.\n';
  const facts: StateFacts = { progress: { done: 0, total: 0 } };
  const once = updateState(text, facts).text;
  expect(readState(once).progress).toBe('[░░░░░░░░░░░░░░░░░░░░] 0%');
  expect(updateState(once, facts)).toEqual({ text: once, issues: [] });
});

test('a pipe after a backslash in a cell is not a new value the next time', () => {
  const text = '## Session Continuity\n\n| What | When |\n|---|---|\n|Stopped at|Planning|\n';
  const facts: StateFacts = { session: { at: '2026-01-26T14:32:00Z', stoppedAt: '\\|' } };
  const once = updateState(text, facts).text;
  expect(once).toContain('|Stopped at|\\&#124;|\n|Earlier|Planning|\n| Last session |');
  expect(updateState(once, facts)).toEqual({ text: once, issues: [] });
});

test.each(['Status: \n|--|--|', 'Last activity: 2026-01-25 - Planned\n|--|--|'])(
  'a field above %j does not become the header of a table',
  (text) => {
    const facts: StateFacts = { lastActivity: { date: '2026-01-26', text: 'a | b' } };
    const once = updateState(text, facts).text;
    expect(updateState(once, facts).text).toBe(once);
    expect(readState(once).lastActivity).toBe('2026-01-26 - a | b');
  },
);

test('a heading that ends the file with a lone carriage return is a heading', () => {
  const facts: StateFacts = {
    blockers: { change: 'add', taskId: '03-01:2', date: '2026-01-26', text: 'no power' },
  };
  const once = updateState('## Blockers\r', facts).text;
  expect(once.match(/Blockers/g)).toHaveLength(1);
  expect(updateState(once, facts).text).toBe(once);
});
