import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import type { StateFacts } from '../../../src/core/state/types.js';
import { withFacts } from './states.js';

const POSITION: StateFacts = {
  phase: { number: '3', of: 8 },
  status: 'In progress',
  progress: { done: 9, total: 20 },
  lastActivity: { date: '2026-01-26', text: 'Completed Task 2: Add execution protocol section' },
};
const BAR = '[#########░░░░░░░░░░░] 45%';

/** A file with one line in its Current Position, and what becomes of that line. */
function lineAfter(line: string, facts: StateFacts): string {
  const text = `# S\n\n## Current Position\n\n${line}\n\nThe end.\n`;
  const { text: after, issues } = updateState(text, facts);
  expect(issues).toEqual([]);
  expect(updateState(after, facts).text).toBe(after);
  const lines = after.split('\n');
  expect([...lines.slice(0, 4), ...lines.slice(5)]).toEqual([
    '# S',
    '',
    '## Current Position',
    '',
    '',
    'The end.',
    '',
  ]);
  return lines[4]!;
}

describe('a field is changed in place, however it is written', () => {
  test.each([
    ['Status: planned', 'Status: In progress'],
    ['**Status:** planned', '**Status:** In progress'],
    ['**Status**: planned', '**Status**: In progress'],
    ['**Status: planned**', '**Status: In progress**'],
    ['__Status:__ **planned**', '__Status:__ In progress'],
    ['*Status:* _planned_', '*Status:* In progress'],
    ['Status: `planned`', 'Status: In progress'],
    ['- Status: planned', '- Status: In progress'],
    ['* **STATUS:** planned', '* **STATUS:** In progress'],
    ['+ status : planned', '+ status : In progress'],
    ['7) Status: planned', '7) Status: In progress'],
    ['  Status:   planned   ', '  Status:   In progress   '],
    ['Status:planned', 'Status:In progress'],
    ['Status:', 'Status: In progress'],
    ['**Status:**', '**Status:** In progress'],
    ['Status:\tplanned\\', 'Status:\tIn progress\\'],
    ['Status: planned <!-- why -->', 'Status: In progress <!-- why -->'],
    ['Status:<!-- why -->', 'Status: In progress <!-- why -->'],
    ['Current status: planned', 'Current status: In progress'],
  ])('%s', (before, after) => {
    expect(lineAfter(before, { status: 'In progress' })).toBe(after);
  });

  test.each([
    ['Phase: 3 of 7 (Executor)', 'Phase: 3 of 8 (Executor)'],
    ['Phase: 03 of 7 (Executor)', 'Phase: 3 of 8 (Executor)'],
    ['Phase: 2 of 8 (Parser)', 'Phase: 3 of 8'],
    ['Phase: 2 of 8 (Parser (old))', 'Phase: 3 of 8'],
    ['Phase: **2 of 8** (Parser)', 'Phase: 3 of 8'],
    ['Phase: **3** of **8** (Executor)', 'Phase: 3 of 8 (Executor)'],
    ['Phase: 3/7', 'Phase: 3 of 8'],
    ['Phase: 3 (Executor)', 'Phase: 3 of 8 (Executor)'],
    ['Phase: 03-executor', 'Phase: 3 of 8 (executor)'],
    ['Phase: 30 of 80 (Other)', 'Phase: 3 of 8'],
    ['Phase: Not started', 'Phase: 3 of 8'],
    ['Phase: [X] of [Y] ([Name])', 'Phase: 3 of 8'],
  ])('%s', (before, after) => {
    expect(lineAfter(before, { phase: { number: '3', of: 8 } })).toBe(after);
  });

  test.each([
    ['Plan: 9 of 9 in current phase', 'Plan: 1 of 5 in current phase'],
    ['Plan: 9 of 9', 'Plan: 1 of 5 in current phase'],
    ['Plan: 03-02', 'Plan: 1 of 5 in current phase'],
    ['Plan: 0 of TBD in current phase', 'Plan: 1 of 5 in current phase'],
    ['Plan: Not started', 'Plan: 1 of 5 in current phase'],
  ])('%s', (before, after) => {
    expect(lineAfter(before, { plan: { number: '1', of: 5 } })).toBe(after);
  });

  test.each([
    ['Progress: [░░░░] 0%', `Progress: ${BAR}`],
    ['Progress: ███████░░░ 70%', `Progress: ${BAR}`],
    ['Progress: `[====>   ]` 44 %', `Progress: ${BAR}`],
    ['**Progress:** -', `**Progress:** ${BAR}`],
  ])('%s', (before, after) => {
    expect(lineAfter(before, { progress: { done: 9, total: 20 } })).toBe(after);
  });

  test.each([
    ['Last activity: 2025-12-01 - Failed Task 1', 'Last activity: 2026-01-26 - Done'],
    ['last_activity: 2025-12-01 — Completed Task 1', 'last_activity: 2026-01-26 - Done'],
    ['Last Activity: 2025-12-01 -- Blocked Task 1', 'Last Activity: 2026-01-26 - Done'],
    ['Last activity: 2025-12-01T10:00:00.000Z', 'Last activity: 2026-01-26 - Done'],
    ['Last activity: none yet', 'Last activity: 2026-01-26 - Done'],
    ['Last activity: 2025-12-01', 'Last activity: 2026-01-26 - Done'],
  ])('%s', (before, after) => {
    expect(lineAfter(before, { lastActivity: { date: '2026-01-26', text: 'Done' } })).toBe(after);
  });
});

