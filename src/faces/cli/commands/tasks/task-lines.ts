import { listFirst } from '../../../../core/text.js';
import type { AttemptFiles, AttemptRecord, OpenQuestion } from '../../../../orchestrate/attempt-records.js';
import type { FailureKind, TaskQuestion, TaskState } from '../../../../orchestrate/events.js';
import type { ListedTask, NextTasks, TaskRef, WaitingTask } from '../../../../tasks/types.js';
import { type Paint, visibleLine } from '../../output.js';
import { type CellStyle, hang, wrapText } from '../../table.js';
import { exactTime, plural, quoteWord } from '../../words.js';

/** What can start, the open questions, and what is waiting for something else. */
export interface Outlook extends NextTasks {
  asking: (TaskRef & { question: OpenQuestion })[];
}

/** For `--json`. */
export function questionJson(question: OpenQuestion | undefined | null) {
  return question ? { why: question.why, message: question.message } : null;
}

interface StatusStyle {
  mark: string;
  word: string;
  style: CellStyle | undefined;
}

const STYLES: Record<Exclude<ListedTask['status'], 'pending'>, StatusStyle> = {
  completed: { mark: '✓', word: 'completed', style: 'green' },
  in_progress: { mark: '▸', word: 'in progress', style: 'cyan' },
  failed: { mark: '✗', word: 'failed', style: 'red' },
  blocked: { mark: '!', word: 'blocked', style: 'yellow' },
  skipped: { mark: '-', word: 'skipped', style: 'dim' },
};

/** How a task's status is shown. `asks`: it has an open question. `interrupted`: its orchestrator died. */
export function describeStatus(
  { status, ready }: Pick<ListedTask, 'status' | 'ready'>,
  { asks = false, interrupted = false } = {},
): StatusStyle {
  if (asks) return { mark: '?', word: 'needs you', style: 'yellow' };
  if (interrupted) return { mark: '!', word: 'interrupted', style: 'yellow' };
  if (status !== 'pending') return STYLES[status];
  return ready
    ? { mark: '○', word: 'ready', style: undefined }
    : { mark: '·', word: 'waiting', style: 'dim' };
}

/** ` (checkpoint, failed before)`: what to know before starting a task. */
export function describeHints({ type, status }: Partial<Pick<ListedTask, 'type' | 'status'>>): string {
  const hints = [
    ...(type?.startsWith('checkpoint') ? ['checkpoint'] : []),
    ...(status === 'failed' || status === 'blocked' ? [`${status} before`] : []),
  ];
  return hints.length === 0 ? '' : ` (${hints.join(', ')})`;
}

/** How many tasks each list names. */
const MOST_NAMED = 5;

/** What can start, the open questions, and what is waiting, in a few lines. */
export function nextLines({ next, asking, waiting }: Outlook, paint: Paint, allDone = false): string[] {
  if (allDone) return ['All tasks are done.'];
  const line = (task: TaskRef) => `  ${taskTitle(task, paint)}`;
  const later = (task: WaitingTask) => `${line(task)}${paint('dim', describeWait(task))}`;
  const asks = ({ question, ...task }: Outlook['asking'][number]) => [
    `${line(task)}: ${summarizeQuestion(question)}`,
    `    ${paint('cyan', describeAnswers(task.id, question))}`,
  ];
  return [
    ...(next.length === 0 ? ['Next: nothing can start now.'] : ['Next:', ...firstLines(next, line)]),
    ...(asking.length === 0 ? [] : ['Needs your answer:', ...firstLines(asking, asks)]),
    ...(waiting.length === 0 ? [] : ['Waiting:', ...firstLines(waiting, later)]),
  ];
}

/** `03-01:2  Task 2: Keep slugs short` */
export function taskTitle({ id, name }: TaskRef, paint: Paint): string {
  return `${paint('bold', visibleLine(id))}  ${visibleLine(name)}`;
}

/** ` (for 03-01:2 and 03-02)` */
function describeWait({ id, on }: WaitingTask): string {
  return on.length === 0
    ? ` (blocked; teddy task resolve ${visibleLine(id)} retry)`
    : ` (for ${listWaits(on)})`;
}

/** What a task is waiting for, in words; some of it has no id. */
export function listWaits(on: readonly string[]): string {
  return listIds(on.map((each) => WITHOUT_ID[each] ?? each));
}

const WITHOUT_ID: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  frontmatter: 'its frontmatter, which cannot be read',
  'a person': 'you',
  'a unique id': 'an id that no other task file has',
};

export function listIds(ids: readonly string[]): string {
  return listFirst(ids, { say: visibleLine, most: MOST_NAMED });
}

function firstLines<T>(tasks: readonly T[], lines: (task: T) => string | string[]): string[] {
  const more = tasks.length - MOST_NAMED;
  return [
    ...tasks.slice(0, MOST_NAMED).flatMap(lines),
    ...(more > 0 ? [`  and ${more} more; teddy task next lists them`] : []),
  ];
}

/** A command of several lines as its first, and how many follow. */
export function firstLineOf(command: string): string {
  const [first = '', ...more] = command.trim().split('\n');
  return more.length === 0 ? first : `${first} (and ${plural(more.length, 'more line')})`;
}

