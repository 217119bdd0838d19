import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Editor, type Permission } from '../cli/acp/editor.js';
import { reportOf } from '../cli/agents/project.js';
import { readEvents, type Site } from '../cli/orchestrate/site.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { type Ended, endOf } from '../cli/sessions/site.js';
import { TEDDY } from '../cli/teddy.js';
import { CLIENTS, openClientSite } from './clients.js';
import { type ClientName, REAL_CLIENTS, usageOf } from './real-clients.js';
import { ASIDE, MAKE, RESULT, running, waiting } from './script.js';
import { type Act, type Conversation, type ScriptedModel, TOKENS } from './scripted-model.js';

// The real clients by the Agent Client Protocol. claude and codex have adapters of their own, which are installed with them.

/** Answers every question of the agent until the run has ended. Returns the questions. */
async function answerAll(
  site: Site,
  ended: Promise<Ended>,
  answer: (question: string) => string,
): Promise<{ asked: string[]; ended: Ended }> {
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  const asked: string[] = [];
  while (!isOver) {
    const { stdout } = await site.run(['inbox', '--json']);
    const open = JSON.parse(stdout).find(({ kind }: { kind: string }) => kind === 'question');
    if (open === undefined) continue;
    const words = [process.execPath, TEDDY, 'inbox', open.id];
    const terminal = new TestTerminal(words, { cwd: site.root, columns: 100, rows: 50, env: site.env });
    await terminal.shows(/Your reply/);
    const question = terminal.history();
    asked.push(question);
    terminal.send(`${answer(question)}\r`);
    await terminal.ended;
  }
  return { asked, ended: await ended };
}

const REASON = 'Leave that file alone.';
const permit = (question: string) => (/refused\.txt/.test(question) ? REASON : 'allow');

/** One version of each. */
const NEWEST = CLIENTS.filter(({ client }, at) => CLIENTS.findIndex((each) => each.client === client) === at);

/** The tool by which a model asks the user, where the adapter offers it and passes the question on. */
const QUESTION_TOOL: Partial<Record<ClientName, string>> = { claude: 'AskUserQuestion' };

/** Within its own sandbox codex does not ask: its model does, to leave it. */
function asking(act: Act): Act {
  if (!('use' in act) || act.use?.tool.name !== 'exec_command') return act;
  const input = Object(act.use.input);
  const escalated = { ...input, sandbox_permissions: 'require_escalated', justification: 'It is needed.' };
  return { ...act, use: { ...act.use, input: escalated } };
}

/** Without these settings, codex and opencode do not ask the user. */
function askingEnvironment(client: ClientName, url: string): Record<string, string> {
  if (client === 'codex') return { INITIAL_AGENT_MODE: 'workspace-write' };
  if (client !== 'opencode') return {};
  const settings = JSON.parse(REAL_CLIENTS.opencode.environment(url).OPENCODE_CONFIG_CONTENT!);
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings, permission: { bash: 'ask' } }) };
}

