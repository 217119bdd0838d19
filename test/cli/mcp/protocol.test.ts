import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../src/faces/mcp/tools.js';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { ERAS, McpClient } from './mcp-client.js';

const PLAN = planOf('Add a file', createAction('new.txt'));

describe.each(ERAS.map((era) => ({ era, name: typeof era === 'string' ? era : era.pin })))(
  'a client of the era $name',
  ({ era }) => {
    test('sees seven tools in the same order, in at most 1,500 tokens', async () => {
      const { client } = await McpClient.open(makeFolder(), { era });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      expect(tools).toHaveLength(7);
      // All that a client gets, with annotations. Tokenizers (o200k, cl100k, that of claude 2) take 4.2 to 4.4 characters of it
      // as one token: four are a count that is too high.
      const listed = JSON.stringify(tools);
      expect(Math.ceil(listed.length / 4)).toBeLessThanOrEqual(1500);
      for (const tool of tools) expect(tool.outputSchema).toMatchObject({ type: 'object' });
    });

    test('submits a plan, which waits and is not run', async () => {
      const cwd = makeFolder();
      const client = await McpClient.open(cwd, { era, name: 'a-client' });
      const { structured } = await client.call('submit_plan', { plan: PLAN });
      expect(structured).toMatchObject({ status: 'waiting', issues: [], repairs: [] });
      expect(structured.review).toEqual({ command: `teddy inbox ${structured.run_id}` });
      expect(await client.call('get_run', { run_id: structured.run_id, wait_seconds: 0 })).toMatchObject({
        structured: { run_id: structured.run_id, status: 'waiting' },
      });
      expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
      const [question] = JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout);
      expect(question).toMatchObject({ id: structured.run_id, kind: 'proposal', client: 'a-client' });
    });

    test('gets the progress of a wait, and the handle when it is over', async () => {
      const { client } = await McpClient.open(makeFolder(), { era });
      const messages: (string | undefined)[] = [];
      const { structuredContent } = await client.callTool(
        { name: 'submit_plan', arguments: { plan: PLAN, wait_seconds: 0.2 } },
        { onprogress: ({ message }) => messages.push(message) },
      );
      expect(structuredContent).toMatchObject({ status: 'waiting' });
      expect(messages[0]).toContain('teddy inbox ');
    });

    test('reads guides, the state and reports as resources', async () => {
      const cwd = makeFolder({ 'plan.md': PLAN });
      expect(teddy(['execute', 'plan.md', '--yes'], { cwd })).toMatchObject({ exit: 0 });
      const { client } = await McpClient.open(cwd, { era });
      const { resources } = await client.listResources();
      const [run] = readdirSync(join(cwd, '.teddy/runs')).filter((name) => /^\d/.test(name));
      expect(resources.map(({ uri }) => uri)).toEqual([
        'teddy://state',
        ...['workflow', 'plan', 'result', 'report'].map((topic) => `teddy://guide/${topic}`),
        `teddy://report/${run}`,
      ]);
      for (const { uri } of resources) {
        const [content] = (await client.readResource({ uri })).contents as { text: string }[];
        expect(content!.text).toMatch(/\S/);
      }
      await expect(client.readResource({ uri: 'teddy://report/20200101-000000-aaaa' })).rejects.toThrow();
    });
  },
);

test('a plan with errors comes back with them, and nothing waits', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  const { structured, text } = await client.call('submit_plan', { plan: PLAN.replace('`CREATE`', '`MAKE`') });
  expect(structured.status).toBe('invalid');
  expect(structured.issues).toContainEqual(
    expect.objectContaining({ code: 'action-unknown', severity: 'error' }),
  );
  expect(text).toContain('Unknown action');
  expect(structured.run_id).toBeUndefined();
  expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toEqual([]);
});

test('a dry run only checks, and shows the repairs', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  const fenced = `Here is the plan:\n\n${PLAN}`;
  const { structured } = await client.call('submit_plan', { plan: fenced, dry_run: true });
  expect(structured).toMatchObject({ status: 'valid' });
  expect(structured.repairs).toHaveLength(1);
  expect(existsSync(join(cwd, '.teddy/requests'))).toBe(false);
});