describe('what looks like a field and is none', () => {
  test.each([
    ['in a fence', '```\nStatus: old\n```'],
    ['in a fence of a list', '- x\n  ~~~\n  Status: old\n  ~~~'],
    ['in indented code', '    Status: old'],
    ['in a code span', '`Status: old`'],
    ['in a code span over two lines', '`x\nStatus: old`'],
    ['in a comment', '<!-- Status: old -->'],
    ['in a comment of many lines', '<!--\n\nStatus: old\n\n-->'],
    ['in a comment that begins in a line', 'words <!-- x\nStatus: old\n-->'],
    ['in a comment right under a paragraph', 'words\n<!--\n\nStatus: old\n-->'],
    ['in a quotation', '> Status: old'],
    ['in prose', 'They said that the\nStatus: old'],
    ['as a task', '- [ ] Status: old'],
    ['in a line', 'The Status: old'],
    ['with another name', 'Status quo: old'],
  ])('%s', (_, human) => {
    const text = `# S\n\n## Current Position\n\n${human}\n\nStatus: Paused\n`;
    expect(readState(text).status).toBe('Paused');
    expect(updateState(text, { status: 'Complete' }).text).toBe(
      text.replace('Status: Paused', 'Status: Complete'),
    );
  });

  test('YAML at the top of the file', () => {
    const text = '---\nstatus: old\nphase: 1 of 2\n---\n\nStatus: Paused\n';
    expect(updateState(text, { status: 'Complete' }).text).toBe(text.replace('Paused', 'Complete'));
  });

  test('a field of the same name in a section of other things', () => {
    const text = '## Risks\n\nStatus: open\n\n## Current Position\n\nPhase: 1 of 2\n';
    const { text: after, issues } = updateState(text, { status: 'Blocked' });
    expect(after).toBe(`${text}Status: Blocked\n`);
    expect(issues).toMatchObject([{ code: 'state-field-added', severity: 'info' }]);
  });
});

describe('which of several', () => {
  test('the one under Current Position, not the one before it', () => {
    const text =
      'Status: top\n\n## Notes\n\nStatus: note\n\n## Current Position\n\nStatus: Done\nStatus: b\n';
    expect(updateState(text, { status: 'Complete' }).text).toBe(
      text.replace('Status: Done', 'Status: Complete'),
    );
  });

  test('without that section the one at the top', () => {
    const text = '# T\n\nStatus: Done\n\n## Notes\n\nStatus: note\n';
    expect(updateState(text, { status: 'Complete' }).text).toBe(
      text.replace('Status: Done', 'Status: Complete'),
    );
  });

  test('without both, the section that says where the project is', () => {
    const text = '# T\n\n## Notes\n\nStatus: note\n\n## Now\n\nPhase: 1 of 2 (A)\nStatus: Done\n';
    expect(updateState(text, { status: 'Complete' }).text).toBe(
      text.replace('Status: Done', 'Status: Complete'),
    );
  });

  test('a name that can mean nothing else counts in any section', () => {
    const text = '## Current Position\n\nPhase: 1 of 2\n\n## Log\n\nLast activity: -\nProgress: [#] 1%\n';
    const { text: after, issues } = updateState(text, POSITION);
    expect(issues.map(({ message }) => message)).toEqual(['`Status` was missing and was added: In progress']);
    expect(after).toContain(
      `\nLast activity: 2026-01-26 - Completed Task 2: Add execution protocol section\nProgress: ${BAR}\n`,
    );
  });
});

