import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { RunView, TaskBoard } from '../src/faces/web/api.js';
import { hasChromium, launchChromium } from '../test/page/chromium.js';
import { emptyAnswers, projectAnswers } from '../test/page/fixture/answers.js';
import { detailOf, RUN, reviewRun } from '../test/page/fixture/data.js';
import { board, RUNNING_RUN, runningRun } from '../test/page/fixture/project.js';
import { FixtureServer } from '../test/page/fixture/server.js';
import type { Check } from './table.js';

// The page with more than anyone wants to read: 1,000 actions, a diff of 5 MB, 10,000 lines of output, 5,000 tasks.

const ROUNDS = 5;
const ACTIONS = 1000;
const DIFF_LINES = 50_000;
const OUTPUT_LINES = 10_000;
const TASKS = 5000;

interface Scene {
  name: string;
  route: string;
  /** There once the view is drawn. */
  ready: string;
  /** What is scrolled from its start to its end. */
  scroller: string;
  /** After it is drawn: what still arrives. */
  arrive?: (server: FixtureServer, page: Page) => Promise<void>;
}

const EMPTY: Scene = { name: 'empty inbox', route: '#/inbox', ready: '.empty', scroller: 'main' };

const SCENES: Scene[] = [
  { name: '1,000 actions', route: `#/runs/${RUN}/2`, ready: '.entry', scroller: '.entry-scroller' },
  {
    name: 'a 5 MB diff',
    route: `#/runs/${RUN}/1`,
    ready: '.run-head',
    scroller: '.run-main',
    arrive: waitForDiff,
  },
  {
    name: '10,000 lines of output',
    route: `#/runs/${RUNNING_RUN}/4`,
    ready: '.output',
    scroller: '.output-lines',
    arrive: sendOutput,
  },
  { name: '5,000 tasks', route: '#/tasks', ready: '.task-card', scroller: '.tasks-main' },
];

export async function benchPage(): Promise<Check[]> {
  if (!hasChromium) throw new Error('chromium is not installed: node scripts/install-test-tools.mjs');
  const folder = resolve('dist/page');
  const empty = new FixtureServer(emptyAnswers(), folder);
  const large = new FixtureServer(largeAnswers(), folder);
  await Promise.all([empty.start(), large.start()]);
  const browser = await launchChromium();
  try {
    const checks: Check[] = [];
    const base = await measureScene(browser, empty, EMPTY);
    for (const scene of SCENES) {
      const found = await measureScene(browser, large, scene);
      const milliseconds = (value: number) => `${value.toFixed(0)} ms`;
      checks.push(
        {
          name: `${scene.name}: first paint / empty inbox`,
          value: found.paint / base.paint,
          limit: 2,
          bound: 'at most',
          unit: '×',
          detail: `${milliseconds(found.paint)}, the view after ${milliseconds(found.drawn)}`,
        },
        {
          name: `${scene.name}: longest frame, ms`,
          value: found.frame,
          limit: 100,
          bound: 'at most',
          unit: '',
        },
        { name: `${scene.name}: memory, MB`, value: found.memory, limit: 300, bound: 'at most', unit: '' },
      );
    }
    return checks;
  } finally {
    await browser.close();
    await Promise.all([empty.stop(), large.stop()]);
  }
}

interface Measured {
  /** Of the first contents, in milliseconds after the navigation. */
  paint: number;
  /** Until the view is there. */
  drawn: number;
  frame: number;
  memory: number;
}

/** The least of each figure over the rounds: what the page needs, not what else the machine does. */
async function measureScene(browser: Browser, server: FixtureServer, scene: Scene): Promise<Measured> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureOnce(browser, server, scene));
  const least = (name: keyof Measured) => Math.min(...rounds.map((one) => one[name]));
  return { paint: least('paint'), drawn: least('drawn'), frame: least('frame'), memory: least('memory') };
}

