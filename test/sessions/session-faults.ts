import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRun } from '../../src/core/report/read-run.js';
import type { Run } from '../../src/core/report/record.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { Workspace } from '../../src/workspace/workspace.js';
import type { Received } from '../model-server.mjs';
import { create, execute, planOf, read } from '../runs/boundary/plan.js';
import { SESSION } from './session-step.js';

/** What a killed process left, and where it noted what it was told of answers, each ended by a NUL. */
export interface Left {
  root: string;
  seen: string;
}

/** All that a turn's folder ever holds, but for drafts. */
const OWN =
  /^(?:system_prompt\.md|turn\.context|meta\.yaml|input\.md|plan\.md|report\.md|(?:answer|feedback|message)(?:-\d+)?\.md)$/;

const FIRST = planOf([create('one.txt', '1\n'), execute('echo ran >> ran.log'), read('notes.txt')], {
  memos: ['+ One is made.'],
});
const REFUSED = FIRST.replace('## Action Plan', '## Actions');
const SECOND = planOf([create('two.txt', '2\n')]);

/** The first answer of the first turn is no plan; what it is told about that brings another. */
export function answerTo({ body }: Received): string {
  const [, input, ...more] = body.messages as { content: string }[];
  if (!input!.content.includes('turn 01 of')) return SECOND;
  return more.length === 0 ? REFUSED : FIRST;
}

/** Whether every turn and every run is whole. */
export async function findFaults({ root, seen }: Left): Promise<string[]> {
  const faults: string[] = [];
  const workspace = new Workspace(root);
  const sessions = new Sessions(workspace);
  const numbers = sessions.turns(SESSION);
  if (numbers.some((number, at) => number !== at + 1)) faults.push(`the turns are ${numbers}`);
  const stored: string[] = [];
  for (const number of numbers) {
    const { meta, folder, stage, report } = sessions.readTurn(SESSION, number);
    if ((stage === 'done') === (number === numbers.length)) faults.push(`turn ${number} is ${stage}`);
    const names = readdirSync(join(root, folder));
    const odd = names.filter((name) => !OWN.test(name) && (name !== 'answer.part' || stage === 'done'));
    if (odd.length > 0) faults.push(`${folder} holds ${odd}`);
    const kept = meta.attempts.flatMap(({ answer }) => answer ?? []);
    const answers = names.filter((name) => /^answer(?:-\d+)?\.md$/.test(name));
    if (kept.toSorted().join() !== answers.toSorted().join())
      faults.push(`${folder} has ${answers}, not ${kept}`);
    if (number === 1) {
      stored.push(...kept.map((name) => readFileSync(join(root, folder, name), 'utf8')));
      const part = join(root, folder, 'answer.part');
      if (existsSync(part)) stored.push(readFileSync(part, 'utf8'));
    }
    if (meta.run && workspace.readRunFile(meta.run.id, 'report.md')?.toString() !== report)
      faults.push(`the report of ${folder} is not that of its run`);
  }
  for (const id of workspace.runs()) if (!runOf(root, id)) faults.push(`the run ${id} has no record`);
  // What a person saw on the screen is on disk.
  const shown = existsSync(seen) ? readFileSync(seen, 'utf8').split('\0') : [];
  for (const [at, text] of shown.entries())
    if (text !== '' && !stored[at]?.startsWith(text)) faults.push(`answer ${at + 1} is lost: ${stored[at]}`);
  return faults;
}

/** The session goes on, until the second plan is carried out. */
export async function findFaultsAtTheEnd(site: Left, goOn: () => Promise<unknown>): Promise<string[]> {
  const { root } = site;
  for (let tries = 0; !existsSync(join(root, '.teddy/sessions', SESSION, '03')); tries++) {
    if (tries === 5) return ['it never comes to an end'];
    await goOn();
  }
  const sessions = new Sessions(new Workspace(root));
  const [first, second] = [1, 2].map((turn) => sessions.readTurn(SESSION, turn));
  const run = runOf(root, first!.meta.run!.id)!;
  const [made, ran] = run.actions.map(({ outcome }) => outcome.status);
  const lines = existsSync(join(root, 'ran.log')) ? readFileSync(join(root, 'ran.log'), 'utf8') : '';
  const memos = existsSync(join(root, '.teddy/memos.yaml'));
  const isApproved = run.stateChanges[0]!.decision.status === 'approved';
  return [
    ...(await findFaults(site)),
    ...(first!.plan === FIRST ? [] : [`the first plan is ${first!.plan}`]),
    ...(second!.meta.run?.overall === 'Completed' ? [] : [`the second turn is ${second!.meta.run?.overall}`]),
    ...(existsSync(join(root, 'two.txt')) ? [] : ['there is no two.txt']),
    ...((made === 'success') === existsSync(join(root, 'one.txt')) ? [] : [`CREATE is said to be ${made}`]),
    ...(memos === isApproved ? [] : [`the memo is ${isApproved ? 'said' : 'not said'} to be there`]),
    ...((ran === 'success' && lines === 'ran\n') ||
    (ran === 'not-run' && lines === '') ||
    (ran === 'failure' && 'ran\n'.startsWith(lines))
      ? []
      : [`EXECUTE is said to be ${ran}, and left ${JSON.stringify(lines)}`]),
  ];
}

function runOf(root: string, id: string): Run | undefined {
  const text = new Workspace(root).readRunFile(id, 'run.json');
  return text === undefined ? undefined : readRun(text);
}