describe('a missing field goes to the end of the list of fields', () => {
  const add = (text: string) => {
    const after = updateState(text, { status: 'Blocked' }).text;
    expect(updateState(after, { status: 'Blocked' }).text).toBe(after);
    return after;
  };

  test.each([
    ['lines', '## Current Position\n\nPhase: 1 of 2\n\nHuman.\n', 'Phase: 1 of 2\n', 'Status: Blocked\n'],
    [
      'bold items',
      '## Position\n- **Phase:** 1 of 2\n  more\n- Human\n',
      '  more\n',
      '- **Status:** Blocked\n',
    ],
    ['bold lines', '## Position\n**Phase: 1 of 2**\n', '1 of 2**\n', '**Status: Blocked**\n'],
    ['a wrapped value', '## Position\nPhase: 1 of 2\ngoes on\n\nHuman.\n', 'goes on\n', 'Status: Blocked\n'],
    [
      'a comment of two lines',
      '## Position\nPhase: 1 of 2 <!-- a\nb -->\nHuman: x\n',
      'b -->\n',
      'Status: Blocked\n',
    ],
    [
      'paragraphs',
      '## Position\n\nPhase: 1 of 2\n\nPlan: 1 of 2\n\nHuman.\n',
      'Plan: 1 of 2\n',
      '\nStatus: Blocked\n',
    ],
    ['numbers', '## Position\n1. Phase: 1 of 2\n', 'Phase: 1 of 2\n', '2. Status: Blocked\n'],
    ['no fields yet', '## Position\n\nHuman.\n', '## Position\n\n', 'Status: Blocked\n\n'],
    ['nothing at all', '## Position\n## Next\n', '## Position\n', '\nStatus: Blocked\n\n'],
    [
      'text after an item',
      '## Position\n- Phase: 1 of 2\n  ```\n  ```\nHuman.\n',
      '  ```\n',
      '- Status: Blocked\n\n',
    ],
  ])('%s', (_, text, behind, line) => {
    const at = text.lastIndexOf(behind) + behind.length;
    expect(add(text)).toBe(text.slice(0, at) + line + text.slice(at));
  });

  test('a table of two columns', () => {
    const text = '## Position\n\n| What | Now |\n|---|---|\n| Phase | 1 of 2 |\n| Mood | good |\n\nHuman.\n';
    expect(add(text)).toBe(text.replace('| Mood', '| Status | Blocked |\n| Mood'));
  });

  test('a table whose header is a field', () => {
    const text = '## Position\n\n| Phase | 1 of 2 |\n|---|---|\n\nHuman.\n';
    expect(add(text)).toBe(text.replace('|---|---|\n', '|---|---|\n| Status | Blocked |\n'));
  });

  test('CRLF and no final newline', () => {
    expect(add('## Position\r\n\r\nPhase: 1 of 2')).toBe(
      '## Position\r\n\r\nPhase: 1 of 2\r\nStatus: Blocked',
    );
  });
});

