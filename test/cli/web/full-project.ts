import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { keepAnswer } from '../../../src/agents/records.js';
import type { Inbox, InboxQuestion } from '../../../src/faces/web/api.js';
import { bringPlan } from '../../../src/sessions/sessions.js';
import { Sessions } from '../../../src/sessions/turns/sessions.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { homeOf, makeFolder } from '../../folder.js';
import { startModelServer } from '../../model-server.mjs';
import { createAction, planOf } from '../execute/program.js';
import { startTeddy, teddy } from '../teddy.js';
import { oneTask } from './one-task.js';
import { PageClient, startServer } from './page-client.js';

/** A project with a question of every origin: a run, a task, an agent report, a session, changes of an agent; and a run that can be undone. */
export async function openFullProject() {
  const model = await startModelServer([{ answer: 'Which way?' }]);
  onTestFinished(() => model.close());
  const cwd = makeFolder({
    '.git/HEAD': '',
    '.planning/01-01-PLAN.md': oneTask('touch verified.txt'),
    '.teddy/config.yaml': [
      'executors: {idle: {command: "cat"}}',
      `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"}`,
      '',
    ].join('\n'),
    'done.md': planOf('Done', createAction('done.txt')),
    'plan.md': planOf('Open', createAction('open.txt')),
  });
  teddy(['trust', '--yes'], { cwd });
  teddy(['execute', 'done.md', '--yes', '--no-copy'], { cwd });
  const [ended] = readdirSync(join(cwd, '.teddy/runs')).filter((name) => /^\d/.test(name));
  teddy(['orchestrate', '--yes', '--executor', 'idle', '--max-attempts', '1', '--isolation', 'none'], {
    cwd,
  });
  teddy(['wrap', '--unconfined', '--', 'touch', 'made.txt'], { cwd });
  teddy(['new', 'walk'], { cwd });
  await addRecords(cwd);
  const run = startTeddy(['execute', 'plan.md', '--web', '--no-copy'], cwd);
  const server = await startServer(cwd);
  const page = await PageClient.open(server);
  const questions = await untilAllAre(page);
  const { work } = questions.find((question) => question.kind === 'changes')!;
  return { cwd, page, server, model, run, ended: ended!, work, questions };
}

/** What only the user whose home this is can have written. */
async function addRecords(cwd: string): Promise<void> {
  vi.stubEnv('HOME', homeOf(cwd));
  vi.stubEnv('XDG_STATE_HOME', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const workspace = new Workspace(cwd);
  const sessions = new Sessions(workspace);
  await bringPlan(sessions, sessions.lastTurn('walk'), planOf('Walk on', createAction('walk.txt')));
  const report = { task_id: 'T1', agent: 'reviewer', at: '2026-01-02T03:04:05Z', sha256: 'a'.repeat(64) };
  const judged = { compliant: true, route: 'human-review', confidence: 0.2, issues: [] } as const;
  await keepAnswer(workspace, { ...report, ...judged, issues: [] }, 'text');
}

const KINDS: readonly InboxQuestion['kind'][] = ['action', 'task', 'report', 'plan', 'changes'];

async function untilAllAre(page: PageClient): Promise<InboxQuestion[]> {
  for (;;) {
    const { questions } = await page.get<Inbox>('/api/inbox');
    const kinds = new Set(questions.map(({ kind }) => kind));
    if (KINDS.every((kind) => kinds.has(kind))) return questions;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What no request may have made: each file is made by an answer that was accepted. */
export function listDone(cwd: string): string[] {
  return ['open.txt', 'walk.txt', 'verified.txt', 'hello.txt'].filter((name) => existsSync(join(cwd, name)));
}
