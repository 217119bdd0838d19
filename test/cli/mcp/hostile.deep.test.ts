import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TOOL_NAMES } from '../../../src/faces/mcp/tools.js';
import { makeFolder, readTree } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { McpClient } from './mcp-client.js';

const LONG = Boolean(process.env.TEDDY_SOAK);
/** How many calls two clients make together. */
const CALLS = LONG ? 10_000 : 300;

const ODD_VALUES: unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, '', ' ', '\u0000', '\ud800', 'x'.repeat(100_000), [], {}, [[]]],
  ...['../../etc/passwd', '/etc/passwd', '$(touch evil)', '`touch evil`', '\u001b[2J\u202e', '__proto__'],
  ...[{ toString: 'x' }, { length: 5 }, ['a', 1, null], { constructor: { prototype: {} } }],
];

/** Every tool with every odd value as each of its usual arguments, and with arguments that it does not have. */
function hostileShapes(): { name: string; given: Record<string, unknown> }[] {
  const usual: Record<(typeof TOOL_NAMES)[number], Record<string, unknown>> = {
    get_guide: { topic: 'plan' },
    submit_plan: { plan: 'x', wait_seconds: 0, key: 'k', dry_run: false },
    get_run: { run_id: '20200101-000000-aaaa', wait_seconds: 0, part: 1 },
    next_task: { plan: '01-01', limit: 1 },
    submit_result: { plan: '01-01', result: 'status: success', key: 'k' },
    submit_report: { task_id: 't', report: '{}' },
    ask_person: { question: 'Why?', options: ['a'], wait_seconds: 0 },
  };
  return TOOL_NAMES.flatMap((name) => [
    { name, given: {} },
    { name, given: { ...usual[name], approve: true } },
    ...Object.keys(usual[name]).flatMap((key) =>
      // A wait that is allowed would be waited for.
      ODD_VALUES.filter((value) => key !== 'wait_seconds' || value !== 1.5).map((value) => ({
        name,
        given: { ...usual[name], [key]: value },
      })),
    ),
  ]);
}

test('hostile arguments get an answer, and touch nothing', async () => {
  const shapes = hostileShapes();
  expect(shapes.length).toBeGreaterThan(100);
  const cwd = makeFolder({ 'a.txt': 'a\n' });
  const client = await McpClient.open(cwd);
  for (const { name, given } of shapes) {
    const { text } = await client.call(name, given);
    expect(text, `${name} ${JSON.stringify(given).slice(0, 200)}`).not.toMatch(
      /bug in teddy|\bat \/|node:internal/,
    );
  }
  // The last tool still works, and nothing but teddy's own folder has changed.
  expect(await client.call('get_guide', { topic: 'plan' })).toMatchObject({ isError: false });
  expect(
    Object.keys(readTree(cwd)).filter(
      (path) => !path.startsWith('.teddy/') && !/^\.(?:cache|local)\//.test(path),
    ),
  ).toEqual(['a.txt']);
  expect(existsSync(join(cwd, '.teddy/runs'))).toBe(false);
});

test(`${CALLS} calls of two clients: no plan is lost, none waits twice`, async () => {
  const cwd = makeFolder();
  const clients = await Promise.all([
    McpClient.open(cwd),
    McpClient.open(cwd, { era: { pin: '2026-07-28' } }),
  ]);
  const ids = new Map<number, Set<string>>();
  const work = clients.map(async (client, which) => {
    for (let at = 0; at < CALLS / 2; at++) {
      // Both submit each of a hundred plans, in another order.
      const plan = (which === 0 ? at : at * 7) % 100;
      if (at % 4 === 3) {
        const [id] = [...(ids.get(plan) ?? [])];
        const { text } = await client.call('get_run', {
          run_id: id ?? '20200101-000000-aaaa',
          wait_seconds: 0,
        });
        expect(text).not.toContain('bug');
        continue;
      }
      const text = planOf(`Plan ${plan}`, createAction(`f${plan}.txt`));
      const { structured } = await client.call('submit_plan', { plan: text });
      expect(structured.status).toBe('waiting');
      ids.set(plan, (ids.get(plan) ?? new Set()).add(structured.run_id));
    }
  });
  await Promise.all(work);
  for (const [, found] of ids) expect(found.size).toBe(1);
  const kept = readdirSync(join(cwd, '.teddy/requests')).filter((name) =>
    /^\d{8}-\d{6}-\w{4}\.json$/.test(name),
  );
  expect(kept).toHaveLength(ids.size);
});

test('while many requests wait, no more are taken, and those that wait are still known', async () => {
  const client = await McpClient.open(makeFolder());
  const ask = (at: number) => client.call('ask_person', { question: `Question ${at}?`, wait_seconds: 0 });
  for (let at = 0; at < 200; at++) expect(await ask(at)).toMatchObject({ isError: false });
  expect(await ask(200)).toMatchObject({ isError: true, text: expect.stringContaining('teddy inbox') });
  const { isError } = await client.call('submit_plan', { plan: planOf('One more', createAction('a.txt')) });
  expect(isError).toBe(true);
  expect(await ask(0)).toMatchObject({ isError: false, structured: { status: 'waiting' } });
});

const KEY_FILE = /^key-\w+\.json$/;

test('a server that is killed while it takes plans has each of them once', async () => {
  const cwd = makeFolder();
  const requests = join(cwd, '.teddy/requests');
  const kept = () => (existsSync(requests) ? readdirSync(requests) : []);
  const plans = Array.from({ length: LONG ? 60 : 8 }, (_, at) =>
    planOf(`Plan ${at}`, createAction(`f${at}.txt`)),
  );
  /** The ids of those that were on disk when their server died, or that it had answered with. */
  const taken = new Map<string, string>();
  for (const [at, plan] of plans.entries()) {
    const client = await McpClient.open(cwd);
    const before = new Set(kept());
    const fresh = () => kept().filter((name) => !before.has(name));
    let answer: string | undefined;
    const answered = client.call('submit_plan', { plan }).then(
      ({ structured }) => {
        answer = structured.run_id;
      },
      () => undefined,
    );
    // At once; while the request is written; once its key leads to it; once it is answered.
    const moments = [
      () => true,
      () => fresh().length > 0,
      () => fresh().some((name) => KEY_FILE.test(name)),
      () => answer !== undefined,
    ];
    while (!moments[at % 4]!()) await new Promise((resolve) => setImmediate(resolve));
    client.kill();
    await answered;
    const id = fresh().flatMap((name) => /^(\d{8}-\d{6}-\w{4})\.json$/.exec(name)?.[1] ?? [])[0];
    const isTaken = fresh().some((name) => KEY_FILE.test(name));
    if (isTaken) taken.set(plan, id!);
    if (answer !== undefined) expect(answer).toBe(id);
  }
  expect(taken.size).toBeGreaterThanOrEqual(plans.length / 2);
  const client = await McpClient.open(cwd);
  for (const plan of plans) {
    const { structured } = await client.call('submit_plan', { plan });
    expect(structured.status).toBe('waiting');
    expect(taken.get(plan) ?? structured.run_id).toBe(structured.run_id);
    taken.set(plan, structured.run_id);
  }
  const { contents } = await client.client.readResource({ uri: 'teddy://state' });
  const { waiting } = JSON.parse((contents[0] as { text: string }).text) as { waiting: { id: string }[] };
  expect(waiting.map(({ id }) => id).sort()).toEqual([...taken.values()].sort());
});
