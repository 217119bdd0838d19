import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/config-file.js';
import type { Config } from '../../../src/config/types.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import type { ProcessMark } from '../../../src/node/process/process-table.js';
import { environmentVariables } from '../../../src/node/terminal/terminal.js';
import { createTeddyExecutor } from '../../../src/orchestrate/executors/teddy.js';
import type { ExecutorEnd, ExecutorIO, TaskAssignment } from '../../../src/orchestrate/executors/types.js';
import { openTree } from '../../../src/workspace/tree.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../../folder.js';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { policyOf } from '../../review/actions.js';
import { chat, create, edit, execute, planOf, read } from '../../runs/boundary/plan.js';

const NAME = 'Task 1: Write one.txt';
const PLAN = parseTaskPlan(`<tasks>
<task type="auto">
  <name>${NAME}</name>
  <files>one.txt</files>
  <action>Write it.</action>
  <verify><automated>grep -q 1 one.txt &amp;&amp; echo checked</automated></verify>
  <done>one.txt says 1.</done>
</task>
</tasks>
`);
const VERIFY = PLAN.tasks[0]!.verify!;
const PROMPT = `# The task\n\n${PLAN.tasks[0]!.source}\n\n## The result\n\nPrint YAML at the end.\n`;

const GOOD = planOf([create('one.txt', '1\n')], { title: 'Good' });
const BAD = GOOD.replace('## Action Plan', '## Actions');
const POLICY = '{allow: CREATE}\n{allow: EDIT}\n{allow: READ}\n{allow: EXECUTE, command: "echo *"}';
const KEY = 'sk-test-4f9d2c7b1e8a6053';

interface Attempt {
  end: ExecutorEnd;
  root: string;
  printed: string;
  marks: ProcessMark[];
  model: ModelServer;
  /** The verdict on what was returned, and the result. */
  judged(): { verdict: string; result: NonNullable<ReturnType<typeof judgeResult>['result']> };
}

interface Around {
  policy?: string;
  model?: Partial<NonNullable<Config['model']>> | null;
  replans?: number;
  environment?: Record<string, string | undefined>;
  assignment?: Partial<TaskAssignment>;
  signal?: AbortSignal;
  onPrinted?(text: string): void;
}

/** One attempt in a folder of its own, with a model that answers with these. */
async function attempt(steps: ModelStep[], around: Around = {}): Promise<Attempt> {
  const root = realpathSync(
    makeFolder({
      'notes.txt': 'A note.\nAnother.\n',
      'hang.sh': 'echo begun\nsleep 600\n',
    }),
  );
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  const { policy } = await policyOf(around.policy ?? POLICY);
  const config: Config = {
    ...DEFAULTS,
    replan: { limit: around.replans ?? 1 },
    model:
      around.model === null ? null : ({ ...MODEL, baseURL: model.url, ...around.model } as Config['model']),
  };
  const heard = { printed: '', marks: [] as ProcessMark[] };
  const site: ExecutorIO = {
    environment: { ...environmentVariables(), MODEL_ACCESS: KEY, ...around.environment },
    signal: around.signal ?? new AbortController().signal,
    confinement: null,
    mask: () => ({ push: (text) => text, end: () => '' }),
    onStart: (mark) => heard.marks.push(mark),
    onOutput: (_, text) => {
      heard.printed += text;
      around.onPrinted?.(heard.printed);
    },
  };
  const executor = createTeddyExecutor({ workspace: new Workspace(root), config, policy });
  const end = await executor.run(
    {
      taskId: '01-01:1',
      taskIndex: 1,
      taskName: NAME,
      planPath: join(root, 'PLAN.md'),
      attempt: 2,
      prompt: PROMPT,
      verify: VERIFY,
      cwd: root,
      timeoutMs: null,
      ...around.assignment,
    },
    site,
  );
  return {
    end,
    root,
    model,
    ...heard,
    judged() {
      if (end.status !== 'returned') throw new Error(JSON.stringify(end));
      const subject = { plan: PLAN, planName: 'PLAN.md', tree: openTree(root) };
      const { verdict, result, issues } = judgeResult(readResult(end.text), subject);
      if (result === null) throw new Error(JSON.stringify(issues));
      return { verdict, result };
    },
  };
}

const MODEL = {
  provider: 'openai-compatible',
  api: 'openai-compatible',
  name: 'test-model',
  keyEnv: 'MODEL_ACCESS',
  maxOutputTokens: 1000,
  timeoutMs: 20_000,
  idleMs: 20_000,
  prices: { input: 1, output: 2 },
  budgetUsd: null,
};

