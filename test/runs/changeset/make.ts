import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { redactorFor } from '../../../src/config/redactor.js';
import { TIP_LIMITS } from '../../../src/core/report/markdown.js';
import type { Answer, FileQuestion, Reviewer } from '../../../src/review/question.js';
import {
  type ReviewedChangeset,
  type ReviewOptions,
  reviewChangeset,
} from '../../../src/runs/changeset/review-changeset.js';
import { endWork, startWork, type Work } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';

/** A file as its text, with `!` before an executable one; a link as `-> target`; null removes it. */
export type Files = Record<string, string | Buffer | null>;

export function makeProject(files: Files): Workspace {
  const root = realpathSync(makeFolder({}));
  execFileSync('git', ['init', '-q'], { cwd: root });
  writeAll(root, files);
  return new Workspace(root);
}

export function writeAll(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path);
    rmSync(full, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(full), { recursive: true });
    const text = typeof content === 'string' ? content : undefined;
    if (text?.startsWith('-> ')) symlinkSync(text.slice(3), full);
    else {
      const isProgram = text?.startsWith('!') === true;
      writeFileSync(full, isProgram ? text!.slice(1) : content);
      chmodSync(full, isProgram ? 0o755 : 0o644);
    }
  }
}

/** Everything in the project but `.git` and `.teddy`, as `writeAll` takes it; folders end in a slash. */
export function readAllFiles(root: string, below = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.git' || path === '.teddy') continue;
    const stats = lstatSync(join(root, path));
    if (stats.isSymbolicLink()) seen[path] = `-> ${readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(seen, { [`${path}/`]: '' }, readAllFiles(root, path));
    else seen[path] = `${stats.mode & 0o100 ? '!' : ''}${readFileSync(join(root, path), 'utf8')}`;
  }
  return seen;
}

/** An agent that made these changes in its copy, and ended. */
export async function agentChanges(workspace: Workspace, changes: Files): Promise<Work> {
  const started = await startWork(workspace, { command: ['claude'], agent: 'claude' });
  if (started.status !== 'ok') throw new Error(started.reason);
  writeAll(started.work.copy.copy, changes);
  endWork(started.work, { at: '2026-01-02T03:04:05Z', exitCode: 0 });
  return started.work;
}

export type Decide = (question: FileQuestion) => Answer | 'approve' | 'skip';

/** A user who answers as told, and sees every question. */
export function userWho(decide: Decide): Reviewer & { asked: FileQuestion[] } {
  const asked: FileQuestion[] = [];
  return {
    asked,
    resolve: () => undefined,
    ask: async (question) => {
      if (question.kind !== 'file') throw new Error(`asked about ${question.kind}`);
      asked.push(question);
      const answer = decide(question);
      if (answer === 'approve') return { decision: 'approve', by: 'person', hash: question.hash };
      return answer === 'skip' ? { decision: 'skip', by: 'person', reason: null } : answer;
    },
  };
}

export function review(
  work: Work,
  workspace: Workspace,
  reviewer: Reviewer,
  more: Partial<ReviewOptions> = {},
): Promise<ReviewedChangeset> {
  return reviewChangeset(work, {
    workspace,
    reviewer,
    redactor: redactorFor(null, {}),
    emit: () => {},
    tip: TIP_LIMITS,
    keep: 100,
    ...more,
  });
}
