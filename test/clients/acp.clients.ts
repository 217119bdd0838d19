import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLIENTS, openClientSite } from './clients.js';
import { REAL_CLIENTS, type RealClient, usageOf } from './real-clients.js';
import type { Act, Conversation } from './scripted-model.js';

const RESULT = `status: success
task_name: "Task 1: Part 1"
files_modified: [made-01-01-1.txt]
verification:
  command: "test -s made-01-01-1.txt"
  exit_code: 0
  output_summary: "it printed nothing"
done_criteria_met: true
evidence: "I wrote it, and the command passed."
error: null
`;
const ASIDE = { text: '{"title": "A title", "complexity_reasoning": "It is small.", "complexity_score": 1}' };

function running(real: RealClient, ...commands: string[]): (conversation: Conversation) => Act {
  return ({ tools, results }) => {
    if (tools.length === 0) return ASIDE;
    const command = commands[results.length];
    if (command === undefined) return { text: RESULT };
    return { text: 'I work.', use: real.run(tools, command) };
  };
}
const MAKE = 'echo alpha > made-01-01-1.txt';

for (const each of CLIENTS)
  describe(each.title, () => {
    const real = REAL_CLIENTS[each.client];
    test.each([true, false])('done %s', async (confined) => {
      const { model, site } = await openClientSite(each, running(real, MAKE, 'test -s made-01-01-1.txt'), { confined, config: 'orchestrate: {taskTime: 40s, maxAttempts: 1}\n' });
      site.write('.teddy/policy.yaml', 'rules:\n  - {allow: EXECUTE}\n  - {allow: CREATE, path: "**"}\n');
      site.git('add', '-A'); site.git('commit', '-qm', 'x');
      const out = await site.run(['orchestrate', '--yes', '--json', '--trust', '--executor', `${each.client}-acp`]);
      console.log(out.stdout.slice(-6000), out.stderr.slice(-2000));
      const { inputTokens, outputTokens } = usageOf(model.answered, real);
      console.log({ inputTokens, outputTokens, asked: model.asked.length });
      for (const f of readdirSync(`${site.root}/.ultraplan/state/output`)) console.log(readFileSync(`${site.root}/.ultraplan/state/output/${f}`, 'utf8').slice(0, 3000));
    });
  });
