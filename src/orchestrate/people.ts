import { UserError } from '../node/user-error.js';
import { TaskAsking } from './asking.js';
import { type NamedTask, nameOf, type TaskQuestion } from './events.js';
import type { GraphTask } from './graph/types.js';
import { timestamp } from './journal.js';
import type { Parts } from './parts.js';
import { describeQuestion, sortQuestions } from './question.js';

/** What people are asked, and what follows for the others of a wave. */
export class People {
  private readonly asking: TaskAsking;
  private readonly waves: Waves;
  /** What stands for the verifications that questions show, by their tasks. */
  private readonly shown = new Map<string, string>();

  constructor(
    private readonly parts: Parts,
    run: {
      /** What was decided is to be found in the project. */
      look(): void;
      wake(): void;
    },
  ) {
    const { person, desk, hands, graph } = parts;
    this.waves = new Waves((stopped) => desk.emit({ type: 'wave-stopped', ...stopped }));
    const decide = async (id: string, answer: string) => {
      await hands.decide(graph.tasks.get(id)!, answer);
      run.look();
    };
    this.asking = new TaskAsking(person, desk.emit, decide, () => run.wake());
  }

  /** In the order of their tasks. */
  get questions(): TaskQuestion[] {
    return sortQuestions(this.asking.questions, this.parts);
  }

  /** Somebody sits here who may answer. */
  get isPending(): boolean {
    return this.asking.isPending;
  }

  isAsked({ id }: Pick<GraphTask, 'id'>): boolean {
    return this.asking.has(id);
  }

  isStopped(task: GraphTask): boolean {
    return this.waves.isStopped(task);
  }

  async ask(task: GraphTask, why: TaskQuestion['why'], message: string, shown?: string): Promise<void> {
    const { id, name } = task;
    const decisions = this.parts.state.decisions(id);
    await this.parts.desk.note({ type: 'asked', at: timestamp(), task: id, name, why, message, decisions });
    if (shown !== undefined) this.shown.set(id, shown);
    this.askAgain(task, why, message);
  }

  /** What the journal has already, or what is found with every start. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    if (why === 'attempts-exhausted') this.waves.exhaust(task);
    const question = describeQuestion(task, why, message, this.parts);
    this.asking.ask(question, this.parts.state.decisions(task.id));
  }

  /** What cannot be used is for a person to see to; all else is a bug. */
  async askOn(task: GraphTask, error: unknown): Promise<void> {
    if (!(error instanceof UserError)) throw error;
    await this.ask(task, 'unusable', error.message);
  }

  /** The tasks on which a person has decided since they were asked, with what they decided. */
  hear(): { task: GraphTask; decision: string }[] {
    const { graph, state, desk } = this.parts;
    return this.questions.flatMap(({ id }) => {
      if (state.decisions(id) <= this.asking.decisionsAt(id)!) return [];
      const task = graph.tasks.get(id)!;
      const decision = state.lastDecision(id) ?? 'retry';
      const shown = this.shown.get(id);
      this.shown.delete(id);
      // What the person was shown is what is run from now on, whatever the plan says by then.
      if (shown !== undefined && decision !== 'abort') desk.approvals.set(id, shown);
      this.close(task);
      if (decision !== 'skip') this.tellAnswer(task, decision);
      return [{ task, decision }];
    });
  }

  tellAnswer(task: GraphTask, answer: string): void {
    const { graph, desk } = this.parts;
    const as = answer === 'skip' ? 'skipped' : answer === 'abort' ? 'failed' : undefined;
    const blocks = as ? graph.leaves(task.id, as) : [];
    desk.emit({ type: 'answered', task: nameOf(task), answer, blocks });
  }

  /** There is nothing to answer any more. */
  close(task: GraphTask): void {
    this.asking.close(task.id);
    this.waves.relieve(task);
  }

  /** Nobody is waited for any more. */
  stop(): void {
    this.asking.stop();
  }
}

/** So many tasks of one wave with their attempts exhausted are a sign that something is wrong with all of it. */
const EXHAUSTED_STOP = 3;

interface StoppedWave {
  phase: string | null;
  wave: number | null;
  tasks: NamedTask[];
}

/** Which waves go on: each until too many of its tasks wait for a person because nothing helped. */
class Waves {
  private readonly exhausted = new Map<string, Map<string, NamedTask>>();

  constructor(private readonly onStop: (stopped: StoppedWave) => void) {}

  exhaust(task: GraphTask): void {
    const wave = waveOf(task);
    const tasks = this.exhausted.get(wave) ?? new Map<string, NamedTask>();
    this.exhausted.set(wave, tasks.set(task.id, nameOf(task)));
    if (tasks.size !== EXHAUSTED_STOP) return;
    const { phase, wave: number } = task.plan;
    this.onStop({ phase, wave: number, tasks: [...tasks.values()] });
  }

  /** A person decided on it, or somebody did it. */
  relieve(task: GraphTask): void {
    this.exhausted.get(waveOf(task))?.delete(task.id);
  }

  isStopped(task: GraphTask): boolean {
    return (this.exhausted.get(waveOf(task))?.size ?? 0) >= EXHAUSTED_STOP;
  }
}

function waveOf({ plan }: GraphTask): string {
  return `${plan.phase ?? ''}/${plan.wave ?? ''}`;
}
