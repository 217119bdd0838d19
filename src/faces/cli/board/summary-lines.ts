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

/** Of the tasks that are open; `teddy task next` has all of them. */
const MOST_OPEN = 20;

/** How a run ended, and what to do next. `skipped`: the tasks that are so by now, as far as that is known. */
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
  if (complete) return `${paint('bold', 'Everything is done')}: ${plural(total, 'task')}${before}.`;
  const why = stopped === null ? '' : ` ${STOPPED[stopped]}`;
  if (isAllButSkipped(summary)) {
    const which = skippedIds.length === skipped ? ` (${listIds(skippedIds)})` : '';
    const count = paint('yellow', `${skipped} skipped`);
    return `${paint('bold', 'All that was to be done is done')}; ${count}${which}.${why}`;
  }
  const waiting = questions.length;
  const counts = [
    paint('green', `${done + doneBefore} of ${total} done`),
    ...(failed === 0 ? [] : [paint('red', `${failed} failed`)]),
    ...(skipped === 0 ? [] : [paint('yellow', `${skipped} skipped`)]),
    ...(waiting === 0 ? [] : [paint('yellow', `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`)]),
    ...(open.length === 0 ? [] : [`${open.length} open`]),
  ].join(', ');
  return `${paint('bold', 'Not everything is done')}: ${counts}.${why}`;
}

/** What is left was given up on purpose. */
function isAllButSkipped({ failed, skipped, open, questions }: Summary): boolean {
  return skipped > 0 && failed === 0 && open.length === 0 && questions.length === 0;
}

const STOPPED: Record<NonNullable<Summary['stopped']>, string> = {
  interrupted: 'You interrupted it.',
  budget: 'It stopped because its budget is used up.',
  time: 'It stopped because its time is used up.',
};

function openLines({ open }: Summary, paint: Paint): string[] {
  if (open.length === 0) return [];
  const left = open.length - MOST_OPEN;
  const outside = [...new Set(open.flatMap(({ waitsOn }) => splitWaits(waitsOn).outside))];
  return [
    'Open:',
    ...open.slice(0, MOST_OPEN).map(({ task, waitsOn }) => {
      const on = waitsOn.length === 0 ? '' : paint('dim', `  waits on ${listWaits(splitWaits(waitsOn).on)}`);
      return `  ${paint('bold', visibleLine(task.id))}  ${visibleLine(task.name)}${on}`;
    }),
    ...(left > 0 ? [`  … and ${left} more; teddy task next lists them`] : []),
    ...(outside.length === 0 ? [] : [`  ${listAre(outside)} not done and not part of this run.`]),
  ];
}

/** All of them, each with what to type: nothing goes on before they are answered. */
function questionLines(questions: readonly TaskQuestion[], paint: Paint): string[] {
  if (questions.length === 0) return [];
  return [
    questions.length === 1 ? 'Waits for your answer:' : `Wait for your answers:`,
    ...questions.flatMap((question) => {
      const blocks = blockWords(question.blocks);
      const said = visibleLine(question.message.trimEnd().replace(/[\t\n\r ]+/g, ' '));
      const message = /[\p{L}\p{N}]$/u.test(said) ? `${said}.` : said;
      return [
        `  ${paint('bold', visibleLine(question.id))}  ${visibleLine(question.name)}`,
        `    ${hang(wrapText(blocks === '' ? message : `${message} ${blocks}.`, 4), 4)}`,
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
    `Time      ${spellTime(elapsedMs)} (the longest chain of tasks ${spellTime(criticalPathMs)}, all work ${spellTime(workMs)})`,
    ...(costOf(summary) === '' ? [] : [`Cost      ${costOf(summary)}`]),
  ];
}

/** Those at a task of which an attempt had failed, be it in an earlier run. */
function retryWords(attempts: number, retries: number): string {
  if (retries === 0) return '';
  if (retries === attempts) return retries === 1 ? ' (a retry)' : ' (all retries)';
  return ` (${retries} ${retries === 1 ? 'retry' : 'retries'})`;
}

/** How many of the tasks that this run has done never failed before. */
function firstWords(rate: number | null): string {
  if (rate === null) return '';
  const many = rate === 0 ? 'none' : rate === 1 ? 'all' : percent(rate);
  return `; of the tasks done, ${many} at the first attempt`;
}

function costOf({ usage, attempts }: Summary): string {
  const { unknown } = usage;
  if (unknown >= attempts) {
    const tokens = spentWords({ ...usage, costUsd: null });
    return tokens === ''
      ? 'unknown: no executor said what it used'
      : `${tokens}; no executor said what they cost`;
  }
  const known = spentWords(usage);
  return unknown === 0 ? known : `${known}, and what ${plural(unknown, 'attempt')} cost that did not say so`;
}

function nextLines(summary: Summary): string[] {
  const { complete, stopped, questions, failed, open, skipped } = summary;
  if (complete || isAllButSkipped(summary)) return [];
  const again = 'teddy orchestrate';
  if (questions.length > 0)
    return [`Next: ${questions.length === 1 ? 'answer it' : 'answer them'}; then ${again} goes on.`];
  if (stopped === 'budget') return [`Next: ${again} --budget USD goes on, with as much more as you say.`];
  if (stopped !== null) return [`Next: ${again} goes on where this stopped.`];
  if (failed > 0)
    return [`Next: teddy task show ID says why one failed; teddy task resolve ID retry lets it begin again.`];
  if (open.length > 0 && skipped > 0)
    return ['Next: what is open waits on what was skipped; teddy task resolve ID retry takes that up again.'];
  return ['Next: teddy task next says what each of them waits for.'];
}

export function exitCodeOf({ complete, stopped }: Pick<Summary, 'complete' | 'stopped'>): number {
  if (stopped === 'interrupted') return 130;
  return complete ? 0 : 1;
}