describe('a plan that is carried out', () => {
  test('is a success once its verification held, and all of it is kept in the output', async () => {
    const usage = { input: 1_000_000, output: 500_000 };
    const { end, root, printed, judged, model } = await attempt([{ answer: GOOD, usage }]);
    const { verdict, result } = judged();
    expect(verdict).toBe('VALID');
    expect(result).toMatchObject({
      status: 'success',
      taskName: NAME,
      filesModified: ['one.txt'],
      verification: { command: VERIFY.command, exitCode: 0, outputSummary: 'checked' },
      metadata: { attempt: 2, executorId: 'teddy' },
    });
    expect(end).toMatchObject({ usage: { inputTokens: 1_000_000, outputTokens: 500_000, costUsd: 2 } });
    const [, run] = /Run (\S+): Completed/.exec(result.evidence)!;
    const kept = (name: string) => readFileSync(join(root, '.teddy/runs', run!, name), 'utf8');
    expect(printed).toContain(GOOD);
    expect(printed).toContain(kept('report.md'));
    expect(printed).toContain(JSON.stringify(JSON.parse(kept('run.json'))));
    const [system, first] = model.requests[0]!.body.messages;
    expect(system.content).toContain('There is no agent to INVOKE.');
    expect(first.content).toContain('Answer with a plan.md');
    expect(first.content).toContain('rule 4 (allow EXECUTE "echo *")');
    expect(first.content).toContain(`<name>${NAME}</name>`);
    expect(first.content).not.toContain('print one YAML mapping');
  });

  test('is a failure where the verification does not hold', async () => {
    const { judged } = await attempt([{ answer: planOf([create('one.txt', '2\n')]) }]);
    expect(judged()).toMatchObject({
      verdict: 'VALID',
      result: { status: 'failure', verification: { exitCode: 1 }, filesModified: ['one.txt'] },
    });
  });

  test('without prices nobody knows the cost; its processes are told of', async () => {
    const answer = planOf([create('one.txt', '1\n'), execute('echo from the plan')]);
    const { end, marks, printed } = await attempt([{ answer }], { model: { prices: null } });
    expect(end).toMatchObject({ status: 'returned', usage: { costUsd: null } });
    expect(marks.length).toBeGreaterThan(0);
    expect(printed).toContain('from the plan\n');
  });

  test('skips what the policy denies or leaves open, and says so', async () => {
    const answer = planOf(
      [execute('touch denied'), execute('touch open'), execute('touch asked'), create('one.txt', '1\n')],
      { memos: ['+ Something to remember.'] },
    );
    const policy = `${POLICY}\n{deny: EXECUTE, command: "touch denied"}\n{ask: EXECUTE, command: "touch asked"}`;
    const { root, judged } = await attempt([{ answer }], { policy });
    const { result } = judged();
    expect(result.status).toBe('failure');
    expect(result.error).toContain('Denied by policy: rule 5 (deny EXECUTE "touch denied").');
    expect(result.error).toContain(
      'The policy does not allow this, and there is no one to ask: no rule matches.',
    );
    expect(result.error).toContain('there is no one to ask: rule 6 (ask EXECUTE "touch asked").');
    expect(result.filesModified).toEqual(['one.txt']);
    expect(['denied', 'open', 'asked'].filter((name) => existsSync(join(root, name)))).toEqual([]);
    expect(existsSync(join(root, '.teddy/memos.yaml'))).toBe(false);
  });

  test('a question to the user stops nothing, and leaves the task undone', async () => {
    const { root, judged } = await attempt([{ answer: planOf([chat('May I?'), create('one.txt', '1\n')]) }]);
    expect(judged().result).toMatchObject({
      status: 'failure',
      error: expect.stringContaining('Not run: no terminal to answer in.'),
    });
    expect(existsSync(join(root, 'one.txt'))).toBe(true);
  });
});

describe('a plan that only looks', () => {
  const LOOK = planOf([read('notes.txt')], { title: 'Look' });

  test('is followed by another, which knows what it saw', async () => {
    const doing = planOf([edit('notes.txt', ['A note.', 'B note.']), create('one.txt', '1\n')]);
    const { root, judged, model } = await attempt([{ answer: LOOK }, { answer: BAD }, { answer: doing }]);
    expect(judged()).toMatchObject({ result: { status: 'success' } });
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('B note.\nAnother.\n');
    expect(existsSync(join(root, '.teddy/turn.context'))).toBe(false);
    const told = (at: number) =>
      model.requests[at]!.body.messages.slice(2).map(({ content }: { content: string }) => content);
    expect(told(1)).toEqual([LOOK, expect.stringContaining('A note.')]);
    expect(told(2)).toEqual([...told(1), BAD, expect.stringContaining('(section-missing)')]);
  });

  test('again and again has not done the task', async () => {
    const { judged, model } = await attempt([{ answer: LOOK }]);
    expect(judged()).toMatchObject({
      result: { status: 'failure', error: expect.stringContaining('only read') },
    });
    expect(model.requests).toHaveLength(4);
  });
});

