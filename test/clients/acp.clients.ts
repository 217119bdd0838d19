import { describe, expect, test } from 'vitest';
import { readEvents, type Site } from '../cli/orchestrate/site.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { endOf } from '../cli/sessions/site.js';
import { TEDDY } from '../cli/teddy.js';
import { CLIENTS, openClientSite } from './clients.js';
import { REAL_CLIENTS, type RealClient, usageOf } from './real-clients.js';
import type { Act, Conversation } from './scripted-model.js';

// The real clients by the Agent Client Protocol. claude and codex have adapters of their own, which are installed with them.

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

/** Runs these commands one after the other, then says that the task is done. */
function running(real: RealClient, ...commands: string[]): (conversation: Conversation) => Act {
  return ({ tools, results }) => {
    if (tools.length === 0) return ASIDE;
    const command = commands[results.length];
    if (command === undefined) return { text: RESULT };
    return { text: 'I work.', use: real.run(tools, command) };
  };
}

const MAKE = 'echo alpha > made-01-01-1.txt';

/** Answers every question of the agent with these words, until the run has ended. */
async function answerAll(site: Site, answer: string, hasEnded: () => boolean): Promise<number> {
  let answered = 0;
  while (!hasEnded()) {
    const { stdout } = await site.run(['inbox', '--json']);
    const open = JSON.parse(stdout).find(({ kind }: { kind: string }) => kind === 'question');
    if (open === undefined) continue;
    const words = [process.execPath, TEDDY, 'inbox', open.id];
    const terminal = new TestTerminal(words, { cwd: site.root, columns: 100, rows: 50, env: site.env });
    await terminal.shows(/Your reply/);
    terminal.send(`${answer}\r`);
    await terminal.ended;
    answered++;
  }
  return answered;
}

/** One version of each. */
const NEWEST = CLIENTS.filter(({ client }, at) => CLIENTS.findIndex((each) => each.client === client) === at);

for (const each of NEWEST.map((client) => ({ ...client, folder: client.acp })))
  describe.skipIf(noPython)(each.title, () => {
    const { client, folder } = each;
    const real = REAL_CLIENTS[client];
    const words = ['orchestrate', '--json', '--yes', '--executor', `${client}-acp`];

    test.skipIf(folder === null).each([true, false])(
      'a task is done and verified, with what the user allows; confined: %s',
      async (confined) => {
        const script = running(real, MAKE, 'test -s made-01-01-1.txt');
        const config = 'orchestrate: {taskTime: 90s, maxAttempts: 1}\n';
        const { model, site } = await openClientSite(each, script, { confined, config });
        let isOver = false;
        const ended = endOf(site.start(words)).finally(() => {
          isOver = true;
        });
        await answerAll(site, 'allow', () => isOver);
        const { stdout } = await ended;
        const { summary } = readEvents(stdout);
        expect(summary).toMatchObject({ done: 1, questions: [] });
        if (client === 'claude') expect(summary.usage).toMatchObject(usageOf(model.answered, real));
        expect(site.read('made-01-01-1.txt')).toBe('alpha\n');
      },
    );
  });