test('the same plan or the same key is one run', async () => {
  const cwd = makeFolder();
  const [one, other] = await Promise.all([McpClient.open(cwd), McpClient.open(cwd)]);
  const ids = await Promise.all(
    [one, other, one, other].map(async (client) => {
      const { structured } = await client.call('submit_plan', { plan: PLAN });
      return structured.run_id;
    }),
  );
  expect(new Set(ids).size).toBe(1);
  const second = planOf('Another', createAction('other.txt'));
  const keyed = await one.call('submit_plan', { plan: second, key: 'k' });
  const again = await other.call('submit_plan', { plan: `${second}\n`, key: 'k' });
  expect(again.structured.run_id).toBe(keyed.structured.run_id);
  expect(keyed.structured.run_id).not.toBe(ids[0]);
  // A different key is no other run while the same plan waits.
  expect((await one.call('submit_plan', { plan: second, key: 'l' })).structured.run_id).toBe(
    keyed.structured.run_id,
  );
});

test('a plan that was refused in the inbox comes back with the reason', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  const { structured } = await client.call('submit_plan', { plan: PLAN });
  const waits = client.call('get_run', { run_id: structured.run_id });
  expect(teddy(['inbox', structured.run_id, '--refuse', 'Not today.'], { cwd })).toMatchObject({ exit: 0 });
  expect((await waits).structured).toMatchObject({ status: 'refused' });
  expect((await waits).text).toContain('Not today.');
  expect(teddy(['inbox', structured.run_id], { cwd })).toMatchObject({ exit: 2 });
});

test('a killed server loses nothing, and submitting again repeats nothing', async () => {
  const cwd = makeFolder();
  const first = await McpClient.open(cwd);
  const { structured } = await first.call('submit_plan', { plan: PLAN });
  const asked = await first.call('ask_person', { question: 'Which one?', wait_seconds: 0 });
  first.kill();
  const second = await McpClient.open(cwd);
  const again = await second.call('submit_plan', { plan: PLAN });
  expect(again.structured).toMatchObject({ run_id: structured.run_id, status: 'waiting' });
  expect(
    (await second.call('ask_person', { question: 'Which one?', wait_seconds: 0 })).structured.run_id,
  ).toBe(asked.structured.run_id);
  expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toHaveLength(2);
  expect(teddy(['status'], { cwd }).stdout).toContain('2 questions are waiting for your answer.');
});

test('what a server left half-written when it was killed is removed with the next request', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  await client.call('ask_person', { question: 'Which one?', wait_seconds: 0 });
  const requests = join(cwd, '.teddy/requests');
  const [old, fresh] = ['old', 'fresh'].map((id) => `20261119-101112-${id}.json.part-12345678`);
  for (const name of [old!, fresh!]) writeFileSync(join(requests, name), 'half');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(requests, old!), longAgo, longAgo);
  await client.call('ask_person', { question: 'And which other?', wait_seconds: 0 });
  expect(readdirSync(requests).filter((name) => name.includes('.part-'))).toEqual([fresh]);
});

test('no tool decides, and no result has a link or a token', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd);
  expect(TOOLS.map(({ name }) => name).join(' ')).not.toMatch(/approve|trust|undo|decide|accept/);
  const { structured } = await client.call('submit_plan', { plan: PLAN });
  const said = JSON.stringify(await client.call('get_run', { run_id: structured.run_id, wait_seconds: 0 }));
  expect(said).not.toMatch(/https?:|#c=|Bearer|token/i);
});

test('what a client calls itself is one line in the inbox, and cannot act on a terminal', async () => {
  const cwd = makeFolder();
  const client = await McpClient.open(cwd, { name: 'evil\u001b[2J\u202e\nname' });
  await client.call('ask_person', { question: 'Hello\u001b[2J?', wait_seconds: 0 });
  const { stdout } = teddy(['inbox'], { cwd });
  expect(stdout).toContain('Question from evil');
  expect(stdout).not.toContain('\u001b');
  expect(stdout).not.toContain('\u202e');
});