async function measureOnce(browser: Browser, server: FixtureServer, scene: Scene): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.locator('nav').waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(scene.route)}`);
  await page.reload();
  await page.locator(scene.ready).first().waitFor();
  const drawn = (await page.evaluate('performance.now()')) as number;
  const paint = (await page.evaluate(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
  )) as number;
  await scene.arrive?.(server, page);
  const frame = (await page.evaluate(SCROLL_THROUGH.replace('SCROLLER', scene.scroller))) as number;
  const memory = await measureMemory(browser, await context.newCDPSession(page));
  await context.close();
  return { paint, drawn, frame, memory };
}

/** Scrolls in steps of a wheel, then in jumps over everything, and gives the longest time between two frames. */
const SCROLL_THROUGH = `new Promise((resolve) => {
  const scroller = document.querySelector('SCROLLER');
  const end = scroller.scrollHeight;
  const places = [
    ...Array.from({ length: 60 }, (_, at) => at * 120),
    ...Array.from({ length: 60 }, (_, at) => (end * at) / 60),
  ];
  let last;
  let longest = 0;
  const step = (time) => {
    if (last !== undefined) longest = Math.max(longest, time - last);
    last = time;
    if (places.length === 0) return resolve(longest);
    scroller.scrollTop = places.shift();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** The renderer's own share of memory, in MB, after a collection. */
async function measureMemory(browser: Browser, session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const root = await browser.newBrowserCDPSession();
  const { processInfo } = await root.send('SystemInfo.getProcessInfo');
  const shares = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => readShare(id));
  await root.detach();
  return Math.max(...shares);
}

function readShare(id: number): number {
  const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)![1]) / 1024;
}

async function waitForDiff(_server: FixtureServer, page: Page): Promise<void> {
  await page.locator('.diff-row').first().waitFor();
}

async function sendOutput(server: FixtureServer, page: Page): Promise<void> {
  for (let line = 0; line < OUTPUT_LINES; line += 100) {
    const text = Array.from({ length: 100 }, (_, at) => `line ${line + at}: ok ${'.'.repeat(at)}\n`).join('');
    server.emit({ type: 'output', run: RUNNING_RUN, number: 4, stream: 'stdout', text });
  }
  await page
    .getByText(/1\d,\d{3} lines|10,000 lines/)
    .first()
    .waitFor();
}

function largeAnswers(): Record<string, unknown> {
  const line = (at: number, word: string) =>
    `const value${at} = compute('${word}', ${(at * 7919) % 1000});\n`;
  const text = (word: string) => Array.from({ length: DIFF_LINES }, (_, at) => line(at, word)).join('');
  const detail = detailOf(2);
  detail.number = 1;
  detail.question.preview = {
    kind: 'write',
    path: 'src/a.ts',
    before: text('old'),
    after: text('new'),
    matched: null,
  };
  const run = manyActions(reviewRun());
  return {
    ...projectAnswers(),
    [`/api/runs/${RUN}`]: run,
    [`/api/runs/${RUN}/actions/1`]: detail,
    [`/api/runs/${RUNNING_RUN}`]: manyActions(runningRun()),
    '/api/tasks': manyTasks(board()),
  };
}

function manyActions(run: RunView): RunView {
  const [first] = run.actions;
  const more = Array.from({ length: ACTIONS - run.actions.length }, (_, at) => ({
    ...first!,
    number: run.actions.length + at + 1,
    label: `src/module-${at}/file-${at}.ts`,
    status: 'planned' as const,
  }));
  return { ...run, actions: [...run.actions, ...more] };
}

function manyTasks(from: TaskBoard): TaskBoard {
  const [sample] = from.phases[0]!.waves[0]!.tasks;
  const task = (at: number) => ({
    ...sample!,
    id: `${10 + Math.floor(at / 100)}-01:${at}`,
    name: `Task ${at} of many`,
    dependsOn: at % 10 === 0 ? [] : [`${10 + Math.floor((at - 1) / 100)}-01:${at - 1}`],
  });
  const phases = Array.from({ length: TASKS / 100 }, (_, phase) => ({
    phase: `Phase ${phase + 1}`,
    waves: [{ wave: 1, tasks: Array.from({ length: 100 }, (_, at) => task(phase * 100 + at)) }],
  }));
  return { ...from, phases };
}
