import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import type { PhaseRow } from '../../../src/core/state/types.js';

const MINUTE = 60_000;
const row = (phase: string, completed = 0, plans = 8, total: number | null = null): PhaseRow => ({
  phase,
  completed,
  plans,
  totalMs: total === null ? null : total * MINUTE,
  averageMs: total === null || completed === 0 ? null : (total * MINUTE) / completed,
});

const HEAD = '| Phase | Plans | Total | Avg/Plan |\n|-------|-------|-------|----------|\n';
const around = (table: string) => `## Performance Metrics\n\n**By Phase:**\n\n${table}\nHuman text.\n`;

function tableAfter(table: string, ...rows: PhaseRow[]): string {
  const { text } = updateState(around(table), { byPhase: rows });
  expect(updateState(text, { byPhase: rows }).text).toBe(text);
  expect(text.startsWith(around('').split('\nHuman')[0]!)).toBe(true);
  expect(text.endsWith('\nHuman text.\n')).toBe(true);
  return text.slice(around('').indexOf('\nHuman'), -'\nHuman text.\n'.length);
}

test('the rows of the specification', () => {
  expect(
    tableAfter(`${HEAD}| 1 | 5/5 | 1h | 12m |\n`, row('1', 5, 5, 130), row('2', 7, 7, 206), row('3')),
  ).toBe(`${HEAD}| 1 | 5/5 | 2h 10m | 26m |\n| 2 | 7/7 | 3h 26m | 29m |\n| 3 | 0/8 | - | - |\n`);
});

test.each(['3', '3.', 'Phase 3', '03', '3. Name', '03-name', '**3**', '3: Name', '[3](x.md)'])(
  'the row of phase 3 is found as %s, and its cell stays',
  (cell) => {
    expect(tableAfter(`${HEAD}| ${cell} | 0/2 | - | 1h |\n| 30 | a | b | c |\n`, row('3', 1, 2, 20))).toBe(
      `${HEAD}| ${cell} | 1/2 | 20m | 20m |\n| 30 | a | b | c |\n`,
    );
  },
);

describe('new rows', () => {
  test('stand in ascending order, whatever the order of the facts', () => {
    expect(
      tableAfter(`${HEAD}| 2 | a | b | c |\n| 10 | d | e | f |\n`, row('11'), row('2.1'), row('1')),
    ).toBe(
      `${HEAD}| 1 | 0/8 | - | - |\n| 2 | a | b | c |\n| 2.1 | 0/8 | - | - |\n| 10 | d | e | f |\n| 11 | 0/8 | - | - |\n`,
    );
  });

  test('stand before a row of totals', () => {
    expect(tableAfter(`${HEAD}| 1 | a | b | c |\n| Total | d | e | f |\n`, row('3'))).toBe(
      `${HEAD}| 1 | a | b | c |\n| 3 | 0/8 | - | - |\n| Total | d | e | f |\n`,
    );
  });

  test.each(['| - | - | - | - |\n', '| — | | n/a | ... |\n| - | - | - | - |\n', ''])(
    'replace placeholders: %j',
    (placeholder) => {
      expect(tableAfter(HEAD + placeholder, row('3'))).toBe(`${HEAD}| 3 | 0/8 | - | - |\n`);
    },
  );

  test('have the widths of a table that is aligned', () => {
    const table = '| Phase    | Plans | Total  | Avg/Plan |\n|----------|-------|--------|----------|\n';
    expect(
      tableAfter(`${table}| 01-rooms | 3/3   | 1h 3m  | 21m      |\n`, row('3'), row('1', 3, 3, 130)),
    ).toBe(`${table}| 01-rooms | 3/3   | 2h 10m | 43m      |\n| 3        | 0/8   | -      | -        |\n`);
  });

  test('of a tight table are tight', () => {
    expect(
      tableAfter('|Phase|Plans|Total|Avg/Plan|\n|-|-|-|-|\n|1|0/1|1m|-|\n', row('3'), row('1', 1, 1, 5)),
    ).toBe('|Phase|Plans|Total|Avg/Plan|\n|-|-|-|-|\n|1|1/1|5m|5m|\n|3|0/8|-|-|\n');
  });
});

test('columns are found by their names; others, and escaped pipes in them, stay', () => {
  const table =
    '| Avg | Notes | Plans | Phase | Total |\n|---|---|---|---|---|\n| - | a \\| b | 0/2 | 3 | 10m |\n';
  expect(tableAfter(table, row('3', 1, 2, 20), row('4'))).toBe(
    '| Avg | Notes | Plans | Phase | Total |\n|---|---|---|---|---|\n| 20m | a \\| b | 1/2 | 3 | 20m |\n| - | - | 0/8 | 4 | - |\n',
  );
});

test('a table without outer pipes', () => {
  const table = 'Phase | Plans | Total | Avg/Plan\n--- | --- | --- | ---\n';
  expect(tableAfter(`${table}- | - | - | -\n`, row('3'))).toBe(`${table}3 | 0/8 | - | -\n`);
  expect(tableAfter(`${table}1 | 0/1 | - | -\n`, row('1', 1, 1, 5), row('3'))).toBe(
    `${table}1 | 1/1 | 5m | 5m\n3 | 0/8 | - | -\n`,
  );
});

