import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { PageClient, startServer } from '../web/page-client.js';
import { McpClient } from './mcp-client.js';

const PLAN = planOf('Add a file', createAction('new.txt'));

const TASKS = `---
phase: 01-x
plan: 01
---

<tasks>
<task type="auto">
  <name>Task 1: Make a</name>
  <files>a.txt</files>
  <action>Write a.txt.</action>
  <verify>test -f a.txt</verify>
  <done>It is there.</done>
</task>
</tasks>
`;

const FAILURE = `status: failure
task_name: "Task 1: Make a"
files_modified: []
verification: {command: "test -f a.txt", exit_code: 1, output_summary: "not there"}
done_criteria_met: false
evidence: "None."
error: "It broke."
`;

const REPORT = {
  report_metadata: {
    agent_name: 'helper',
    task_id: 't',
    status: 'completed',
    confidence_level: 0.9,
    verbosity_level: 'summary',
  },
  findings: {},
};

/** Everything that the tools and resources give to a client. */
async function hearAll(mcp: McpClient): Promise<string> {
  const call = mcp.call.bind(mcp);
  const submitted = await call('submit_plan', { plan: PLAN });
  const { run_id } = submitted.structured;
  const answers: unknown[] = [
    submitted,
    await call('get_guide', { topic: 'workflow' }),
    await call('get_run', { run_id, wait_seconds: 0.1 }),
    await call('next_task'),
    await call('submit_result', { plan: '01-01', result: FAILURE }),
    await call('submit_report', { task_id: 't', report: JSON.stringify(REPORT) }),
    await call('ask_person', { question: 'Which link approves this?', wait_seconds: 0 }),
  ];
  for (const { uri } of (await mcp.client.listResources()).resources)
    answers.push(await mcp.client.readResource({ uri }));
  return JSON.stringify(answers);
}

test('a client that could ask its user, or its model, is not asked to', async () => {
  const client = await McpClient.open(makeFolder({ '01-01-PLAN.md': TASKS }), {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
  });
  const asked: string[] = [];
  client.client.fallbackRequestHandler = async ({ method }) => {
    asked.push(method);
    return {};
  };
  await hearAll(client);
  expect(asked).toEqual([]);
});

test('while the page runs, no answer contains its address, its code or its token', async () => {
  const cwd = makeFolder({ '01-01-PLAN.md': TASKS });
  const server = await startServer(cwd);
  const page = await PageClient.open(server);
  const client = await McpClient.open(cwd);
  const said = await hearAll(client);
  expect(said).toContain('teddy inbox ');
  for (const secret of [server.origin, server.code, page.token]) expect(said).not.toContain(secret);
});

test('in a project that is not trusted, plans and results wait, and agents of the project are not used', async () => {
  const cwd = makeFolder({
    '01-01-PLAN.md': TASKS,
    '.teddy/policy.yaml': 'rules: [{allow: CREATE, path: "**"}, {allow: "*"}]\n',
    '.teddy/config.yaml': 'model: {provider: openai-compatible, name: m, baseURL: "http://127.0.0.1:9"}\n',
  });
  const client = await McpClient.open(cwd);
  expect((await client.call('submit_plan', { plan: PLAN })).structured.status).toBe('waiting');
  expect((await client.call('submit_result', { plan: '01-01', result: FAILURE })).structured.status).toBe(
    'waiting',
  );
  const { isError, text } = await client.call('submit_report', {
    task_id: 't',
    report: JSON.stringify(REPORT),
  });
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('teddy trust') });
  expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toHaveLength(2);
});

test('what was submitted in one project is unknown in another, also when its files were copied there', async () => {
  const [one, other] = [makeFolder(), makeFolder()];
  const { run_id } = (await (await McpClient.open(one)).call('submit_plan', { plan: PLAN })).structured;
  const client = await McpClient.open(other, { home: one });
  for (const isCopied of [false, true]) {
    if (isCopied) cpSync(join(one, '.teddy'), join(other, '.teddy'), { recursive: true });
    const { isError, text } = await client.call('get_run', { run_id, wait_seconds: 0 });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('There is no run') });
  }
  const again = await client.call('submit_plan', { plan: PLAN });
  expect(again.structured.status).toBe('waiting');
  expect(again.structured.run_id).not.toBe(run_id);
});

test('of many issues the errors come first', async () => {
  const client = await McpClient.open(makeFolder());
  const actions = Array.from({ length: 60 }, (_, at) => createAction(`f${at}.txt`));
  const plan = planOf('Many', ...actions, createAction('../out.txt')).replaceAll(
    '- **Description:**',
    '- Description:',
  );
  const { structured, text } = await client.call('submit_plan', { plan });
  expect(structured.status).toBe('invalid');
  expect(structured.issues).toHaveLength(50);
  expect(structured.issues[0]).toMatchObject({ severity: 'error', action: 61 });
  expect(text).toMatch(/^.*\n- error, line \d+: [\s\S]*\n- \d+ more$/);
});
