import { findBlockers } from '../tasks/plans/blockers.js';
import { releaseTask } from '../tasks/plans/change-task.js';
import type { Attempt } from './attempt/running.js';
import { type Coordinator, isExhausted } from './coordinator.js';
import { NOTHING_USED } from './executors/types.js';
import type { GraphTask } from './graph/types.js';
import { type AskedLine, endedLine, type StartedLine } from './journal.js';
import type { Orchestration } from './orchestration.js';

/**
 * Goes on where an orchestrator that died was. What came back and was not settled is taken up; what was cut off does not
 * count and is cleaned up; who was asked is asked again. Gives sentences on what was found.
 */
export async function resumeRun(
  o: Orchestration,
  coordinator: Coordinator,
  ended: number,
): Promise<string[]> {
  const adopted = await adoptAttempts(o, coordinator);
  for (const task of o.graph.tasks.values()) {
    if (!adopted.tasks.has(task.id)) resumeTask(task, o, coordinator);
  }
  const left = `${ended === 1 ? 'A process' : `${ended} processes`} that an earlier run left ${ended === 1 ? 'was' : 'were'} ended.`;
  return [...(ended > 0 ? [left] : []), ...adopted.notes];
}

async function adoptAttempts(
  o: Orchestration,
  coordinator: Coordinator,
): Promise<{ tasks: Set<string>; notes: string[] }> {
  const { journal, queue, plain, past, graph, state } = o;
  const jobs = new Map((await queue.list()).map((job) => [job.task, job]));
  const isBack = ({ task, attempt }: StartedLine) => {
    const job = jobs.get(task);
    return job?.state === 'completed' && job.attempt === attempt;
  };
  const open = [...journal.open.values()];
  const notes = await past.recover(open.filter(isBack).map(({ place }) => place));
  const tasks = new Set<string>();
  for (const started of open) {
    const task = graph.tasks.get(started.task);
    // What came back of another plan waits for a run that is about it.
    if (!task && isBack(started) && isInProject(started, o)) {
      tasks.add(started.task);
      continue;
    }
    const origin = started.place.branch === null ? plain : past;
    const place = isBack(started) ? await origin.reopen(started.place) : undefined;
    if (task && place) {
      const { attempt: number, key, executor, decisions } = started;
      state.claim(task.id);
      const attempt: Attempt = { task, number, key, executor, place, decisions };
      if (await isSuperseded(task, started, o)) attempt.superseded = true;
      coordinator.adopt(attempt);
      tasks.add(task.id);
    } else {
      await cutOff(started, o);
      notes.push(`Attempt ${started.attempt} at ${started.task} was cut off, and does not count.`);
    }
  }
  for (const { task } of jobs.values()) if (!tasks.has(task)) await queue.cancel(task);
  return { tasks, notes };
}

function isInProject({ task }: StartedLine, { facts }: Orchestration): boolean {
  return facts.plans.some(({ tasks }) => tasks.some(({ id }) => id === task));
}

/** Whether people decided otherwise since. What is in the project already stays there, and is recorded. */
async function isSuperseded(
  { id, name, status }: GraphTask,
  { decisions, name: before }: StartedLine,
  { state, journal, past }: Orchestration,
): Promise<boolean> {
  const isEnded = status === 'completed' || status === 'skipped' || state.isAborted(id);
  if (!isEnded && name === before && state.decisions(id) === decisions) return false;
  const { landing } = journal.of(id);
  if (!landing) return true;
  // Who was asked because it could not be landed, and says retry, wants just that.
  const isWanted = !isEnded && name === before && state.lastDecision(id) === 'retry';
  return !isWanted && !(await past.has(landing.candidate));
}

async function cutOff(started: StartedLine, o: Orchestration): Promise<void> {
  const { state, journal, project } = o;
  const { task, name, attempt, executor } = started;
  const about = { task: { id: task, name }, number: attempt, executor, decisions: state.decisions(task) };
  const line = endedLine(
    about,
    { durationMs: 0, usage: NOTHING_USED },
    { outcome: 'cut-off', failure: null, behind: [] },
  );
  state.claim(task);
  if (!isInProject(started, o)) return journal.write(line);
  await releaseTask(project, task, { also: (view) => [journal.change(view, [line])] });
  journal.took([line]);
}

/** What a start of ours mends by itself, or asks about again when it comes to it. */
const ASKED_ANEW = new Set(['cannot-land', 'unusable', 'checkpoint']);

/** What a person was asked about a task in an earlier run, and has not decided on yet. */
export function findQuestion(task: GraphTask, o: Orchestration): AskedLine | undefined {
  const { journal, state } = o;
  const { asked } = journal.of(task.id);
  if (!asked || asked.decisions !== state.decisions(task.id) || asked.name !== task.name) return undefined;
  if (ASKED_ANEW.has(asked.why) || task.status === 'completed' || task.status === 'skipped') return undefined;
  // More attempts may be allowed by now.
  const isOver = asked.why === 'attempts-exhausted' && !isExhausted(task, o);
  return isOver || state.isAborted(task.id) ? undefined : asked;
}

function resumeTask(task: GraphTask, o: Orchestration, coordinator: Coordinator): void {
  const { journal, state, graph } = o;
  const { ended } = journal.of(task.id);
  const asked = findQuestion(task, o);
  if (asked) coordinator.askAgain(task, asked.why, asked.message);
  if (asked || state.isAborted(task.id)) return;
  if (task.status !== 'blocked') return;
  const error = state.lastResult(task)?.error ?? '';
  const behind = ended.at(-1)?.behind ?? findBlockers(error, task.plan, graph.plans);
  const postponed = graph.postpone(task.id, behind);
  if (postponed.status === 'ok') return;
  const last = ended.at(-1);
  // What it waited for is there by now.
  if (last?.outcome === 'blocked' && last.behind.length > 0 && postponed.status === 'nothing') return;
  coordinator.askAgain(task, 'blocked', error);
}
