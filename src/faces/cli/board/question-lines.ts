import { now } from '../../../node/clock.js';
import type { TaskQuestion } from '../../../orchestrate/events.js';
import { leads, splitText } from '../terminal/gutter.js';
import { BLANK, foreign, foreignLine, type Line, prose } from '../terminal/line.js';
import type { Look } from '../terminal/look.js';
import { answerWords, blockWords, clockTime, outputWords } from './words.js';

export const ANSWER_KEYS = {
  retry: { key: 'r', label: 'retry', consents: true },
  done: { key: 'd', label: 'done', consents: true },
  fix: { key: 'f', label: 'say how to fix it' },
  skip: { key: 's', label: 'skip' },
  abort: { key: 'a', label: 'abort' },
};

export const LATER = { key: 'escape', shown: 'Esc', label: 'later' };

export const WORDS: Readonly<Record<string, string | undefined>> = {
  r: 'retry',
  d: 'done',
  s: 'skip',
  a: 'abort',
};

export function choiceOf(answer: TaskQuestion['answers'][number], { blocks, why }: TaskQuestion) {
  const choice = ANSWER_KEYS[answer];
  if (answer === 'done' && why !== 'checkpoint') return { ...choice, label: 'I did it myself' };
  if (answer !== 'skip' || blocks.length === 0) return choice;
  return { ...choice, label: `skip (${blocks.length} ${blocks.length === 1 ? 'waits' : 'wait'} on it)` };
}

export function titleOf(waiting: number): string {
  return `A question${waiting > 1 ? `, and ${waiting - 1} more after it` : ''}`;
}

/** What a person is asked, the most telling first: what does not fit is cut from the end, and they can page in it. */
export function taskQuestionLines(question: TaskQuestion, look: Look): Line[] {
  const blocks = blockWords(question.blocks);
  const detail = splitText(question.detail);
  return [
    prose([...foreignLine(question.id, look, 'strong'), { text: '  ' }, ...foreignLine(question.name, look)]),
    ...splitText(question.message).map((text) => prose(foreign(text, look))),
    ...(blocks === ''
      ? []
      : [prose(foreignLine(`${blocks}, and cannot begin if you skip it.`, look, 'flag'))]),
    ...(question.outputs.length === 0
      ? []
      : [prose(foreignLine(`All output: ${outputWords(question.outputs)}`, look, 'dim'))]),
    ...(detail.length === 0 ? [] : [BLANK]),
    ...detail.map((text): Line => ({ ...leads(look, '', ''), spans: foreign(text, look), wrap: 'cells' })),
  ];
}

export function laterLine(question: TaskQuestion, look: Look): Line {
  const time = `${clockTime(now().toISOString())}  `;
  return {
    lead: [{ text: time, style: 'dim' }],
    more: [{ text: ' '.repeat(time.length) }],
    spans: [
      ...foreignLine(question.id, look, 'strong'),
      { text: '  is left for later: Tab asks again, or ' },
      { text: answerWords(question), style: 'strong' },
    ],
    wrap: 'words',
  };
}
