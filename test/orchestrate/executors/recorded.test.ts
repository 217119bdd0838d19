import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ExecutorPreset } from '../../../src/config/types.js';
import { readClientEnd } from '../../../src/core/agent-report/clients/read-client.js';
import { createPresetExecutor } from '../../../src/orchestrate/executors/command.js';
import { assignmentIn, openTestSite } from './site.js';

const FOLDER = fileURLToPath(new URL('../../../spec/clients/recorded/', import.meta.url));

/** What the model answered in the end, wherever nothing went wrong. */
const RESULT = `status: success
task_name: "Task 1: Write alpha"
files_modified: ${''}
  - "alpha.txt"
verification:
  command: "grep -qx alpha alpha.txt"
  exit_code: 0
  output_summary: "it printed nothing"
done_criteria_met: true
evidence: |
  I wrote alpha.txt, and the command passed.
error: null
metadata:
  attempt: 1`;

const TABLE = readFileSync(join(FOLDER, 'README.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => /^\w+-[\d.]+\//.test(cells[1] ?? ''))
  .map(([, name, exit, reads, answer, input, output, cost]) => ({
    name: name!,
    exit: Number(exit),
    reads: reads!,
    answer: answer!,
    usage: { inputTokens: amount(input), outputTokens: amount(output), costUsd: amount(cost) },
  }));

function amount(cell: string | undefined): number | null {
  return cell === '-' ? null : Number(cell);
}

test('the table has every recording', () => {
  const all = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const outputs = all.filter((path) => /\.std(?:out|err)$/.test(path));
  const recorded = new Set(outputs.map((path) => path.slice(0, -7)));
  expect(TABLE.map(({ name }) => name).sort()).toEqual([...recorded].sort());
  expect(recorded.size).toBeGreaterThan(100);
});

describe.each(TABLE)('$name', ({ name, exit, reads, answer, usage }) => {
  const client = name.slice(0, name.indexOf('-')) as ExecutorPreset;
  const replay = (of: string) =>
    `cat '${join(FOLDER, of)}.stdout' 2> /dev/null; cat '${join(FOLDER, of)}.stderr' >&2 2> /dev/null`;

  test(`reads as ${reads}`, async () => {
    // What is busy is started again, and then works.
    const again = `[ ! -e again ] || { ${replay(name.replace(/[^/]+$/, 'ok'))}; exit 0; }; touch again`;
    const script = `#!/bin/sh\ncat > /dev/null\n${reads === 'busy' ? again : ''}\n${replay(name)}\nexit ${exit}\n`;
    const { folder, site } = openTestSite({ [client]: script });
    const end = await createPresetExecutor(client, client).run(assignmentIn(folder), site);
    const status = { answer: 'returned', busy: 'returned', unusable: 'unusable' }[reads] ?? 'crashed';
    expect(end.status).toBe(status);
    if (end.status === 'crashed') expect(end.limited).toBe(reads === 'limited');
    if (end.status === 'returned') expectAnswer(answer, end.text);
    expect({ ...end.usage, costUsd: round(end.usage.costUsd) }).toEqual(usage);
  });

  test('and says why', () => {
    const [stdout, stderr] = ['stdout', 'stderr'].map((which) => {
      const path = join(FOLDER, `${name}.${which}`);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    }) as [string, string];
    const { failed } = readClientEnd(client, { stdout, stderr, exitCode: exit });
    if (reads === 'answer') expect(failed).toBeNull();
    else if (reads === 'none' || reads === 'busy') expect([null, 'other']).toContain(failed);
    else expect(failed).toBe(reads);
  });
});

function expectAnswer(answer: string, text: string): void {
  if (answer === 'result') expect(text.trim()).toBe(RESULT);
  else if (answer === 'fenced') expect(text).toContain(`\n${RESULT}\n`);
  else if (answer === 'report') expect(JSON.parse(text)).toHaveProperty('report_metadata.status');
  else expect(text).toBe(answer);
}

/** Sums of amounts are not exact. */
function round(cost: number | null): number | null {
  return cost === null ? null : Number(cost.toFixed(9));
}