test('a row that is too short is filled up', () => {
  expect(tableAfter(`${HEAD}| 3 | 1/9 |\n| 4 |\n`, row('3', 1, 2, 20))).toBe(
    `${HEAD}| 3 | 1/2 | 20m | 20m |\n| 4 |\n`,
  );
});

test('a row that says more than numbers stays below the new one, once', () => {
  const old = '| 3 | 0/2 (ask Ann) | 1h, she says | soon |\n';
  const now = '| 3 | 1/2 | 20m | 20m |\n| Earlier | 0/2 (ask Ann) | 1h, she says | soon |\n';
  expect(tableAfter(HEAD + old, row('3', 1, 2, 20))).toBe(HEAD + now);
  expect(tableAfter(HEAD + now, row('3', 2, 2, 40), row('4'))).toBe(
    `${HEAD}${now.replace('1/2 | 20m', '2/2 | 40m')}| 4 | 0/8 | - | - |\n`,
  );
  expect(readState(around(HEAD + now)).byPhase).toHaveLength(1);
});

test('a number that is not known any more does not go', () => {
  expect(tableAfter(`${HEAD}| 3 | 4 | 36m | ~9 min |\n`, row('3', 4, 5))).toBe(
    `${HEAD}| 3 | 4/5 | 36m | ~9 min |\n`,
  );
});

test('rows of single plans, which another tool appends, are not rows of phases', () => {
  const plans =
    '| Phase 03 P01 | 4min | 2 tasks | 7 files |\n| Phase 03-name P02 | 6 | 1 tasks | 2 files |\n';
  expect(tableAfter(HEAD + plans, row('3', 1, 2, 20))).toBe(`${HEAD}${plans}| 3 | 1/2 | 20m | 20m |\n`);
});

test('the row is found in whichever table of the metrics has it', () => {
  const old = `## Metrics\n\n**By Phase (v1):**\n\n${HEAD}| 1 | 3 | 14m | 5m |\n\n**v2:**\n\n${HEAD}| 3 | 1 | 5m | 5m |\n`;
  expect(updateState(old, { byPhase: [row('1', 3, 3, 20), row('4')] }).text).toBe(
    `${old.replace('| 3 | 14m | 5m |', '| 3/3 | 20m | 7m |')}| 4 | 0/8 | - | - |\n`,
  );
});

test('a column that is missing is said, and nothing is written in its place', () => {
  const text = around('| Phase | Plans |\n|---|---|\n| 3 | 1/2 |\n');
  const { text: after, issues } = updateState(text, { byPhase: [row('3')] });
  expect(after).toBe(text.replace('| 1/2 |', '| 0/8 |'));
  expect(issues.map(({ code, line }) => [code, line])).toEqual([
    ['state-column-missing', 5],
    ['state-column-missing', 5],
  ]);
});

test('trap 29: a row never stands outside its table', () => {
  for (const after of [
    '',
    '\n',
    '\nHuman.\n',
    '\n\n## Next\n',
    '\n<!-- x -->\n',
    '\n```\n| 9 | fence | - | - |\n```\n',
  ]) {
    const text = `**By Phase:**\n\n${HEAD}| 1 | a | b | c |${after}`;
    const { text: updated } = updateState(text, { byPhase: [row('3')] });
    expect(updated).toBe(text.replace('| c |', '| c |\n| 3 | 0/8 | - | - |'));
    expect(readState(updated).byPhase.at(-1)).toEqual({ phase: '3', plans: '0/8', total: '-', average: '-' });
  }
});

describe('no table', () => {
  const table = `${HEAD}| 3 | 0/8 | - | - |\n`;

  test.each([
    ['a caption', '**By Phase:**\n\nHuman.\n', `**By Phase:**\n\n${table}\nHuman.\n`],
    ['a caption with text on it', '**By Phase:**\nHuman.\n', `**By Phase:**\n\n${table}\nHuman.\n`],
    ['a heading', '### By Phase\nHuman.\n', `### By Phase\n\n${table}\nHuman.\n`],
    [
      'the section',
      '## Performance Metrics\n\nHuman.\n',
      `## Performance Metrics\n\nHuman.\n\n**By Phase:**\n\n${table}`,
    ],
    ['nothing', 'Human.\n', `Human.\n\n## Performance Metrics\n\n**By Phase:**\n\n${table}`],
  ])('%s is there', (_, text, expected) => {
    const { text: after, issues } = updateState(text, { byPhase: [row('3')] });
    expect(after).toBe(expected);
    expect(issues).toMatchObject([{ code: 'state-section-added' }]);
    expect(updateState(after, { byPhase: [row('3')] })).toEqual({ text: after, issues: [] });
  });
});

test('rows of other phases, and their line endings, stay to the byte', () => {
  const text = `${HEAD.replaceAll('\n', '\r\n')}|1|  x |y | z|   \n| 5 | a | b | c |\r\n`;
  expect(updateState(text, { byPhase: [row('3')] }).text).toBe(
    text.replace('   \n', '   \n| 3 | 0/8 | - | - |\r\n'),
  );
});
