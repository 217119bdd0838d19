import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inbox } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { PageClient, startServer } from '../web/page-client.js';
import { McpClient } from './mcp-client.js';

const PLAN = planOf('Two files', createAction('one.txt'), createAction('two.txt'));

/** The first question, and its keys. */
const FIRST = /1 of 2 {2}CREATE[\s\S]*y approve/;

function openInbox(cwd: string, id: string): TestTerminal {
  return new TestTerminal([process.execPath, TEDDY, 'inbox', id], { cwd, columns: 100, rows: 50 });
}

describe.skipIf(noPython)(`at a terminal${noPython}`, () => {
  test('the process in which a plan is approved runs it, and its report goes to the agent', async () => {
    const cwd = makeFolder();
    const client = await McpClient.open(cwd);
    const { run_id } = (await client.call('submit_plan', { plan: PLAN })).structured;
    const terminal = openInbox(cwd, run_id);
    await terminal.shows(FIRST);
    expect((await client.call('get_run', { run_id, wait_seconds: 0 })).structured.status).toBe('running');
    await terminal.press('y', /2 of 2 {2}CREATE[\s\S]*y approve/);
    await terminal.press('n', /Why skip it\?/);
    terminal.send('Later.\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    const { structured } = await client.call('get_run', { run_id });
    expect(structured).toMatchObject({ run_id, status: 'done', overall: 'Partial' });
    expect(structured.report).toContain('Later.');
    expect(readFileSync(join(cwd, 'one.txt'), 'utf8')).toBe('text\n');
    expect(existsSync(join(cwd, 'two.txt'))).toBe(false);
    expect(existsSync(join(cwd, `.teddy/runs/${run_id}/run.json`))).toBe(true);
    expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toEqual([]);
    // It is the same run, and not another one on what it left.
    expect((await client.call('submit_plan', { plan: PLAN })).structured).toMatchObject({
      run_id,
      status: 'done',
    });
  });

  test('a review that was left undecided waits again', async () => {
    const cwd = makeFolder();
    const client = await McpClient.open(cwd);
    const { run_id } = (await client.call('submit_plan', { plan: PLAN })).structured;
    const terminal = openInbox(cwd, run_id);
    await terminal.shows(FIRST);
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect((await client.call('get_run', { run_id, wait_seconds: 0 })).structured.status).toBe('waiting');
    const again = openInbox(cwd, run_id);
    await again.shows(FIRST);
    await again.press('a', /y approve (?:it|them|all)/);
    again.send('y');
    expect(await again.ended).toMatchObject({ exit: 0 });
    expect((await client.call('get_run', { run_id })).structured).toMatchObject({
      run_id,
      overall: 'Completed',
    });
  });

  test('a review that was killed waits again', async () => {
    const cwd = makeFolder();
    const client = await McpClient.open(cwd);
    const { run_id } = (await client.call('submit_plan', { plan: PLAN })).structured;
    const terminal = openInbox(cwd, run_id);
    await terminal.shows(FIRST);
    terminal.signal('KILL');
    await terminal.ended;
    expect((await client.call('get_run', { run_id, wait_seconds: 0 })).structured.status).toBe('waiting');
    expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toHaveLength(1);
  });

  test('a question is answered with a text', async () => {
    const cwd = makeFolder();
    const client = await McpClient.open(cwd, { name: 'painter' });
    const question = { question: 'Which colour?', options: ['red', 'blue'] };
    const id: string = (await client.call('ask_person', { ...question, wait_seconds: 0 })).structured.run_id;
    const asked = client.call('ask_person', question);
    const terminal = openInbox(cwd, id);
    await terminal.shows(/painter asks:[\s\S]*Which colour\?[\s\S]*1\. red[\s\S]*Your reply/);
    terminal.send('blue, please\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect((await asked).structured).toMatchObject({ status: 'done', answer: 'blue, please' });
    // The next time it is another question.
    const again = await client.call('ask_person', { ...question, wait_seconds: 0 });
    expect(again.structured.status).toBe('waiting');
    expect(again.structured.run_id).not.toBe(id);
  });
});

test('on the page, a plan is reviewed and run in its server', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  const { run_id } = (await client.call('submit_plan', { plan: PLAN })).structured;
  const page = await PageClient.open(await startServer(cwd));
  const openQuestion = async (kind: string) => {
    for (;;) {
      const { questions } = await page.get<Inbox>('/api/inbox');
      const found = questions.find((question) => question.kind === kind);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const proposal = await openQuestion('proposal');
  expect(await page.post(`/api/questions/${run_id}`, { hash: 'x', decision: 'approve' })).toMatchObject({
    status: 409,
  });
  const { hash } = proposal;
  expect(await page.post(`/api/questions/${run_id}`, { hash, decision: 'approve' })).toMatchObject({
    status: 200,
  });
  const action = await openQuestion('action');
  expect(action.id).toBe(`${run_id}.1`);
  await page.post(`/api/questions/${action.id}`, { hash: action.hash, decision: 'rest' });
  expect((await client.call('get_run', { run_id })).structured).toMatchObject({
    status: 'done',
    overall: 'Completed',
  });
  expect(readFileSync(join(cwd, 'two.txt'), 'utf8')).toBe('text\n');
});

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
<task type="auto">
  <name>Task 2: Make b</name>
  <files>b.txt</files>
  <action>Write b.txt.</action>
  <verify>test -f a.txt</verify>
  <done>It is there.</done>
</task>
</tasks>
`;

const RESULT = `status: success
task_name: "Task 1: Make a"
files_modified: [a.txt]
verification: {command: "test -f a.txt", exit_code: 0, output_summary: "fine"}
done_criteria_met: true
evidence: "I wrote it."
error: null
`;

const confines =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0;
const because = confines ? '' : ' (skipped: bubblewrap does not work here)';

describe.skipIf(!confines || noPython)(`results${because}${noPython}`, () => {
  test('a claimed success waits until its command is approved; then the same command verifies without asking', async () => {
    const cwd = makeFolder({ '01-01-PLAN.md': TASKS });
    const client = await McpClient.open(cwd);
    const next = await client.call('next_task', { limit: 5 });
    expect(next.structured.tasks).toMatchObject([{ id: '01-01:1', plan: '01-01' }]);
    expect(next.structured.tasks[0].prompt).toContain('## The result');
    const { structured } = await client.call('submit_result', { plan: '01-01', result: RESULT });
    expect(structured).toMatchObject({ status: 'waiting', issues: [] });
    expect(readFileSync(join(cwd, '01-01-PLAN.md'), 'utf8')).toBe(TASKS);
    writeFileSync(join(cwd, 'a.txt'), '');
    const terminal = openInbox(cwd, structured.run_id);
    await terminal.shows(/test -f a\.txt[\s\S]*run the command and record the result/);
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    const ended = await client.call('get_run', { run_id: structured.run_id });
    expect(ended.structured).toMatchObject({ status: 'recorded', effective_status: 'success' });
    const second = RESULT.replace('Task 1: Make a', 'Task 2: Make b');
    expect((await client.call('submit_result', { plan: '01-01', result: second })).structured).toMatchObject({
      status: 'recorded',
      effective_status: 'success',
    });
    expect(readFileSync(join(cwd, '01-01-PLAN.md'), 'utf8').match(/status="completed"/g)).toHaveLength(2);
  });

  test('a command that was changed after it was shown does not run', async () => {
    const cwd = makeFolder({ '01-01-PLAN.md': TASKS, 'a.txt': '' });
    const client = await McpClient.open(cwd);
    const { run_id } = (await client.call('submit_result', { plan: '01-01', result: RESULT })).structured;
    writeFileSync(join(cwd, '01-01-PLAN.md'), TASKS.replace('test -f a.txt', 'touch evil.txt'));
    const terminal = openInbox(cwd, run_id);
    await terminal.shows(/run the command and record the result/);
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 2 });
    expect(existsSync(join(cwd, 'evil.txt'))).toBe(false);
    expect(terminal.history()).toContain('has changed since it was shown');
  });
});

test('a failure and an invalid result are recorded at once; a refused one is not', async () => {
  const cwd = makeFolder({ '01-01-PLAN.md': TASKS });
  const client = await McpClient.open(cwd);
  const invalid = await client.call('submit_result', { plan: '01-01', result: 'status: maybe\n' });
  expect(invalid.structured.status).toBe('invalid');
  expect(invalid.structured.issues.length).toBeGreaterThan(0);
  const { run_id } = (await client.call('submit_result', { plan: '01-01', result: RESULT })).structured;
  expect(teddy(['inbox', run_id, '--refuse', 'No.'], { cwd })).toMatchObject({ exit: 0 });
  expect((await client.call('submit_result', { plan: '01-01', result: RESULT })).structured.status).toBe(
    'refused',
  );
  const failure = RESULT.replace('status: success', 'status: failure')
    .replace('done_criteria_met: true', 'done_criteria_met: false')
    .replace('exit_code: 0', 'exit_code: 1')
    .replace('error: null', 'error: "It broke."');
  expect((await client.call('submit_result', { plan: '01-01', result: failure })).structured).toMatchObject({
    status: 'recorded',
    effective_status: 'failure',
  });
  expect((await client.call('submit_result', { plan: '09-09', result: RESULT })).isError).toBe(true);
});

test("an agent's report is checked and routed", async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  const report = {
    report_metadata: {
      agent_name: 'helper',
      task_id: 't-1',
      status: 'completed',
      confidence_level: 0.9,
      verbosity_level: 'summary',
    },
    findings: { answer: 'yes' },
  };
  const kept = await client.call('submit_report', { task_id: 't-1', report: JSON.stringify(report) });
  expect(kept.structured.compliant).toBe(true);
  const other = await client.call('submit_report', { task_id: 't-2', report: JSON.stringify(report) });
  expect(other.structured).toMatchObject({ compliant: false, route: 'failed' });
});
