import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { planText, Site } from './site.js';

const RECORDED = fileURLToPath(new URL('../../../spec/clients/recorded/', import.meta.url));

/** A client that does what it did when this was recorded. */
function replay(recording: string, exit: number): string {
  const path = `${RECORDED}${recording}`;
  return `cat > /dev/null; echo "$TEDDY_TASK_ID" >> "$SITE/tally"; cat '${path}.stdout' 2>/dev/null; cat '${path}.stderr' >&2 2>/dev/null; exit ${exit}`;
}

const PLANS = { '01-01': planText('01-01', 9, ['parallel: true']) };

describe('a client that cannot be used is asked about once, and no attempt counts', () => {
  test.each([
    ['claude', 'claude-2.1.325/not-logged-in', 1, 'Not logged in'],
    ['claude', 'claude-2.1.325/http401', 1, 'Invalid API key'],
    ['codex', 'codex-0.166.0/http401', 1, '401 Unauthorized'],
    ['gemini', 'gemini-0.61.0/not-logged-in', 41, 'Please set an Auth method'],
    ['gemini', 'gemini-0.61.0/untrusted', 55, 'not running in a trusted directory'],
    [
      'opencode',
      'opencode-1.1.65/ok',
      1,
      'opencode did not start: it printed its help, so it does not support one of the flags it was started with.',
    ],
  ])('%s: %s', async (client, recording, exit, words) => {
    const site = new Site(PLANS);
    site.program(client, replay(recording, exit));
    const { exit: code, summary, of } = await site.conduct('--executor', client, '--jobs', '3');
    expect(code).toBe(1);
    expect(summary.questions.map(({ why }) => why)).toEqual(['unusable']);
    expect(summary.questions[0]!.message).toContain(words);
    expect(summary).toMatchObject({ attempts: 0, retries: 0, done: 0, failed: 0 });
    expect(summary.open).toHaveLength(8);
    expect(of('retry')).toEqual([]);
    // At most those that had begun by then.
    expect(site.tally.length).toBeLessThanOrEqual(3);
    expect(site.marks('01-01')).toEqual(Array.from({ length: 9 }, () => '-'));
  });

  test('once it is answered, the others are tried', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 3) },
      { config: '  absent: {command: no-such-program}\n' },
    );
    const first = await site.conduct('--executor', 'absent');
    expect(first.summary.questions).toHaveLength(1);
    const { exit, summary } = await site.conduct('--executor', 'worker');
    expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 3 });
  });
});

test('a rate limit is no such thing', async () => {
  const site = new Site({ '01-01': planText('01-01', 1) });
  site.program('claude', replay('claude-2.1.325/http529', 1));
  const { summary, of } = await site.conduct('--executor', 'claude', '--max-attempts', '2');
  expect(of('retry').map(({ why }) => why)).toEqual(['rate-limit']);
  expect(summary.questions.map(({ why }) => why)).toEqual(['attempts-exhausted']);
});

describe.runIf(process.geteuid?.() === 0)('claude as root', () => {
  test('is refused before anything is started', async () => {
    const site = new Site(PLANS, { env: { IS_SANDBOX: '' } });
    site.program('claude', 'touch "$SITE/began"');
    const { exit, stderr } = await site.orchestrate('--executor', 'claude');
    expect(exit).toBe(2);
    expect(stderr).toContain('as root');
    expect(stderr).toContain('IS_SANDBOX=1');
    expect(site.note('tally')).toBe('');
    expect(site.has('.ultraplan/state/journal.jsonl')).toBe(false);
  });
});