describe('a missing section', () => {
  test('goes before the next of ours, outside of the heading that holds it', () => {
    const text = '# T\n\n## Context\n\n### Blockers\n\nNone\n\n## Session Continuity\n\nLast session: x\n';
    const { text: after, issues } = updateState(text, {
      velocity: { plansCompleted: 1, averageMs: null, totalMs: 0 },
    });
    expect(after).toBe(
      text.replace(
        '## Context',
        '## Performance Metrics\n\n**Velocity:**\n- Total plans completed: 1\n- Average duration: -\n- Total execution time: 0m\n\n## Context',
      ),
    );
    expect(issues[0]).toMatchObject({ code: 'state-section-added' });
  });

  test('goes to the end of the file otherwise', () => {
    const text = '# T\n\n## Current Position\n\nPhase: 1 of 2\n\n## Human\n\nText.';
    const { text: after } = updateState(text, {
      session: { at: '2026-01-26T14:32:15+02:00', stoppedAt: 'Task 2' },
    });
    expect(after).toBe(
      `${text}\n\n## Session Continuity\n\nLast session: 2026-01-26 12:32\nStopped at: Task 2`,
    );
  });

  test('does not go into a fence that nobody closed', () => {
    const text = '# T\n\n## Human\n\n```\ncode\n';
    const after = updateState(text, { status: 'Blocked' }).text;
    expect(after).toBe('# T\n\n## Current Position\n\nStatus: Blocked\n\n## Human\n\n```\ncode\n');
  });

  test('a group goes to the end of its section, titled like the others', () => {
    const text =
      '## Performance Metrics\n\n### Velocity\n\nTotal plans completed: 1\n\n*Human.*\n\n---\n\n## Human\n';
    const { text: after } = updateState(text, { recentPlans: { durationsMs: [90_000], trend: 'Stable' } });
    expect(after).toBe(
      text.replace('*Human.*\n', '*Human.*\n\n### Recent Trend\n\n- Last 5 plans: 2m\n- Trend: Stable\n'),
    );
  });
});

test('values that are not ours to trust stay on their line and hide nothing', () => {
  const text = '## Current Position\n\nLast activity: -\nStatus: y\n';
  const evil = 'a\n## Session\r\nStatus: <!-- b --> `c \u0000 d\\';
  const after = updateState(text, { lastActivity: { date: '2026-01-26', text: evil } }).text;
  expect(after).toBe(
    "## Current Position\n\nLast activity: 2026-01-26 - a ## Session Status: &lt;!-- b --&gt; 'c d\nStatus: y\n",
  );
});

test('a task name keeps its code and its tags', () => {
  const name = 'Completed Task 3: Add `<Button>` to List<T>';
  const { text } = updateState('Last activity: -\n', { lastActivity: { date: '2026-01-26', text: name } });
  expect(text).toBe(`Last activity: 2026-01-26 - ${name}\n`);
});

const NEW_STATE = `# Project State

## Current Position

Phase: 3 of 8
Plan: 2 of 5 in current phase
Status: Phase complete
Last activity: 2026-01-26 - Completed Task 2: Add execution protocol section

Progress: [#########░░░░░░░░░░░] 45%

## Performance Metrics

**Velocity:**
- Total plans completed: 12
- Average duration: 28 minutes
- Total execution time: 5h 36m

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| 1 | 5/5 | 2h 10m | 26m |
| 3 | 0/8 | - | - |

**Recent Trend:**
- Last 5 plans: 25m, 32m, 28m, 22m, 31m
- Trend: Declining

## Blockers/Concerns

- 03-01:2 (2026-01-26): the key is missing

## Session Continuity

Last session: 2026-01-26 14:32
Stopped at: Completed Task 2: Add execution protocol section
Resume file: None
`;

describe('no file yet', () => {
  test.each([null, '', ' \n\t\r\n', '\ufeff'])('%j', (text) => {
    const { text: written, issues } = updateState(text, withFacts());
    expect(issues.map(({ code }) => code)).toEqual(['state-created']);
    expect(written).toBe(NEW_STATE);
  });

  test('without facts it says nothing that is not known, and has a place for everything', () => {
    const { text } = updateState(null, {});
    expect(readState(text)).toEqual({
      phase: '-',
      plan: '-',
      status: 'Ready to execute',
      lastActivity: '-',
      progress: '[░░░░░░░░░░░░░░░░░░░░] 0%',
      totalPlansCompleted: '0',
      averageDuration: '-',
      totalExecutionTime: '0m',
      byPhase: [],
      lastPlans: '-',
      trend: 'Not enough data',
      blockers: [],
      lastSession: '-',
      stoppedAt: '-',
    });
    expect(updateState(text, {})).toEqual({ text, issues: [] });
  });
});
