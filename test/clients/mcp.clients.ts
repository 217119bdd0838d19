import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAction, planOf } from '../cli/execute/program.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { endOf } from '../cli/sessions/site.js';
import { CLIENTS, openClientSite } from './clients.js';
import { REAL_CLIENTS } from './real-clients.js';
import type { Act, Conversation, OfferedTool } from './scripted-model.js';

const PLAN = planOf('Two files', createAction('one.txt'), createAction('two.txt'));

/** Hands in the plan, then waits for its report. */
function proposing({ tools, results }: Conversation): Act {
  if (tools.length === 0) return { text: '{"title": "A title", "complexity_score": 1}' };
  const id = runIdIn(results);
  if (isReported(results)) return { text: 'I have read the report.' };
  if (id !== undefined) return { use: { tool: findTool(tools, 'get_run'), input: { run_id: id } } };
  const search = tools.find(({ name }) => name === 'ToolSearch');
  if (search !== undefined && results.length === 0)
    return { use: { tool: search, input: { query: 'select:mcp__teddy__submit_plan,mcp__teddy__get_run' } } };
  return { use: { tool: findTool(tools, 'submit_plan'), input: { plan: PLAN } } };
}

/** Clients put the server's name before the tool's; claude lists some of them only once they were searched for. */
function findTool(tools: readonly OfferedTool[], end: string): OfferedTool {
  return tools.find(({ name }) => name.endsWith(end)) ?? { name: `mcp__teddy__${end}` };
}

function runIdIn(results: readonly string[]): string | undefined {
  return /\b\d{8}-\d{6}-\w{4}\b/.exec(results.join('\n'))?.[0];
}

function isReported(results: readonly string[]): boolean {
  return /Later, maybe/.test(results.at(-1) ?? '');
}

for (const each of CLIENTS)
  describe(each.title, () => {
    const { client, version, folder } = each;
    const ignoresProject = REAL_CLIENTS[client].ignoresProject?.includes(version) === true;

    test.skipIf(folder === null || noPython !== '' || ignoresProject)(
      `a plan is handed in, reviewed at a terminal, and its report is in the next request${noPython}`,
      async () => {
        const { real, model, site } = await openClientSite(each, proposing);
        const connected = await site.run(['connect', client, '--yes'], { trust: false });
        expect(connected).toMatchObject({ exit: 0 });
        const [program, ...words] = [...real.ask, ...(real.approval?.[version] ?? [])];
        const child = spawn(program!, [...words, 'Propose two files through teddy.'], {
          cwd: site.root,
          env: site.env,
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        });
        onTestFinished(() => {
          child.kill('SIGKILL');
        });
        const ended = endOf(child);
        const id = () => model.asked.map(({ results }) => runIdIn(results)).find(Boolean);
        const handedIn = vi.waitUntil(() => id() !== undefined, { timeout: 300_000 });
        const what = await Promise.race([handedIn, ended]);
        if (what !== true)
          throw new Error(`It ended without a plan: ${JSON.stringify([what, model.asked.at(-1)])}`);
        const terminal = new TestTerminal(['teddy', 'inbox', id()!, '--trust'], {
          cwd: site.root,
          env: site.env,
          columns: 100,
          rows: 50,
        });
        await terminal.shows(/1 of 2 {2}CREATE[\s\S]*y approve/);
        await terminal.press('y', /2 of 2 {2}CREATE[\s\S]*y approve/);
        await terminal.press('n', /Why skip it\?/);
        terminal.send('Later, maybe.\r');
        expect(await terminal.ended).toMatchObject({ exit: 0 });
        const { exit, stdout } = await ended;
        expect({ exit, said: stdout.includes('I have read the report.') }).toEqual({ exit: 0, said: true });
        // claude 2.0.77 has another conversation besides.
        const { results } = model.answered.findLast((said) => isReported(said.results))!;
        expect(results.join('\n')).toContain(`teddy inbox ${id()}`);
        expect(results.join('\n')).not.toMatch(/#c=|Bearer/);
        expect(results.at(-1)).toMatch(/Partial[\s\S]*Later, maybe/);
        expect([site.has('one.txt'), site.has('two.txt')]).toEqual([true, false]);
      },
    );
  });
