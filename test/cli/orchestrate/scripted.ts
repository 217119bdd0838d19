import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Look } from '../../../src/faces/cli/output.js';
import type {
  Finished,
  OrchestrateEvent,
  OrchestrationOverview,
  OverviewTask,
  Summary,
  TaskQuestion,
} from '../../../src/orchestrate/events.js';
import { makeFolder } from '../../folder.js';
import { bundleFixture } from '../pty/bundle-fixture.js';
import { type TerminalOptions, TestTerminal } from '../pty/terminal.js';
import type { Script } from './fixture.js';

export const plainPaint = (_: string, text: string) => text;

/** No colours, and all characters. */
export const LOOK: Look = {
  glyphs: {
    rule: '─',
    gutter: '│',
    more: '┊',
    errors: '┃',
    bullet: '•',
    good: '✔',
    bad: '✘',
    none: '–',
    flag: '⚠',
    start: '▸',
    dots: '…',
    dot: '·',
    tab: '→',
    space: '·',
    updown: '↑↓',
    spinner: '⠋⠙',
  },
  inPlace: true,
  twoScreens: true,
  foreignCharset: false,
  paint: (_, text) => text,
};

/** 10:00:00 UTC, and so many seconds. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 26, 10, 0, seconds)).toISOString();
}

export function taskName(id: string) {
  return { id, name: `Task ${id.split(':')[1]}: Make it` };
}

export function overviewTask(id: string, more: Partial<OverviewTask> = {}): OverviewTask {
  return {
    ...taskName(id),
    status: 'waiting',
    isCheckpoint: false,
    verify: 'npm test',
    waitsOn: [],
    ...more,
  };
}

export function overviewOf(more: Partial<OrchestrationOverview> = {}): OrchestrationOverview {
  return {
    plans: [
      {
        id: '03-01',
        path: '.planning/03-01-PLAN.md',
        phase: '03',
        wave: 1,
        tasks: [
          overviewTask('03-01:1', { status: 'ready' }),
          overviewTask('03-01:2', { waitsOn: ['03-01:1'] }),
        ],
      },
    ],
    commands: [{ command: 'npm test', tasks: ['03-01:1', '03-01:2'] }],
    executor: 'claude',
    jobs: 2,
    isolation: 'worktree',
    notes: [],
    ...more,
  };
}

export function finished(
  id: string,
  seconds: number,
  more: Partial<Finished> = {},
): OrchestrateEvent & { type: 'finished' } {
  return {
    at: at(seconds),
    type: 'finished',
    task: taskName(id),
    attempt: 1,
    executor: 'claude',
    outcome: 'done',
    claimed: 'success',
    why: null,
    reason: null,
    warnings: [],
    durationMs: 45_000,
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
    logged: null,
    ...more,
  };
}

export function questionOf(id: string, more: Partial<TaskQuestion> = {}): TaskQuestion {
  return {
    ...taskName(id),
    why: 'attempts-exhausted',
    message: 'It failed with all of its 3 attempts.',
    detail: 'npm test\n1 failed\n',
    answers: ['retry', 'skip', 'abort', 'fix'],
    blocks: [],
    outputs: [],
    ...more,
  };
}

export function summaryOf(more: Partial<Summary> = {}): Summary {
  return {
    complete: true,
    stopped: null,
    done: 2,
    doneBefore: 0,
    total: 2,
    failed: 0,
    skipped: 0,
    open: [],
    questions: [],
    attempts: 2,
    retries: 0,
    firstAttemptRate: 1,
    elapsedMs: 90_000,
    criticalPathMs: 60_000,
    workMs: 120_000,
    usage: { inputTokens: 10_000, outputTokens: 2_300, costUsd: 0.042, unknown: 0 },
    ...more,
  };
}

let built: { readonly path: string } = { path: '' };

/** Bundles the fixture program for the tests of one file. */
export function buildFixture(): void {
  built = bundleFixture(import.meta.url);
}

/** The fixture program's command line, and the folder of what it is told and of what it tells. */
export function scripted(script: Script) {
  const folder = makeFolder({ 'script.json': JSON.stringify(script) });
  return {
    folder,
    words: [process.execPath, built.path, folder],
    /** Lets the script go on. */
    signal: (name: string) => writeFileSync(join(folder, name), ''),
    answers: () => {
      const path = join(folder, 'answers');
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    },
  };
}

export function startBoard(script: Script, options: Partial<TerminalOptions> = {}) {
  const program = scripted(script);
  const terminal = new TestTerminal(program.words, {
    cwd: program.folder,
    ...options,
    env: { TZ: 'UTC', TEDDY_NOW: at(60), ...options.env },
  });
  return { ...program, terminal };
}
