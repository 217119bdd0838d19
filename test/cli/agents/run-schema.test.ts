import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { commitAll, makeRepository, reportOf, write } from './project.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

/** A project with a program of that name, which notes its arguments and does what the shell script says. */
function projectWith(client: string, script: string, files: Record<string, string> = {}): string {
  const note = `for word in "$@"; do printf '%s\\0' "$word"; done > words\ncat > prompt`;
  const cwd = makeRepository({ '.gitignore': '.teddy\n', 'src/zones.mjs': 'zone\n'.repeat(10), ...files });
  write(cwd, `bin/${client}`, `#!/bin/sh\n${note}\n${script}\n`);
  chmodSync(join(cwd, `bin/${client}`), 0o755);
  commitAll(cwd);
  return cwd;
}

const wordsOf = (cwd: string) => readFileSync(join(cwd, 'words'), 'utf8').split('\0').slice(0, -1);

async function run(cwd: string, client: string, agent: string, ...words: string[]) {
  const temporary = makeFolder();
  const env = { PATH: `${cwd}/bin:/usr/bin:/bin`, TMPDIR: temporary, IS_SANDBOX: '1' };
  const fixed = ['--with', client, '--trust', '--json', '--retries', '0', '--goal', 'Look at it.'];
  const end = await execTeddy(['agent', 'run', agent, ...fixed, ...words], { cwd, env });
  expect(readdirSync(temporary)).toEqual([]);
  return { ...end, said: end.stdout === '' ? {} : JSON.parse(end.stdout) };
}

async function strictSchemaOf(cwd: string, agent: string, level: string): Promise<unknown> {
  const words = ['agent', 'schema', agent, '--strict', '--verbosity', level];
  return JSON.parse((await execTeddy(words, { cwd })).stdout);
}

const RECORDED = join(import.meta.dirname, '../../../spec/clients/recorded/claude-2.1.325');
const ASKED = ['investigator', '--task-id', 'auth-1', '--field', 'questions=Where?'] as const;
const CODEX_ANSWER = [
  { type: 'thread.started', thread_id: '1' },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: reportOf() } },
  { type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 10, output_tokens: 50 } },
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

test('claude gets the strict schema of the level, and its structured answer counts', async () => {
  const cwd = projectWith('claude', `cat '${RECORDED}/schema-fits.stdout'`);
  const { exit, said } = await run(cwd, 'claude', 'reviewer', '--task-id', 'postage-3', '--unconfined');
  expect({ exit, said }).toMatchObject({ exit: 0, said: { compliant: true, route: 'accept' } });
  expect(said.attempts[0].measured).toMatchObject({ inputTokens: 3100, outputTokens: 50 });
  const words = wordsOf(cwd);
  expect(words.slice(-2, -1)).toEqual(['--json-schema']);
  expect(JSON.parse(words.at(-1)!)).toEqual(await strictSchemaOf(cwd, 'reviewer', 'detailed'));
});

test('claude never fits the schema: no report, with the reason', async () => {
  const cwd = projectWith('claude', `cat '${RECORDED}/schema-never-fits.stdout'; exit 1`);
  const { exit, said } = await run(cwd, 'claude', 'reviewer', '--task-id', 'postage-3', '--unconfined');
  expect({ exit, said }).toMatchObject({ exit: 1, said: { compliant: false, route: 'failed' } });
  expect(said.attempts).toMatchObject([{ status: 'unanswered', measured: { inputTokens: 15510 } }]);
  expect(said.attempts[0].reason).toContain('its answer did not match the schema after all its retries');
});

test.each([true, false])(
  'codex gets it as a file, which is gone afterwards; confined: %s',
  async (confined) => {
    if (confined && because !== '') return;
    const copy = 'while [ "$1" != --output-schema ]; do shift; done; cat "$2" > seen.json; cat answer.jsonl';
    const cwd = projectWith('codex', copy, { 'answer.jsonl': CODEX_ANSWER });
    const level = ['--verbosity', 'detailed', ...(confined ? [] : ['--unconfined'])];
    const { exit, said, stderr } = await run(cwd, 'codex', ...ASKED, ...level);
    expect({ exit, said, stderr }).toMatchObject({ exit: 0, said: { compliant: true } });
    const words = wordsOf(cwd);
    expect(words.at(-1)).toBe('-');
    expect(existsSync(words[words.indexOf('--output-schema') + 1]!)).toBe(false);
    const seen = JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'));
    expect(seen).toEqual(await strictSchemaOf(cwd, 'investigator', 'detailed'));
  },
);

test('a manual without a strict form: the client gets no schema, and the user is told why', async () => {
  const manual = `---
kind: subagent
purpose: Looks.
when_to_use: Always.
---

# Looker

Look.

## Findings schema

\`\`\`json
{"type": "object", "properties": {"pair": {"type": "array", "prefixItems": [{"type": "string"}]}}}
\`\`\`
`;
  const findings = { pair: ['one'] };
  const answer = reportOf({ agent: 'looker', findings });
  const cwd = projectWith('claude', `cat answer.json`, {
    'answer.json': JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: answer }),
    '.teddy/agents/looker.md': manual,
    '.gitignore': '',
  });
  const { exit, said, stderr } = await run(cwd, 'claude', 'looker', '--task-id', 'auth-1', '--unconfined');
  expect({ exit, said }).toMatchObject({ exit: 0, said: { compliant: true } });
  expect(wordsOf(cwd)).not.toContain('--json-schema');
  expect(stderr).toContain(
    'claude was given no schema for its report. The findings schema of the manual `looker`',
  );
  expect(stderr).toContain('`prefixItems`');
});

test('a version without the option is started again without it; other clients get none', async () => {
  const refuse = `case "$*" in *--json-schema*) echo "error: unknown option '--json-schema'" >&2; exit 1;; esac`;
  const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: reportOf() });
  const old = projectWith('claude', `${refuse}\ncat answer.json`, { 'answer.json': result });
  expect(await run(old, 'claude', ...ASKED, '--unconfined')).toMatchObject({
    exit: 0,
    said: { compliant: true, attempts: [{ status: 'answered' }] },
  });
  expect(wordsOf(old)).not.toContain('--json-schema');
  const gemini = projectWith('gemini', 'cat answer.json', {
    'answer.json': JSON.stringify({ response: reportOf(), stats: { models: {} } }, null, 2),
  });
  const { exit, stderr } = await run(gemini, 'gemini', ...ASKED, '--unconfined');
  expect(exit).toBe(0);
  expect(wordsOf(gemini)).toEqual(['--output-format', 'stream-json', '--approval-mode', 'yolo']);
  expect(stderr).not.toContain('schema');
});
