// Random work in a project: commands, landings of an agent's work, edits by the user, undo and redo in any order. What
// undo restores is as it was, in content, mode and links; all else is left alone, and every exception is named.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseUndo, redoRun, type UndoneRun, undoRun } from '../../../src/runs/undo-run.js';
import { startWork } from '../../../src/workspace/copy/work.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import { plainGit } from '../../repository.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { executeHere } from '../boundary/execute-here.js';
import { create, execute, planOf } from '../boundary/plan.js';
import { review, userWho } from '../changeset/make.js';
import { FIRST_FILES, IGNORED, KINDS, randomScript } from './random-scripts.js';
import { differences, judgeUndo, readTree, type Tree } from './undo-oracle.js';

const SEQUENCES = SOAK ? 300 : 12;
const STEPS = 8;
const SEED = Number(process.env.TEDDY_SEED ?? 1);

interface Ran {
  before: Tree;
  after: Tree;
}

interface LastUndo {
  id: string;
  from: Tree;
  to: Tree;
}

const seen = {
  runs: 0,
  changing: 0,
  landings: 0,
  undos: 0,
  edited: 0,
  refused: 0,
  redos: 0,
  stopped: 0,
  named: 0,
  withGit: 0,
};
/** How many commands did something of a kind. */
const kinds = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]));

class Sequence {
  private readonly ran = new Map<string, Ran>();
  private readonly undone: LastUndo[] = [];
  private readonly environment: Record<string, string | undefined>;
  private files = 0;
  private now: Tree;
  /** Whether every file since the start was changed by runs only. */
  private isAlone = true;
  private readonly first: Tree;
  private constructor(
    private readonly root: string,
    home: string,
    private readonly git: boolean,
    private readonly random: () => number,
    private readonly workspace: Workspace,
  ) {
    this.environment = environmentOf(home);
    this.now = readTree(root);
    this.first = this.now;
  }

  static async run(number: number): Promise<void> {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-undo-')));
    const [root, home] = [join(base, 'project'), join(base, 'home')];
    const random = seeded(SEED * 1000 + number);
    const git = number % 2 === 0;
    try {
      execFileSync('mkdir', [root, home]);
      if (git) plainGit(root, 'init', '-q', '-b', 'main');
      shell(FIRST_FILES, root, environmentOf(home));
      if (git) commitFirst(root);
      seen.withGit += git ? 1 : 0;
      const { workspace } = await executeHere(root, planOf([execute('true')]));
      const sequence = new Sequence(root, home, git, random, workspace);
      for (let step = 0; step < STEPS; step++) await sequence.step();
      await sequence.undoAll();
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  }

  private async step(): Promise<void> {
    const choice = this.random();
    if (choice < 0.45) await this.command();
    else if (choice < 0.57) await this.landing();
    else if (choice < 0.7) this.edit();
    else if (choice < 0.87) await this.undo();
    else await this.redo();
  }

  private script(git = this.git): string {
    return randomScript(this.random, { git });
  }

  private async command(): Promise<void> {
    const before = this.now;
    const scripts = Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => this.script());
    for (const [kind, words] of Object.entries(KINDS))
      kinds[kind]! += scripts.filter((each) => words.test(each)).length;
    const written = () => (this.random() < 0.5 ? [create(`new/made-${this.files++}`, 'made\n')] : []);
    const actions = [...written(), ...scripts.flatMap((each) => [execute(each), ...written()])];
    const { run } = await executeHere(this.root, planOf(actions), {
      keepGoing: true,
      environment: this.environment,
    });
    seen.runs++;
    this.note(run.id, before);
  }

  private async landing(): Promise<void> {
    const before = this.now;
    const started = await startWork(this.workspace, { command: ['agent'] });
    if (started.status !== 'ok') throw new Error(started.reason);
    const { work } = started;
    shell(this.script(false), work.copy.copy, this.environment);
    work.update({ end: { at: '2026-01-02T03:04:05Z', exitCode: 0 } });
    const reviewed = await review(
      work,
      this.workspace,
      userWho(() => 'approve'),
    );
    work.close();
    if (reviewed.status !== 'reviewed') return;
    seen.landings++;
    this.note(reviewed.run.id, before);
  }

  private note(id: string, before: Tree): void {
    this.now = readTree(this.root);
    this.ran.set(id, { before, after: this.now });
    if (differences(before, this.now).length > 0) seen.changing++;
  }

  private edit(): void {
    shell(this.script(false), this.root, this.environment);
    this.now = readTree(this.root);
    this.isAlone = false;
  }

