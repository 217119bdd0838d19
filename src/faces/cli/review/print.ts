import { isTerminal, terminalWidth } from '../../../node/terminal/terminal.js';
import type { Question } from '../../../review/question.js';
import { rowsOf } from '../terminal/line.js';
import { chooseLook } from '../terminal/look.js';
import { questionLines } from './question-lines.js';

/** What a person would be shown, as text for standard output. */
export function printQuestion(question: Question, options: { color: boolean }): string {
  const terminal = isTerminal('stdout');
  const look = chooseLook({ color: options.color && terminal });
  const width = terminal ? terminalWidth() : PLAIN_WIDTH;
  return `${rowsOf(questionLines(question, look, width), width, look).join('\n')}\n`;
}

/** For a file or another program, which have no width of their own. */
const PLAIN_WIDTH = 120;
