import type { Summary, TaskQuestion } from '../../../orchestrate/events.js';
import {
  answerWords,
  blockWords,
  listAre,
  listIds,
  listWaits,
  outputWords,
  splitWaits,
} from '../commands/tasks/task-lines.js';
import { type Paint, visibleLine } from '../output.js';
import { hang, wrapText } from '../table.js';
import { percent, plural, spellTime, spentWords } from '../words.js';

/** Most open tasks shown; `teddy task next` lists all. */
const MOST_OPEN = 20;

/** How a run ended, and what to do next. `skipped`: the ids of skipped tasks, if known. */
export function summaryLines(summary: Summary, paint: Paint, skipped: readonly string[] = []): string[] {
  return [
    headLine(summary, paint, skipped),
    ...openLines(summary, paint),
    ...questionLines(summary.questions, paint),
    ...amountLines(summary),
    ...nextLines(summary),
  ];
}

function headLine(summary: Summary, paint: Paint, skippedIds: readonly string[]): string {
  const { complete, stopped, done, doneBefore, total, failed, skipped, open, questions } = summary;
  const before = doneBefore === 0 ? '' : `, ${doneBefore} of them before this run`;
  if (complete) return `${paint('bold', 'Finished')}: ${plural(total, 'task')} done${before}.`;
  const why = stopped === null ? '' : ` ${STOPPED[stopped]}`;
  if (isAllButSkipped(summary)) {
    const which = skippedIds.length === skipped ? ` (${listIds(skippedIds)})` : '';
    const counts = `${done + doneBefore} done, ${paint('yellow', `${skipped} skipped`)}`;
    return `${paint('bold', 'Finished')}: ${counts}${which}.${why}`;
  }
  const waiting = questions.length;
  const counts = [
    paint('green', `${done + doneBefore} of ${total} done`),
    ...(failed === 0 ? [] : [paint('red', `${failed} failed`)]),
    ...(skipped === 0 ? [] : [paint('yellow', `${skipped} skipped`)]),
    ...(waiting === 0 ? [] : [paint('yellow', `${waiting} ${waiting === 1 ? 'needs' : 'need'} your answer`)]),
    ...(open.length === 0 ? [] : [`${open.length} open`]),
  ].join(', ');
  return `${paint('bold', 'Not finished')}: ${counts}.${why}`;
}

/** Whether all other tasks were skipped on purpose. */
function isAllButSkipped({ failed, skipped, open, questions }: Summary): boolean {
  return skipped > 0 && failed === 0 && open.length === 0 && questions.length === 0;
}

const STOPPED: Record<NonNullable<Summary['stopped']>, string> = {
  interrupted: 'You stopped it.',
  budget: 'The budget is used up.',
  time: 'The time limit is reached.',
};

function openLines({ open }: Summary, paint: Paint): string[] {
  if (open.length === 0) return [];
  const left = open.length - MOST_OPEN;
  const outside = [...new Set(open.flatMap(({ waitsOn }) => splitWaits(waitsOn).outside))];
  return [
    'Open:',
    ...open.slice(0, MOST_OPEN).map(({ task, waitsOn }) => {
      const on = waitsOn.length === 0 ? '' : `  waiting for ${listWaits(splitWaits(waitsOn).on)}`;
      const id = visibleLine(task.id);
      const column = id.length + 4;
      return `  ${paint('bold', id)}  ${hang(wrapText(`${visibleLine(task.name)}${on}`, column), column)}`;
    }),
    ...(left > 0 ? [`  … and ${left} more; teddy task next lists them`] : []),
    ...(outside.length === 0 ? [] : [`  ${listAre(outside)} not done and not part of this run.`]),
  ];
}

/** Each question with the command that answers it. */
function questionLines(questions: readonly TaskQuestion[], paint: Paint): string[] {
  if (questions.length === 0) return [];
  return [
    questions.length === 1 ? 'Needs your answer:' : 'Need your answers:',
    ...questions.flatMap((question) => {
      const blocks = blockWords(question.blocks);
      const said = visibleLine(question.message.trimEnd().replace(/[\t\n\r ]+/g, ' '));
      const message = /[\p{L}\p{N}]$/u.test(said) ? `${said}.` : said;
      return [
        `  ${paint('bold', visibleLine(question.id))}  ${visibleLine(question.name)}`,
        `    ${hang(wrapText(message, 4), 4)}`,
        ...(blocks === '' ? [] : [`    ${hang(wrapText(`${blocks}.`, 4), 4)}`]),
        ...(question.outputs.length === 0
          ? []
          : [paint('dim', `    All output: ${visibleLine(outputWords(question.outputs))}`)]),
        `    ${paint('cyan', answerWords(question))}`,
      ];
    }),
  ];
}

function amountLines(summary: Summary): string[] {
  const { attempts, retries, firstAttemptRate, elapsedMs, criticalPathMs, workMs } = summary;
  if (attempts === 0) return [];
  return [
    `Attempts  ${attempts}${retryWords(attempts, retries)}${firstWords(firstAttemptRate)}`,
    `Time      ${spellTime(elapsedMs)} (longest chain of tasks ${spellTime(criticalPathMs)}, all tasks ${spellTime(workMs)})`,
    ...(costOf(summary) === '' ? [] : [`Cost      ${costOf(summary)}`]),
  ];
}

/** Retries of attempts from earlier runs count too. */
function retryWords(attempts: number, retries: number): string {
  if (retries === 0) return '';
  if (retries === attempts) return retries === 1 ? ' (a retry)' : ' (all retries)';
  return ` (${retries} ${retries === 1 ? 'retry' : 'retries'})`;
}

/** Refers only to tasks that an attempt of this run completed. */
function firstWords(rate: number | null): string {
  if (rate === null) return '';
  const many = rate === 0 ? 'none' : rate === 1 ? 'all' : percent(rate);
  return `; of the tasks that passed, ${many} did so first time`;
}

function costOf({ usage, attempts }: Summary): string {
  const { unknown } = usage;
  if (unknown >= attempts) {
    const tokens = spentWords({ ...usage, costUsd: null });
    return tokens === ''
      ? 'unknown: the executors report no usage'
      : `${tokens}; the executors report no cost`;
  }
  const known = spentWords(usage);
  return unknown === 0 ? known : `${known}, plus ${plural(unknown, 'attempt')} without reported cost`;
}

function nextLines(summary: Summary): string[] {
  const { complete, stopped, questions, failed, open, skipped } = summary;
  if (complete || isAllButSkipped(summary)) return [];
  const again = 'teddy orchestrate';
  if (questions.length > 0)
    return [`Next: ${questions.length === 1 ? 'answer it' : 'answer them'}, then continue with ${again}`];
  if (stopped === 'budget') return [`Next: ${again} --budget USD continues with a new budget.`];
  if (stopped !== null) return [`Next: ${again} continues where this stopped.`];
  if (failed > 0)
    return ['Next: teddy task show ID shows why a task failed; teddy task resolve ID retry tries it again.'];
  if (open.length > 0 && skipped > 0)
    return [
      'Next: the open tasks depend on skipped ones; teddy task resolve ID retry makes one ready again.',
    ];
  return ['Next: teddy task next shows what each of them is waiting for.'];
}

export function exitCodeOf({ complete, stopped }: Pick<Summary, 'complete' | 'stopped'>): number {
  if (stopped === 'interrupted') return 130;
  return complete ? 0 : 1;
}