  /** The run that was undone; undefined where there is none. */
  private async undo(): Promise<string | undefined> {
    const chosen = await chooseUndo(this.workspace, undefined);
    if (chosen.status === 'missing') return undefined;
    const { id } = chosen.run;
    const preview = await undoRun(this.workspace, chosen.run, { dryRun: true });
    expect(readTree(this.root)).toEqual(this.now);
    const { result, commands } = await undoRun(this.workspace, chosen.run);
    if (result.status !== preview.result.status) throw new Error(`undo ends with ${JSON.stringify(result)}`);
    expect(result).toEqual(preview.result);
    if (result.status !== 'undone') throw new Error(`undo ends with ${JSON.stringify(result)}`);
    const undone = readTree(this.root);
    const ran = this.ran.get(id)!;
    const named = { refused: result.refused.map(({ path }) => path), unrestorable: unrestorableOf(commands) };
    const wrong = judgeUndo({ ...ran, now: this.now, undone }, named, isIgnored);
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('; '));
    if (named.unrestorable.length > 0) this.isAlone = false;
    const isEdited = differences(ran.after, this.now).some((path) => !isIgnored(path));
    seen.undos++;
    seen.edited += isEdited ? 1 : 0;
    seen.refused += named.refused.length;
    seen.named += named.unrestorable.length;
    this.undone.push({ id, from: this.now, to: undone });
    this.now = undone;
    return id;
  }

  private async redo(): Promise<void> {
    const redone = await redoRun(this.workspace);
    const after = readTree(this.root);
    const last = this.undone.at(-1);
    if (redone.status === 'missing') {
      expect(last).toBeUndefined();
      expect(after).toEqual(this.now);
      return;
    }
    const { result, run } = redone;
    expect(run.id).toBe(last?.id);
    if (result.status === 'changed') {
      seen.stopped++;
      expect(after).toEqual(this.now);
      const edited = differences(last!.to, this.now);
      expect(edited, JSON.stringify(result.refused)).not.toEqual([]);
      return;
    }
    expect(result.status).toBe('redone');
    seen.redos++;
    const undid = differences(last!.from, last!.to);
    const isEdited = differences(last!.to, this.now).length > 0;
    if (!isEdited) expect(after).toEqual(last!.from);
    for (const path of undid.filter((each) => !each.endsWith('/')))
      expect([path, after[path]]).toEqual([path, last!.from[path]]);
    for (const path of differences(this.now, after).filter((each) => !each.endsWith('/')))
      expect(undid).toContain(path);
    this.undone.pop();
    this.now = after;
  }

  /** Where only runs changed anything, the project is as at the start. */
  async undoAll(): Promise<void> {
    while ((await this.undo()) !== undefined);
    if (!this.isAlone) return;
    const isOdd = (path: string) =>
      !isIgnored(path) && !holdsIgnored(path, this.now) && !holdsIgnored(path, this.first);
    expect(differences(this.first, this.now).filter(isOdd)).toEqual([]);
  }
}

function environmentOf(home: string): Record<string, string | undefined> {
  return {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'T',
    GIT_AUTHOR_EMAIL: 't@example.org',
    GIT_COMMITTER_NAME: 'T',
    GIT_COMMITTER_EMAIL: 't@example.org',
  };
}

function shell(script: string, cwd: string, env: Record<string, string | undefined>): void {
  execFileSync('/bin/sh', ['-c', script], { cwd, env, stdio: 'ignore' });
}

/** Some files are committed, some only added, some neither. */
function commitFirst(root: string): void {
  plainGit(root, 'add', '-A');
  plainGit(root, 'rm', '-q', '--cached', 'lib/g/h', '.env', 'b.md');
  plainGit(root, 'commit', '-q', '-m', 'first');
  plainGit(root, 'commit', '-q', '--allow-empty', '-m', 'second');
  plainGit(root, 'add', 'b.md');
  plainGit(root, 'branch', 'side', 'HEAD~1');
}

function unrestorableOf(commands: UndoneRun['commands']): string[] {
  return commands.flatMap(({ unrestorable }) => unrestorable.map(({ path }) => path));
}

function isIgnored(path: string): boolean {
  const names = path.split('/');
  return IGNORED.some((rule) =>
    rule.endsWith('/')
      ? names.slice(0, -1).includes(rule.slice(0, -1))
      : names.some((name) => name.endsWith(rule.slice(1))),
  );
}

function holdsIgnored(folder: string, tree: Tree): boolean {
  return folder.endsWith('/') && Object.keys(tree).some((path) => path.startsWith(folder) && isIgnored(path));
}

test('any sequence, with and without git', async () => {
  const only = process.env.TEDDY_SEQUENCE;
  const numbers = only === undefined ? [...Array(SEQUENCES).keys()] : only.split(',').map(Number);
  const wrong: string[] = [];
  for (const number of numbers) {
    await Sequence.run(number).catch((error: Error) => {
      wrong.push(`sequence ${number}: ${error.message}`);
    });
  }
  console.log(JSON.stringify({ seed: SEED, sequences: numbers.length, ...seen, kinds }));
  expect(wrong).toEqual([]);
  if (only !== undefined) return;
  expect(seen.changing).toBeGreaterThan(SEQUENCES);
  expect(seen.undos).toBeGreaterThan(SEQUENCES);
  for (const count of [seen.landings, seen.edited, seen.refused, seen.redos])
    expect(count).toBeGreaterThan(0);
  if (SOAK)
    for (const [kind, count] of Object.entries(kinds)) expect([kind, count > 0]).toEqual([kind, true]);
});
