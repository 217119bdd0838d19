import type { Question, Summary } from '../../orchestrate/index.js';
import { plural } from '../issue-lines.js';
import type { Paint } from '../paint.js';
import { hang, wrapText } from '../table.js';
import { percent } from '../tasks/amounts.js';
import { listWaits } from '../tasks/next-lines.js';
import { visibleLine } from '../visible.js';
import { answerWords, blockWords, spellTime, spentWords } from './words.js';

/** Of the tasks that are open; `teddy task next` has all of them. */
const MOST_OPEN = 20;

/** How a run ended, and what to do next. */
export function summaryLines(summary: Summary, paint: Paint): string[] {
  return [
    headLine(summary, paint),
    ...openLines(summary, paint),
    ...questionLines(summary.questions, paint),
    ...amountLines(summary),
    ...nextLines(summary),
  ];
}

function headLine(summary: Summary, paint: Paint): string {
  const { complete, stopped, done, doneBefore, failed, skipped, open } = summary;
  const counts = [
    ...(done === 0 && doneBefore > 0 ? [] : [paint('green', `${done} done`)]),
    ...(doneBefore === 0 ? [] : [`${doneBefore} done before`]),
    ...(failed === 0 ? [] : [paint('red', `${failed} failed`)]),
    ...(skipped === 0 ? [] : [paint('yellow', `${skipped} skipped`)]),
    ...(open.length === 0 ? [] : [`${open.length} open`]),
  ].join(', ');
  const first = complete ? 'Everything is done' : 'Not everything is done';
  const why = stopped === null ? '' : ` ${STOPPED[stopped]}`;
  return `${paint('bold', first)}: ${counts}.${why}`;
}

const STOPPED: Record<NonNullable<Summary['stopped']>, string> = {
  interrupted: 'You interrupted it.',
  budget: 'It stopped because its budget is used up.',
  time: 'It stopped because its time is used up.',
};

function openLines({ open }: Summary, paint: Paint): string[] {
  if (open.length === 0) return [];
  const left = open.length - MOST_OPEN;
  return [
    'Open:',
    ...open.slice(0, MOST_OPEN).map(({ task, waitsOn }) => {
      const on = waitsOn.length === 0 ? '' : paint('dim', `  waits on ${listWaits(waitsOn)}`);
      return `  ${paint('bold', visibleLine(task.id))}  ${visibleLine(task.name)}${on}`;
    }),
    ...(left > 0 ? [`  … and ${left} more; teddy task next lists them`] : []),
  ];
}

/** All of them, each with what to type: nothing goes on before they are answered. */
function questionLines(questions: readonly Question[], paint: Paint): string[] {
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
        `    ${paint('cyan', answerWords(question))}`,
      ];
    }),
  ];
}

function amountLines(summary: Summary): string[] {
  const { attempts, retries, firstAttemptRate, elapsedMs, criticalPathMs, workMs } = summary;
  if (attempts === 0) return [];
  const first =
    firstAttemptRate === null ? '' : `; ${percent(firstAttemptRate)} of what is done was right at the first`;
  return [
    `Attempts  ${attempts}, ${retries === 0 ? 'no retries' : retries === 1 ? '1 retry' : `${retries} retries`}${first}`,
    `Time      ${spellTime(elapsedMs)} (the longest chain of tasks ${spellTime(criticalPathMs)}, all work ${spellTime(workMs)})`,
    ...(costOf(summary) === '' ? [] : [`Cost      ${costOf(summary)}`]),
  ];
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

function nextLines({ complete, stopped, questions, failed, open, skipped }: Summary): string[] {
  if (complete) return [];
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
