import { releaseTask } from '../capture/index.js';
import type { Context } from './context.js';
import type { Coordinator } from './coordinator.js';
import type { Desk } from './desk.js';
import { NOTHING_USED } from './executors/types.js';
import { type GraphTask, namedInError } from './graph/index.js';
import { endedLine, type StartedLine } from './journal.js';

/**
 * Goes on where an orchestrator that died was. What came back and was not settled is taken up; what was cut off does not
 * count and is cleaned up; who was asked is asked again. Gives sentences on what was found.
 */
export async function resume(
  context: Context & { desk: Desk; coordinator: Coordinator; ended: number },
): Promise<string[]> {
  const adopted = await adopt(context);
  for (const task of context.intent.graph.tasks.values()) {
    if (!adopted.tasks.has(task.id)) takeUp(task, context);
  }
  const { ended } = context;
  const left = `${ended === 1 ? 'A process' : `${ended} processes`} that an earlier run left ${ended === 1 ? 'was' : 'were'} ended.`;
  return [...(ended > 0 ? [left] : []), ...adopted.notes];
}

async function adopt(
  context: Context & { desk: Desk; coordinator: Coordinator },
): Promise<{ tasks: Set<string>; notes: string[] }> {
  const { journal, queue, isolation, past, intent, coordinator, state } = context;
  const jobs = new Map((await queue.list()).map((job) => [job.task, job]));
  const isBack = ({ task, name, attempt }: StartedLine) => {
    const job = jobs.get(task);
    const known = intent.graph.tasks.get(task);
    return job?.state === 'completed' && job.attempt === attempt && known?.name === name;
  };
  const open = [...journal.open.values()];
  const notes = await past.recover(open.filter(isBack).map(({ place }) => place));
  const tasks = new Set<string>();
  for (const started of open) {
    const task = intent.graph.tasks.get(started.task);
    const origin = started.place.branch === null ? isolation : past;
    const place = isBack(started) ? await origin.reopen(started.place) : undefined;
    if (task && place) {
      const { attempt: number, executor } = started;
      const decisions = state.decisions(task.id);
      state.claim(task.id);
      coordinator.adopt({ task, number, executor, place, decisions });
      tasks.add(task.id);
    } else {
      await cutOff(started, context);
      notes.push(`Attempt ${started.attempt} at ${started.task} was cut off, and does not count.`);
    }
  }
  for (const { task } of jobs.values()) if (!tasks.has(task)) await queue.cancel(task);
  return { tasks, notes };
}

async function cutOff(
  { task, name, attempt, executor }: StartedLine,
  { desk, intent, state }: Context & { desk: Desk },
): Promise<void> {
  const about = { task: { id: task, name }, number: attempt, executor, decisions: state.decisions(task) };
  const line = endedLine(
    about,
    { durationMs: 0, usage: NOTHING_USED },
    { outcome: 'cut-off', failure: null, behind: [] },
  );
  state.claim(task);
  if (!intent.graph.tasks.has(task)) return desk.note(line);
  await releaseTask(intent.project, task, { also: (view) => desk.changes(view, [line]) });
  desk.journal.took([line]);
}

/** What a start of ours mends by itself, or asks about again when it comes to it. */
const ASKED_ANEW = new Set(['verify-changed', 'cannot-land', 'unusable', 'checkpoint']);

function takeUp(
  task: GraphTask,
  { journal, state, intent, coordinator }: Context & { coordinator: Coordinator },
) {
  const { graph } = intent;
  const { asked, ended } = journal.of(task.id);
  if (task.status === 'completed' || task.status === 'skipped') return;
  if (state.isAborted(task.id)) return coordinator.giveUp(task);
  const decisions = state.decisions(task.id);
  const stands = asked?.decisions === decisions && asked.name === task.name && !ASKED_ANEW.has(asked.why);
  // More attempts may be allowed by now.
  const isOver = asked?.why === 'attempts-exhausted' && !coordinator.isExhausted(task);
  if (stands && !isOver) return coordinator.askAgain(task, asked.why, asked.message);
  if (task.status !== 'blocked') return;
  const error = state.lastResult(task)?.error ?? '';
  const behind = ended.at(-1)?.behind ?? namedInError(error, task.plan, graph);
  const postponed = graph.postpone(task.id, behind);
  if (postponed.status === 'ok') return;
  const last = ended.at(-1);
  // What it waited for is there by now.
  if (last?.outcome === 'blocked' && last.behind.length > 0 && postponed.status === 'nothing') return;
  coordinator.askAgain(task, 'blocked', error);
}
