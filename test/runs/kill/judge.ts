import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import { parseReport } from '../../../src/core/report/parse.js';
import type { MirroredReport } from '../../../src/core/report/parsed-report.js';
import type { Run } from '../../../src/core/report/record.js';
import { RUN_SCHEMA } from '../../core/report/run-schema.js';
import { listContent } from '../../folder.js';
import type { Model } from './mixed-plan.js';

const isRun = new Ajv2020({ strict: true, allowUnionTypes: true }).compile<Run>(RUN_SCHEMA);

/** A place for one try: `root` with the model's files, and `outside` beside it for what commands write. */
export class Site {
  readonly root: string;
  readonly outside: string;

  constructor(
    readonly base: string,
    readonly model: Model,
  ) {
    this.root = join(base, 'root');
    this.outside = join(base, 'outside');
    mkdirSync(this.outside);
    for (const [path, text] of Object.entries(model.files)) {
      mkdirSync(join(this.root, dirname(path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
    mkdirSync(join(this.root, '.teddy'), { recursive: true });
    this.write('.teddy/turn.context', lines(model.context.before));
    this.write('.teddy/memos.yaml', lines(model.memos.before.map((memo) => `- ${memo}`)));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  context(): string[] {
    return this.read('.teddy/turn.context').split('\n').slice(0, -1);
  }

  memos(): string[] {
    return parseDocument(this.read('.teddy/memos.yaml')).toJS() as string[];
  }

  /** Path to text, `.teddy` aside; a folder's name ends in a slash. */
  tree(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(this.root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(this.root.length + 1);
      if (path === '.teddy' || path.startsWith('.teddy/')) continue;
      if (entry.isDirectory()) found[`${path}/`] = '';
      else found[path] = this.read(path);
    }
    return found;
  }

  /** The numbers of the processes that ran a command, in order. */
  ran(name: string): number[] {
    try {
      return readFileSync(join(this.outside, name), 'utf8').split('\n').slice(0, -1).map(Number);
    } catch {
      return [];
    }
  }

  /** Those of them that live. */
  leftovers(): number[] {
    return readdirSync(this.outside)
      .flatMap((name) => this.ran(name))
      .filter(isRunning);
  }

  /** Their ids. What has another name is no run yet. */
  runs(): string[] {
    try {
      return readdirSync(join(this.root, '.teddy/runs')).filter((name) => /^\d{8}-/.test(name));
    } catch {
      return [];
    }
  }

  record(id: string): Run {
    return JSON.parse(this.read(`.teddy/runs/${id}/run.json`)) as Run;
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

interface Case {
  /** The run's process was killed, and another has recovered since; or a signal asked it to end; or it ended by itself. */
  end: 'killed' | 'asked' | 'ended';
  /** A person was asked: then each action is committed by itself. */
  person?: boolean;
  /** The disk failed on the way: an action may fail by itself, and a change of state may not be applied. */
  faulty?: boolean;
}

/** Everything that is not as it has to be, a sentence each. */
export function judge(site: Site, { end, person = false, faulty = false }: Case): string[] {
  const { model } = site;
  const wrong: string[] = [];
  const ids = site.runs();
  if (ids.length > 1) return [`there are ${ids.length} runs`];
  const tx = listContent(join(site.root, '.teddy/tx'));
  if (tx.length > 0) wrong.push(`.teddy/tx holds ${tx.join(' ')}`);
  const alive = site.leftovers();
  if (alive.length > 0) wrong.push(`processes ${alive.join(' ')} still run`);

  const run = ids.length === 0 ? undefined : readRun(site, ids[0]!, wrong);
  if (ids.length > 0 && run === undefined) return wrong;
  if (run && run.actions.length !== model.actions.length)
    return [...wrong, 'actions are missing in the record'];
  const outcome = (number: number) => run?.actions[number - 1]?.outcome;
  const isDone = (number: number) => outcome(number)?.status === 'success';
  const isApplied = (section: string) =>
    run?.stateChanges.some(
      (change) =>
        change.section === section && change.decision.status === 'approved' && change.notApplied.length === 0,
    ) ?? false;

  compare(wrong, 'the tree', site.tree(), expectedTree(site, isDone));
  compare(wrong, 'memos', site.memos(), model.memos[isApplied('Memos') ? 'after' : 'before']);
  compare(wrong, 'context', site.context(), expectedContext(model, isApplied('Active Context'), isDone));
  for (const numbers of person || faulty ? [] : model.transactions) {
    const states = new Set(numbers.map((number) => outcome(number)?.status ?? 'not-run'));
    if (states.size > 1) wrong.push(`actions ${numbers.join(', ')} were not committed as one`);
  }
  for (const [number, { line }] of Object.entries(model.commands)) {
    const times = site.ran(line).length;
    const told = outcome(Number(number));
    if (times > 1) wrong.push(`command ${number} ran ${times} times`);
    if (times === 0 && told?.status === 'success') wrong.push(`command ${number} is said to have run`);
    if (times === 1 && (told?.status ?? 'not-run') === 'not-run')
      wrong.push(`command ${number} ran, and it is not told`);
    const how = told?.status === 'failure' ? (end === 'asked' ? told.ended : told.interrupted) : '';
    if (how === undefined) wrong.push(`of command ${number} it is not told how it ended`);
  }
  if (run && end === 'ended' && run.interrupted !== null) wrong.push('it is called interrupted');
  if (!faulty) wrong.push(...disorder(run));
  return wrong;
}

/** What was not reached comes after all that was, and after an action in flight nothing was done. */
function disorder(run: Run | undefined): string[] {
  const states = (run?.actions ?? []).map(({ outcome }) => outcome);
  const flying = states.findIndex((outcome) => outcome.status === 'failure');
  const later = flying === -1 ? [] : states.slice(flying + 1).filter(({ status }) => status !== 'not-run');
  return later.length > 0 ? ['something was done after what was interrupted'] : [];
}

function readRun(site: Site, id: string, wrong: string[]): Run | undefined {
  const names = readdirSync(join(site.root, '.teddy/runs', id));
  for (const name of ['plan.md', 'report.md', 'run.json'])
    if (!names.includes(name)) wrong.push(`the run has no ${name}; it has ${names.join(' ')}`);
  const odd = names.filter(
    (name) => !/^(?:plan\.md|report\.md|run\.json|undone\.json|seal|lock|journal|output|drafts)$/.test(name),
  );
  if (odd.length > 0) wrong.push(`the run's folder holds ${odd.join(' ')}`);
  if (!names.includes('run.json') || !names.includes('report.md')) return undefined;
  const run = site.record(id);
  if (!isRun(run)) {
    wrong.push(`run.json is not as the schema says: ${JSON.stringify(isRun.errors)}`);
    return undefined;
  }
  const report = parseReport(site.read(`.teddy/runs/${id}/report.md`));
  if (report.status !== 'mirrored') wrong.push(`report.md is ${JSON.stringify(report)}`);
  else compare(wrong, 'report.md', summarise(report), summarise(run));
  return run;
}

/** What reader and record must agree on. */
function summarise({ overall, interrupted, stateChanges, actions }: Run | MirroredReport): unknown {
  return {
    overall,
    interrupted,
    state: stateChanges.map(({ section, decision, notApplied }) => [section, decision.status, notApplied]),
    actions: actions.map(({ type, decision, outcome }) => [
      type,
      decision.status,
      outcome.status,
      outcome.status === 'not-run' ? null : (outcome.interrupted ?? null),
    ]),
  };
}

/** Of those that wrote to the same file, the last one stands. */
function expectedTree(site: Site, isDone: (number: number) => boolean): Record<string, string> {
  const { model } = site;
  const files: Record<string, string> = { ...model.files };
  for (const [number, written] of Object.entries(model.writes))
    if (isDone(Number(number))) Object.assign(files, written);
  const tree = site.tree();
  for (const [number, { leaves }] of Object.entries(model.commands)) {
    // What a command that was cut off has left is its own affair.
    const left = leaves === undefined ? undefined : isDone(Number(number)) ? 'made\n' : tree[leaves];
    if (left !== undefined) files[leaves!] = left;
  }
  return withFolders(files);
}

function expectedContext(model: Model, changed: boolean, isDone: (number: number) => boolean): string[] {
  const looks = Object.entries(model.looks).flatMap(([number, step]) =>
    isDone(Number(number)) ? [step] : [],
  );
  return applySteps(model.context.before, [...(changed ? model.context.changes : []), ...looks]);
}

export function applySteps(before: readonly string[], steps: readonly string[]): string[] {
  let found = [...before];
  for (const step of steps) {
    const path = step.slice(2);
    if (step[0] === '-') found = found.filter((each) => each !== path);
    else if (!found.includes(path)) found.push(path);
  }
  return found;
}

export function withFolders(files: Record<string, string>): Record<string, string> {
  const all = { ...files };
  for (const path of Object.keys(files))
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      all[path.slice(0, at + 1)] = '';
  return all;
}

function compare(wrong: string[], what: string, found: unknown, expected: unknown): void {
  const text = (value: unknown) =>
    JSON.stringify(value, (_key, held) =>
      held && typeof held === 'object' && !Array.isArray(held)
        ? Object.fromEntries(Object.entries(held).sort())
        : held,
    );
  if (text(found) !== text(expected))
    wrong.push(`${what} is ${text(found)}, and the report says ${text(expected)}`);
}

const lines = (list: readonly string[]) => list.map((line) => `${line}\n`).join('');
