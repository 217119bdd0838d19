import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readState, updateState } from '../../../src/core/state/state.js';
import { anyFacts, withFacts } from './states.js';

const SOAK = process.env.TEDDY_SOAK === '1';
const RUNS = { numRuns: SOAK ? 50_000 : 600 };

/** Pieces of which a STATE.md is made, and of which it can be broken. */
const soup = fc
  .array(
    fc.constantFrom(
      '\n',
      '\n',
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      '  ',
      '    ',
      '\t',
      '\r',
      '\ufeff',
      '\0',
      'a',
      'x y',
      '🙂',
      '\ud83d',
      '## Current Position',
      '# Position',
      '## Performance Metrics',
      '**Velocity:**',
      '### By Phase',
      '**Recent Trend**',
      '## Blockers',
      '**Blockers:**',
      '## Session Continuity',
      '---',
      '===',
      '----',
      '> ',
      '- ',
      '* ',
      '1. ',
      'Phase: ',
      'Phase: 2 of 3 (A)',
      '**Plan:** ',
      'Plan: *1* of 2',
      'Status: ',
      '**Status: x**',
      'Last activity: ',
      'Progress: ',
      'Progress: [##] 10% (1/2)',
      'Total plans completed: 3',
      'Average duration: ',
      'Last 5 plans: ',
      'Trend: ',
      'Last session: ',
      'Stopped at: ',
      '| Phase | Plans | Total | Avg/Plan |',
      '|---|---|---|---|',
      '| 1 | 1/2 | - | - |',
      '| - | - | - | - |',
      'Phase | Total',
      '--|--',
      '3 | 4',
      '| Status | x |',
      '| a | b |',
      '|--|--|',
      'None yet.',
      '- None',
      '- 03-01:2 (2026-01-26): x',
      '```',
      '~~~',
      '`',
      '``',
      '<!--',
      '-->',
      '<!-- x -->',
      '\\',
      '|',
      '\\|',
      '*',
      '**',
      '_',
      ':',
      '(',
      ')',
      '%',
      '3',
      '<b>',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const anyText = fc.oneof(
  { weight: 6, arbitrary: soup },
  { weight: 1, arbitrary: fc.string({ maxLength: 300, unit: 'binary' }) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)),
  },
);

test('any text and any facts: never a throw, and twice is once', () => {
  fc.assert(
    fc.property(anyText, anyFacts, (text, facts) => {
      readState(text);
      const once = updateState(text, facts).text;
      expect(updateState(once, facts).text).toBe(once);
    }),
    RUNS,
  );
});

test('any text without facts stays as it is, unless it is blank', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      if (text.trim() !== '') expect(updateState(text, {})).toEqual({ text, issues: [] });
    }),
    RUNS,
  );
});

describe('hostile files are written as any other', () => {
  const size = SOAK ? 2 ** 18 : 2 ** 13;
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length));
  test.each([
    ['open comments', fill('<!-- ')],
    ['open comments, each in a paragraph, one close far away', `${fill('x <!--\n\n')}-->`],
    ['comments that hide half a fence', fill('x\n<!--\n```\n-->\n')],
    ['ticks of all lengths', Array.from({ length: Math.sqrt(size * 2) }, (_, i) => '`'.repeat(i)).join(' ')],
    ['ticks and comments', fill('` <!-- `` ')],
    ['nested bullets on one line', fill('- ')],
    ['nested bullets with words', `${fill('- ')}x`],
    ['nested lists', Array.from({ length: Math.sqrt(size * 2) }, (_, i) => `${' '.repeat(i)}- x`).join('\n')],
    ['fields', fill('Phase: 1 of 2\n')],
    ['fields in paragraphs', fill('Status: x\n\n')],
    ['captions', fill('**Velocity:**\n\n')],
    ['headings', fill('## Blockers\n')],
    ['setext', fill('a\n----\n')],
    ['tables', fill('| Phase | Plans | Total | Avg/Plan |\n|-|-|-|-|\n\n')],
    ['tables without an end', fill('| Phase | Plans |\n|-|-|\n# a | b\n')],
    ['rows', `| Phase | Plans | Total | Avg/Plan |\n|-|-|-|-|\n${fill('| 1 | 2 | 3 | 4 |\n')}`],
    ['pipes', `${fill('|')}\n${fill('|-')}`],
    ['spaces', `Phase: ${fill(' ')}x${fill(' ')}`],
    ['backslashes', `Phase: ${fill('\\')}`],
    ['parentheses', `Phase: 1 of 2 ${fill('(')}`],
    ['counts', `Progress: 1%${fill('(1)')}`],
    ['emphasis', `Phase: ${fill('*')}`],
    ['digits', `Phase: ${fill('1')}`],
    ['spaces behind a status', `Status: Blocked${fill(' ')}x`],
    ['durations', `Average duration: ${fill('1m ')}x\nLast 5 plans: ${fill('1m, ')}x`],
    ['brackets', `Status: ${fill('[')}\nTrend: ${fill('[]')}\nLast activity: [${fill('a')}`],
    ['bars', `Progress: ${fill('#')}\nTrend: ${fill('✅')}`],
    ['kept lines', fill('Last activity: x\nStopped at: y\n')],
    ['our entries', `## Blockers\n${fill('- 03-01:2 (2026-01-26): x\n')}`],
    ['our entries with notes', `## Blockers\n${fill('- 03-01:2 (2026-01-26): x\n  y\n')}`],
    ['blank lines', `## Blockers\n- 03-01:2 (2026-01-26): x${fill('\n')}`],
    ['a long title', `## ${fill('a ')}`],
  ])('%s', (_, text) => {
    const once = updateState(text, withFacts()).text;
    expect(updateState(once, withFacts()).text).toBe(once);
    updateState(once, withFacts({ blockers: { change: 'remove', taskId: '03-01:2' } }));
    expect(readState(once).status).toBe('Phase complete');
  });
});
