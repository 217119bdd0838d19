import { describe, expect, test } from 'vitest';
import type { ExecuteAction } from '../../../src/core/plan/types.js';
import { noPython } from '../pty/terminal.js';
import { buildFixture, COMMAND, FILE, LONG_FILE, question, READY, startReview } from './review.js';

describe.skipIf(noPython)(`what a poor terminal shows${noPython}`, () => {
  buildFixture();

  test.each([
    ['--no-color', { color: false }, {}],
    ['NO_COLOR', {}, { NO_COLOR: '1' }],
  ])('%s: no colour, and nothing lost', async (_, script, env) => {
    const preview = { kind: 'write' as const, path: 'a.txt', before: 'a\n', after: 'b\n', matched: null };
    const { terminal } = startReview({ ...script, steps: [{ ask: question(FILE, { preview }) }] }, { env });
    await terminal.shows(READY);
    expect(terminal.text()).toContain('1   │-a\n');
    expect(terminal.text()).toContain('  1 │+b\n');
    expect(terminal.raw).not.toMatch(/\u001b\[[0-9;]*m/);
    terminal.send('\u0003');
    await terminal.ended;
  });

  test.each([
    ['a C locale', { LANG: 'C' }],
    ['the console', { TERM: 'linux' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('%s: ASCII alone, and all of it works', async (_, env) => {
    const steps = [
      { ask: question(COMMAND, { risks: [{ kind: 'network' as const, message: 'network' }] }) },
      { ask: question(LONG_FILE, { number: 2 }) },
    ];
    const { terminal, answers } = startReview({ steps }, { env });
    await terminal.shows(READY);
    expect(terminal.text()).toContain('! network');
    expect(terminal.text()).toContain('1 | npm ci');
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('be');
    terminal.send('\u007f');
    terminal.send('ecause\r');
    await terminal.shows(/2 of 3.*n skip/s);
    terminal.send('v');
    await terminal.shows('of 10004');
    terminal.send('q');
    await terminal.shows(/n skip.*q quit[\s\S]*$/);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toMatchObject([{ decision: 'skip', reason: 'because' }, { decision: 'approve' }]);
    expect(terminal.raw).toMatch(/^[\u0000-\u007f]*$/);
    if ('TERM' in env && env.TERM === 'dumb') expect(terminal.raw).not.toContain('\u001b');
  });

  test('a terminal of another charset gets no byte beyond ASCII', async () => {
    const command = { ...(COMMAND as ExecuteAction), command: 'echo é漢\n' };
    const { terminal } = startReview(
      { steps: [{ ask: question(command) }] },
      { env: { LANG: 'de_DE.ISO-8859-1' } },
    );
    await terminal.shows(READY);
    expect(terminal.text()).toContain('echo <U+00E9><U+6F22>');
    expect(terminal.raw).toMatch(/^[\u0000-\u007f]*$/);
    terminal.send('\u0003');
    await terminal.ended;
  });
});