describe('no plan', () => {
  test('a refused one goes back, and a good one follows', async () => {
    const { judged, model } = await attempt([{ answer: BAD }, { answer: GOOD }]);
    expect(judged()).toMatchObject({ verdict: 'VALID', result: { status: 'success' } });
    expect(model.requests[1]!.body.messages[3].content).toContain('(section-missing)');
  });

  test('ends as a failure that says why, and the costs are added up', async () => {
    const usage = { input: 1_000_000, output: 0 };
    const { end, judged } = await attempt([{ answer: BAD, usage }]);
    expect(judged()).toMatchObject({
      verdict: 'VALID',
      result: { status: 'failure', error: expect.stringContaining('(section-missing)'), filesModified: [] },
    });
    expect(end.usage).toMatchObject({ inputTokens: 2_000_000 });
  });

  test('what was cut off is not carried out, though it could be', async () => {
    const { root, judged, model } = await attempt([{ answer: GOOD, finish: 'length' }]);
    expect(judged().result.error).toContain('limit of 1000 tokens');
    expect(existsSync(join(root, 'one.txt'))).toBe(false);
    expect(model.requests[1]!.body.messages[1].content).toContain('Your answer was cut off');
  });

  test.each([
    ['outside of the folder', create('../outside.txt', 'x\n')],
    ["in teddy's own folder", create('.teddy/policy.yaml', 'rules: []\n')],
    ['in the records of tasks', create('.ultraplan/state/queue.jsonl', 'x\n')],
    ['in git', create('.git/hooks/post-commit', 'x\n')],
  ])('one that writes %s is refused', async (_, action) => {
    const { root, judged } = await attempt([{ answer: planOf([action, create('one.txt', '1\n')]) }], {
      replans: 0,
    });
    expect(judged().result).toMatchObject({ status: 'failure', filesModified: [] });
    expect(judged().result.error).toContain('action 1');
    const files = Object.keys(readTree(root)).filter((path) => !path.startsWith('.teddy/'));
    expect(files.sort()).toEqual(['hang.sh', 'notes.txt']);
    expect(existsSync(join(root, action.path))).toBe(false);
  });
});

describe('a model that does not answer', () => {
  test('asked too often', async () => {
    const { end } = await attempt([
      { status: 429, headers: { 'retry-after': '3600' }, body: { error: { message: 'Slow down' } } },
    ]);
    expect(end).toMatchObject({
      status: 'crashed',
      limited: true,
      reason: expect.stringContaining('Slow down'),
    });
  });

  test('that refuses the key is a crash, and its word is told', async () => {
    const { end } = await attempt([
      { status: 401, body: { error: { message: 'No KEY here' } }, echoKey: true },
    ]);
    expect(end).toMatchObject({ status: 'crashed', limited: false });
    expect(JSON.stringify(end)).toContain('MODEL_ACCESS');
    expect(JSON.stringify(end)).not.toContain(KEY);
  });

  test.each([
    ['no model', { model: null }, 'No model is configured. Choose one with teddy setup'],
    ['no key', { environment: { MODEL_ACCESS: undefined } }, 'MODEL_ACCESS'],
    ['nothing allowed', { policy: '{deny: EXECUTE}' }, '.teddy/policy.yaml'],
  ] satisfies [string, Around, string][])('%s: no attempt would do better', async (_, around, words) => {
    const { end, model } = await attempt([{ answer: GOOD }], around);
    expect(end).toMatchObject({ status: 'unusable', reason: expect.stringContaining(words) });
    expect(model.requests).toEqual([]);
  });
});

describe('an end before its end', () => {
  test('a call that hangs is given up when it is cancelled', async () => {
    const aborter = new AbortController();
    const { end, printed } = await attempt([{ answer: GOOD, stallAfter: 50 }], {
      signal: aborter.signal,
      onPrinted: (text) => text.includes('# Good') && aborter.abort(),
    });
    expect(end.status).toBe('cancelled');
    expect(printed).toContain('# Good');
  });

  test('a command is ended when it is cancelled', async () => {
    const aborter = new AbortController();
    const answer = planOf([execute('sh hang.sh'), create('one.txt', '1\n')]);
    const { end, root } = await attempt([{ answer }], {
      policy: '{allow: CREATE}\n{allow: EXECUTE, command: "sh hang.sh"}',
      signal: aborter.signal,
      onPrinted: (text) => text.includes('begun\n') && aborter.abort(),
    });
    expect(end.status).toBe('cancelled');
    expect(existsSync(join(root, 'one.txt'))).toBe(false);
  });

  test('a time limit is over all of it', async () => {
    const { end } = await attempt([{ answer: GOOD, stallAfter: 50 }], { assignment: { timeoutMs: 300 } });
    expect(end).toMatchObject({ status: 'timed-out', reason: expect.stringContaining('0.3 s') });
  });
});

test('a key that is sent back is nowhere', async () => {
  const answer = planOf([create('one.txt', '1 KEY\n'), execute('echo KEY')]);
  const { end, root, printed, judged } = await attempt([{ answer, echoKey: true }], { replans: 0 });
  expect(judged().result.status).toBe('failure');
  expect(JSON.stringify([end, printed, readTree(root)])).not.toContain(KEY);
  expect(existsSync(join(root, 'one.txt'))).toBe(false);
});
