import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import { diffLines, FACTS, labelOf, linesOf, mayChange, STATES, VARIANTS, withFacts } from './states.js';

test('there are enough of them, and they differ', () => {
  expect(STATES.length).toBeGreaterThanOrEqual(15);
  expect(new Set(STATES.map(({ text }) => text)).size).toBe(STATES.length);
});

describe.each(VARIANTS)('$name', ({ text }) => {
  const { text: updated, issues } = updateState(text, withFacts());

  test('without facts it stays as it is, to the byte', () => {
    expect(updateState(text, {})).toEqual({ text, issues: [] });
  });

  test('the same facts change nothing a second time', () => {
    expect(updateState(updated, withFacts())).toEqual({
      text: updated,
      issues: issues.filter(({ code }) => code === 'state-column-missing'),
    });
  });

  test('only fields, rows and placeholders change; all other lines are there, in their order', () => {
    const { gone, come } = diffLines(linesOf(text), linesOf(updated));
    for (const line of gone) {
      const label = labelOf(line);
      if (label === undefined) expect(mayChange(line), line).toBe(true);
      else expect(come.some((other) => other.startsWith(label))).toBe(true);
    }
  });

  test('line endings, byte order mark and the end of the file keep their kind', () => {
    expect(updated.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
    expect(/\r?\n$/.exec(updated)?.[0]).toBe(/\r?\n$/.exec(text)?.[0]);
    if (text.includes('\r\n')) expect(updated.replaceAll('\r\n', '')).not.toContain('\n');
    else expect(updated).not.toContain('\r');
  });

  test('what was written is read back', () => {
    const fields = readState(updated);
    expect(fields.phase).toMatch(/^3 of 8(?: \(|$)/);
    expect(fields.plan).toBe('2 of 5 in current phase');
    expect(fields.status).toBe('Phase complete');
    expect(fields.lastActivity).toBe('2026-01-26 - Completed Task 2: Add execution protocol section');
    expect(fields.progress).toBe('[#########░░░░░░░░░░░] 45%');
    expect(fields).toMatchObject({
      totalPlansCompleted: '12',
      averageDuration: '28 minutes',
      totalExecutionTime: '5h 36m',
      lastPlans: '25m, 32m, 28m, 22m, 31m',
      trend: FACTS.recentPlans.trend,
      lastSession: '2026-01-26 14:32',
      stoppedAt: FACTS.session.stoppedAt,
    });
    expect(fields.blockers).toContain('- 03-01:2 (2026-01-26): the key is missing');
    const rowOf = (phase: RegExp) => fields.byPhase.filter((row) => phase.test(row.phase));
    expect(rowOf(/^(?:phase )?0?1(?!\d)/i)).toMatchObject([
      { plans: '5/5', total: '2h 10m', average: '26m' },
    ]);
    expect(rowOf(/^(?:phase )?0?3(?!\d)/i)).toMatchObject([{ plans: '0/8' }]);
  });

  test('one fact at a time changes no other field', () => {
    const before = readState(text);
    for (const key of Object.keys(FACTS) as (keyof typeof FACTS)[]) {
      const after = readState(updateState(text, { [key]: FACTS[key] }).text);
      const changed = (Object.keys(after) as (keyof typeof after)[]).filter(
        (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
      );
      const own: Record<keyof typeof FACTS, string[]> = {
        phase: ['phase'],
        plan: ['plan'],
        status: ['status'],
        lastActivity: ['lastActivity'],
        progress: ['progress'],
        velocity: ['totalPlansCompleted', 'averageDuration', 'totalExecutionTime'],
        byPhase: ['byPhase'],
        recentPlans: ['lastPlans', 'trend'],
        blockers: ['blockers'],
        session: ['lastSession', 'stoppedAt'],
      };
      expect(own[key], key).toEqual(expect.arrayContaining(changed));
    }
  });
});