const LONGEST = 300;

/** How an attempt ended, for a sentence such as "3 attempts failed (timed out)". */
const KINDS: Record<FailureKind, string> = {
  reported: 'reported a failure',
  invalid: 'invalid result',
  verification: 'verification failed',
  vacuous: 'no test ran',
  conflict: 'merge conflict',
  crash: 'crashed',
  'rate-limit': 'rate limit',
  'time-out': 'timed out',
};

const WHY: Record<Exclude<OpenQuestion['why'], 'attempts-exhausted'>, string> = {
  blocked: 'blocked',
  checkpoint: 'a checkpoint',
  'verify-changed': 'its <verify> has changed',
  'cannot-land': 'its work cannot land',
  review: 'its changes wait for your review',
  unusable: 'it could not be started',
  budget: 'its budget is used up',
};

/** Why the task needs an answer, in a few words. */
export function summarizeQuestion({ why, failures }: OpenQuestion): string {
  if (why !== 'attempts-exhausted') return WHY[why];
  const kinds = [...new Set(failures)].map((kind) => KINDS[kind]);
  return kinds.length === 0
    ? 'its attempts failed'
    : `${plural(failures.length, 'attempt')} failed (${kinds.join(', ')})`;
}

/** The command that answers an open question, and its alternatives. */
export function describeAnswers(id: string, { answers }: OpenQuestion): string {
  return answerWords({ id, answers });
}

/** Sentences and output on one line, cut if long. */
export function shortenMessage(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= LONGEST) return line;
  return `${line.slice(0, line.lastIndexOf(' ', LONGEST) + 1 || LONGEST).trimEnd()} … (${line.length} characters)`;
}

/** Each attempt, how it ended and where to read more; files of a repeated number are listed with the last. */
export function attemptLines(attempts: readonly (AttemptRecord & AttemptFiles)[]): string[] {
  return attempts.flatMap((each, at) => {
    const isLast = !attempts.slice(at + 1).some(({ attempt }) => attempt === each.attempt);
    const files = isLast ? [...(each.output === null ? [] : [each.output]), ...each.patches] : [];
    return [
      `  ${each.attempt}  ${visibleLine(each.executor)}: ${describeEnd(each)}`,
      ...(each.reason === null
        ? []
        : [`     ${hang(wrapText(visibleLine(shortenMessage(each.reason)), 5), 5)}`]),
      ...files.map((path) => `     ${visibleLine(path)}`),
    ];
  });
}

function describeEnd({ outcome, why, durationMs }: AttemptRecord): string {
  const time = exactTime(durationMs);
  switch (outcome) {
    case 'done':
      return `done in ${time}`;
    case 'failed':
      return `failed after ${time} (${KINDS[why ?? 'reported']})`;
    case 'blocked':
      return `blocked after ${time}`;
    case 'cut-off':
      return 'interrupted; does not count';
  }
}

/** `03-01:3 depends on it`, or an empty text. */
export function blockWords(blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return `${listIds(blocks)} ${blocks.length === 1 ? 'depends' : 'depend'} on it`;
}

/** Where the output of all attempts is: `output/03-01-2.*.txt`. Empty if there is none. */
export function outputWords(outputs: readonly string[]): string {
  const stems = new Set(outputs.map((path) => path.replace(/\.\d{1,9}\.txt$/, '')));
  const [stem] = stems;
  if (outputs.length < 2 || stems.size > 1 || stem === undefined) return outputs.join(', ');
  return `${stem}.*.txt`;
}

/** As the graph marks task files outside this run. */
const NOT_HERE = ', which is not part of this run';

/** What a task is waiting for, and what of that is not part of the run. */
export function splitWaits(waitsOn: readonly string[]): { on: string[]; outside: string[] } {
  const outside = waitsOn.flatMap((each) =>
    each.endsWith(NOT_HERE) ? [each.slice(0, -NOT_HERE.length)] : [],
  );
  return {
    on: waitsOn.map((each) => (each.endsWith(NOT_HERE) ? each.slice(0, -NOT_HERE.length) : each)),
    outside,
  };
}

/** `01-01 and 01-02 are` */
export function listAre(ids: readonly string[]): string {
  return `${ids.length === 2 ? ids.map(visibleLine).join(' and ') : listIds(ids)} ${ids.length === 1 ? 'is' : 'are'}`;
}

/** The command that answers a question, and its alternatives. */
export function answerWords({ id, answers }: Pick<TaskQuestion, 'id' | 'answers'>): string {
  const [first = 'retry', ...others] = answers.map(answerWord);
  const more = others.length === 0 ? '' : `   (or ${others.join(', ')})`;
  return `teddy task resolve ${quoteWord(id)} ${first}${more}`;
}

function answerWord(answer: TaskQuestion['answers'][number]): string {
  return answer === 'back' || answer === 'fix' || answer === 'drop' ? `"${answer}: …"` : answer;
}

export const STATE_WORDS: Record<TaskState, string> = {
  waiting: 'waiting',
  ready: 'ready',
  running: 'running',
  verifying: 'verifying',
  asking: 'needs you',
  done: 'done',
  failed: 'failed',
  blocked: 'blocked',
  skipped: 'skipped',
};