for (const each of NEWEST.map((client) => ({ ...client, folder: client.acp })))
  describe.skipIf(noPython || each.folder === null)(each.title, () => {
    const { client } = each;
    const real = REAL_CLIENTS[client];
    const words = ['orchestrate', '--json', '--yes', '--executor', `${client}-acp`];
    const config = 'orchestrate: {taskTime: 120s, maxAttempts: 1}\n';

    /** What it should say that it has used: gemini counts no titles and the like, opencode only the tokens of each turn's last request. */
    const used = ({ answered }: ScriptedModel, turns = 1) => {
      const countsAsides = real.countsAsides && client !== 'gemini';
      const all = usageOf(answered, { ...real, countsAsides });
      if (client !== 'opencode') return all;
      return { ...all, inputTokens: turns * TOKENS.input, outputTokens: turns * TOKENS.output };
    };

    test.each([true, false])(
      'a task is done and verified, with its tokens and cost; confined: %s',
      async (confined) => {
        const script = running(real, MAKE, 'test -s made-01-01-1.txt');
        const { model, site } = await openClientSite(each, script, { confined, config });
        const { ended } = await answerAll(site, endOf(site.start(words)), permit);
        const { summary } = readEvents(ended.stdout);
        expect(summary).toMatchObject({ done: 1, questions: [] });
        expect(site.read('made-01-01-1.txt')).toBe('alpha\n');
        expect(summary.usage).toMatchObject(used(model));
      },
    );

    test('a permission is refused with a reason, which reaches the agent', async () => {
      const work = running(real, 'touch refused.txt', MAKE);
      const script = async (said: Conversation) =>
        said.results.length === 0 ? asking(await work(said)) : work(said);
      const { model, site } = await openClientSite(each, script, { confined: false, config });
      Object.assign(site.env, askingEnvironment(client, model.url));
      const { asked, ended } = await answerAll(site, endOf(site.start(words)), permit);
      const { summary, of } = readEvents(ended.stdout);
      expect(asked[0]).toMatch(/asks:[\s\S]*touch refused\.txt/);
      expect(site.has('refused.txt')).toBe(false);
      expect(summary).toMatchObject({ done: 1 });
      expect(of('finished')[0]!.warnings.join('\n')).toContain(`(${REASON})`);
      expect(model.asked.at(-1)!.prompt).toContain(REASON);
      expect(summary.usage).toMatchObject(used(model, 2));
    });

    const questionTool = QUESTION_TOOL[client];
    const notOffered = questionTool === undefined ? ' (skipped: its adapter offers none)' : '';
    test.skipIf(notOffered)(
      `a question in the middle of the task is answered in the inbox${notOffered}`,
      async () => {
        const script = ({ tools, results }: Conversation): Act => {
          const tool = tools.find(({ name }) => name === questionTool);
          if (tool === undefined) return ASIDE;
          if (results.length === 0) return { text: 'I ask.', use: { tool, input: QUESTION } };
          return results.length === 1 ? { use: real.run(tools, MAKE) } : { text: RESULT };
        };
        const { model, site } = await openClientSite(each, script, { confined: false, config });
        const answer = (question: string) => (/Which colour/.test(question) ? 'Amber' : 'allow');
        const { asked, ended } = await answerAll(site, endOf(site.start(words)), answer);
        expect(asked[0]).toContain('Which colour');
        expect(model.asked.at(-1)!.results[0]).toContain('Amber');
        expect(readEvents(ended.stdout).summary).toMatchObject({ done: 1 });
      },
    );

    test.each([true, false])('what it runs ends when its time is up; confined: %s', async (confined) => {
      const { command, isRunning } = waiting();
      // Until it is long enough for the client to start the command.
      for (const seconds of [20, 60, 180]) {
        const limits = `orchestrate: {taskTime: ${seconds}s, maxAttempts: 1}\n`;
        const { site } = await openClientSite(each, running(real, command), { confined, config: limits });
        let hasRun = false;
        const watch = setInterval(() => {
          hasRun ||= isRunning();
        }, 50);
        const run = answerAll(site, endOf(site.start(words)), permit);
        const { summary, of } = readEvents((await run.finally(() => clearInterval(watch))).ended.stdout);
        expect(of('finished').map(({ why }) => why)).toEqual(['time-out']);
        expect({ done: summary.done, left: isRunning() }).toEqual({ done: 0, left: false });
        if (hasRun) return;
      }
      throw new Error('The command never ran.');
    });

    test('what it runs ends with two Ctrl-C, and nothing counts as failed', async () => {
      const { command, isRunning } = waiting();
      const { site } = await openClientSite(each, running(real, command), { confined: false, config });
      const child = site.start(words);
      const run = answerAll(site, endOf(child), permit);
      await hasStarted(isRunning, run);
      child.kill('SIGINT');
      await sleep(200);
      child.kill('SIGINT');
      const { exit, stdout } = (await run).ended;
      expect({ exit, left: isRunning() }).toEqual({ exit: 130, left: false });
      expect(readEvents(stdout).summary).toMatchObject({ stopped: 'interrupted', attempts: 0, failed: 0 });
    });

    test('after SIGKILL, the next start ends what is left and does the task', async () => {
      const { command, isRunning } = waiting();
      let isKilled = false;
      const script = (said: Conversation) => running(real, isKilled ? MAKE : command)(said);
      const { site } = await openClientSite(each, script, { confined: false, config });
      const child = site.start(words);
      const run = answerAll(site, endOf(child), permit);
      await hasStarted(isRunning, run);
      isKilled = true;
      child.kill('SIGKILL');
      await run;
      const { ended } = await answerAll(site, endOf(site.start(words)), permit);
      expect(readEvents(ended.stdout).summary).toMatchObject({ done: 1, failed: 0 });
      expect({ left: isRunning(), made: site.read('made-01-01-1.txt') }).toEqual({
        left: false,
        made: 'alpha\n',
      });
    });

    test('in an editor its changes are shown, and land', async () => {
      const { model, site } = await openClientSite(each, running(real, MAKE), { confined: true, config });
      expect((await site.run(['trust', '--yes'])).exit).toBe(0);
      const permit = ({ options }: Permission) =>
        options.find(({ name }) => /^(?:Allow: |Approve$)/.test(name))?.name ?? null;
      const editor = await Editor.open(site, { permit }, ['--agent', `${client}-acp`]);
      await editor.start();
      expect(await editor.prompt('Make it.')).toBe('end_turn');
      const path = `${site.root}/made-01-01-1.txt`;
      const diff = { type: 'diff', path, oldText: null, newText: 'alpha\n' };
      expect(editor.asked.at(-1)!.toolCall.content).toContainEqual(diff);
      expect(site.read('made-01-01-1.txt')).toBe('alpha\n');
      const { inputTokens, outputTokens } = used(model);
      expect(editor.updates).toContainEqual(
        expect.objectContaining({ sessionUpdate: 'usage_update', used: inputTokens + outputTokens }),
      );
      expect(await editor.end()).toBe(0);
    });

    test('agent run: a report that breaks the contract once', async () => {
      const script = ({ tools, prompt }: Conversation): Act =>
        tools.length === 0
          ? ASIDE
          : { text: /Your last report was refused/.test(prompt) ? reportOf() : reportOf({ status: 'done' }) };
      const { model, site } = await openClientSite(each, script, { confined: false });
      const goal = ['--task-id', 'auth-1', '--goal', 'Find it.', '--field', 'questions=Where?'];
      const start = ['agent', 'run', 'investigator', '--with', `${client}-acp`, '--json', '--unconfined'];
      const { exit, stdout } = await endOf(site.start([...start, ...goal]));
      const { attempts } = JSON.parse(stdout);
      expect(attempts).toMatchObject([{ compliant: false }, { compliant: true }]);
      expect(exit).toBe(0);
      const stats = await site.run(['agent', 'stats', '--json']);
      const { used } = JSON.parse(stats.stdout).agents[0];
      const price = real.priceOf(model.answered.at(-1)!.model);
      expect({ ...used, costUsd: used.costUsd && Number(used.costUsd.toFixed(9)) }).toMatchObject({
        answers: 2,
        inputTokens: 2 * TOKENS.input,
        outputTokens: 2 * TOKENS.output,
        costUsd: price && Number((2 * price).toFixed(9)),
      });
    });
  });

/** Waits for a command of the agent, which comes before the end of the run. */
async function hasStarted(isRunning: () => boolean, run: Promise<unknown>): Promise<void> {
  const early = run.then(() => {
    throw new Error('The command never ran.');
  });
  await Promise.race([early, vi.waitUntil(isRunning, { timeout: 300_000 })]);
}

const QUESTION = {
  questions: [
    {
      id: 'colour',
      header: 'Colour',
      question: 'Which colour?',
      multiSelect: false,
      options: [
        { label: 'Amber', description: 'Like honey.' },
        { label: 'Blue', description: 'Like the sky.' },
      ],
    },
  ],
};
