import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Inbox, InboxQuestion, RunView } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { startModelServer } from '../../model-server.mjs';
import { createAction, executeAction, planOf } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { PageClient, type RunningServer, startServer } from './page-client.js';

// Two pages and a terminal answer the same questions at random. Each question gets one answer, and nothing is done twice.

const isLong = process.env.TEDDY_SOAK !== undefined;

interface Crowd {
  pages: PageClient[];
  /** The ids and hashes of the questions whose answers were accepted. */
  accepted: string[];
  refused: number;
}

async function openCrowd(cwd: string): Promise<Crowd> {
  const server = await startServer(cwd);
  const first = await PageClient.open(server);
  return { pages: [first, await openSecond(server)], accepted: [], refused: 0 };
}

async function openSecond(server: RunningServer): Promise<PageClient> {
  server.process.stdin!.write('\n');
  const { url } = JSON.parse(await server.nextLine()) as { url: string };
  return PageClient.open(server, url.split('#c=')[1]);
}

/** Both pages answer what they see, with a random delay, until it is over. */
async function answerAtRandom(
  crowd: Crowd,
  isOver: () => boolean,
  choose: (question: InboxQuestion) => object,
  delayMs: number,
): Promise<void> {
  const sit = async (page: PageClient) => {
    while (!isOver()) {
      const { questions } = await page.get<Inbox>('/api/inbox');
      await pause(Math.random() * delayMs);
      const question = questions[Math.floor(Math.random() * questions.length)];
      if (question === undefined) continue;
      const { id, hash } = question;
      const { status, text } = await page.post(`/api/questions/${id}`, { hash, ...choose(question) });
      expect([id, status, status === 200 || status === 409 ? '' : text]).toEqual([id, status, '']);
      if (status === 200) crowd.accepted.push(`${id} ${hash}`);
      else crowd.refused++;
    }
  };
  await Promise.all(crowd.pages.map(sit));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function chance(share: number): boolean {
  return Math.random() < share;
}

function startTerminal(words: string[], cwd: string) {
  const terminal = new TestTerminal([process.execPath, TEDDY, ...words], { cwd, columns: 100, rows: 50 });
  let isOver = false;
  const ended = terminal.ended.finally(() => {
    isOver = true;
  });
  const typeAtRandom = async (keys: string) => {
    while (!isOver) {
      terminal.send(keys[Math.floor(Math.random() * keys.length)]!);
      await pause(100 + Math.random() * 300);
    }
  };
  return { ended, isOver: () => isOver, typeAtRandom };
}

function report(what: string, { accepted, refused }: Crowd, all: number): void {
  console.info(
    `${what}: ${all} answers, of which the pages gave ${accepted.length}; ${refused} came too late.`,
  );
}

describe.skipIf(noPython)(`a crowd answers${noPython}`, () => {
  test('the questions of a review: actions, and commands that failed', async () => {
    const count = isLong ? 400 : 24;
    const failsOnce = (at: number) =>
      `[ -e tried-${at} ] || { touch tried-${at}; exit 1; }; echo ${at} >> done.txt`;
    const actions = Array.from({ length: count }, (_, index) =>
      executeAction(index % 4 === 3 ? failsOnce(index + 1) : `echo ${index + 1} >> done.txt`),
    );
    const cwd = makeFolder({ 'plan.md': planOf('Crowd', ...actions), '.git/HEAD': '' });
    const crowd = await openCrowd(cwd);
    const { ended, isOver, typeAtRandom } = startTerminal(['execute', 'plan.md', '--no-copy'], cwd);
    await Promise.all([
      answerAtRandom(crowd, isOver, () => ({ decision: chance(0.3) ? 'skip' : 'approve' }), 600),
      typeAtRandom('yr'),
      ended,
    ]);
    const [page] = crowd.pages;
    const [item] = await page!.get<{ id: string }[]>('/api/runs');
    const view = await page!.get<RunView>(`/api/runs/${item!.id}`);
    const done = view.actions.filter(({ status }) => status === 'success').map(({ number }) => `${number}\n`);
    expect(readFileSync(join(cwd, 'done.txt'), 'utf8')).toBe(done.join(''));
    expect(view.actions.filter(({ status }) => !/success|skipped|failure/.test(status))).toEqual([]);
    const names = readdirSync(join(cwd, '.teddy/runs', item!.id, 'journal/questions'));
    const numbers = names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    expect(names.filter((name) => /^\d+\.answer\.json$/.test(name)).sort()).toEqual(
      numbers.map((number) => `${number}.answer.json`).sort(),
    );
    expect(numbers.length).toBeGreaterThan(count);
    expectOnce(crowd);
    report('review', crowd, numbers.length);
  });

  test('the questions of tasks: retry, skip and done, with verify commands', async () => {
    const count = isLong ? 40 : 5;
    const tasks = Array.from({ length: count }, (_, at) => taskText(at + 1));
    const cwd = makeFolder({
      '.git/HEAD': '',
      '.planning/01-01-PLAN.md': `---\nphase: 1\nplan: 1\nwave: 1\nparallel: true\n---\n\n${tasks.join('')}`,
      '.teddy/config.yaml': 'executors: {idle: {command: "cat > /dev/null; echo no"}}\n',
      'verify.sh': 'sleep 0.2\n',
    });
    teddy(['trust', '--yes'], { cwd });
    const crowd = await openCrowd(cwd);
    const words = [
      'orchestrate',
      '--yes',
      '--executor',
      'idle',
      '--max-attempts',
      '1',
      '--isolation',
      'none',
    ];
    const { ended, isOver, typeAtRandom } = startTerminal(words, cwd);
    await Promise.all([
      answerAtRandom(
        crowd,
        isOver,
        () => ({
          decision: 'reply',
          text: chance(0.4) ? 'retry' : chance(0.5) ? 'skip' : 'done',
        }),
        1000,
      ),
      typeAtRandom('rsd'),
      ended,
    ]);
    const journal = readLines(join(cwd, '.ultraplan/state/journal.jsonl'));
    const asked = journal.filter(({ type }) => type === 'asked');
    const decided = readLines(join(cwd, '.ultraplan/logs/resolutions.jsonl'));
    const results = readLines(join(cwd, '.ultraplan/logs/ledger.jsonl'));
    for (let at = 1; at <= count; at++) {
      const id = `01-01:${at}`;
      const answers = decided.filter(({ task_id }) => task_id === id).map(({ decision }) => decision);
      const done = results.filter(({ task, status }) => task === at && status === 'success').length;
      // One answer for each question, and the last one ends the task.
      expect([id, asked.filter(({ task }) => task === id).length]).toEqual([id, answers.length + done]);
      expect([id, done + answers.filter((answer) => answer === 'skip').length]).toEqual([id, 1]);
    }
    // A few tasks may all be answered at the terminal.
    expect(new Set(crowd.accepted).size).toBe(crowd.accepted.length);
    report('tasks', crowd, asked.length);
  });

  test('what a session waits for: replies, plans and budgets', async () => {
    const rounds = isLong ? 60 : 6;
    let asked = 0;
    const model = await startModelServer(() => {
      asked++;
      const plan = planOf(`Step ${asked}`, createAction(`step-${asked}.txt`));
      return { answer: asked % 2 === 1 ? `Which way, after ${asked}?` : plan };
    });
    onTestFinished(() => model.close());
    const prices = 'budget: 0.01, inputPrice: 1, outputPrice: 1000';
    const cwd = makeFolder({
      '.git/HEAD': '',
      '.teddy/config.yaml': `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}", ${prices}}\n`,
    });
    teddy(['trust', '--yes'], { cwd });
    teddy(['new', 'walk'], { cwd });
    const crowd = await openCrowd(cwd);
    const [page] = crowd.pages;
    const say = async (text: string) => {
      const { hash } = await page!.get<{ hash: string }>('/api/sessions/walk');
      return page!.post('/api/sessions/walk/message', { hash, text });
    };
    await say('Go.');
    const isOver = () => model.requests.length >= rounds && lastIsDone();
    const lastIsDone = () => existsSync(join(cwd, `step-${rounds}.txt`));
    const next = async () => {
      // After a run, the session waits for a message that is not a question.
      for (; !isOver(); await pause(200)) {
        const { questions } = await page!.get<Inbox>('/api/inbox');
        const isDone = existsSync(join(cwd, `step-${asked}.txt`));
        if (questions.length === 0 && isDone && asked < rounds) await say('Go on.');
      }
    };
    const choose = ({ kind }: InboxQuestion) =>
      kind === 'message' ? { decision: 'reply', text: 'West.' } : { decision: 'approve' };
    await Promise.all([answerAtRandom(crowd, isOver, choose, 60), next()]);
    // Every question to the model was allowed by one answer about the budget.
    const sent = model.requests.length;
    expect(sent).toBe(rounds);
    expect(readdirSync(cwd).filter((name) => name.startsWith('step-'))).toHaveLength(rounds / 2);
    expectOnce(crowd);
    report('session', crowd, crowd.accepted.length);
  });
});

function expectOnce({ accepted }: Crowd): void {
  expect(new Set(accepted).size).toBe(accepted.length);
  expect(accepted.length).toBeGreaterThan(0);
}

function readLines(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function taskText(at: number): string {
  return `<task type="auto">
  <name>Task ${at}: Part ${at}</name>
  <files>part-${at}.txt</files>
  <action>Write part-${at}.txt.</action>
  <verify>sh verify.sh</verify>
  <done>It is there.</done>
</task>
`;
}
