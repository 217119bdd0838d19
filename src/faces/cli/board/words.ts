import type { Finished, Summary, TaskQuestion, TaskState } from '../../../orchestrate/events.js';
import { costWords, tokenWords } from '../commands/sessions/amounts.js';
import { exactTime } from '../commands/tasks/amounts.js';
import { listIds } from '../commands/tasks/next-lines.js';
import { quoteWord } from '../held-input.js';
import { visibleLine } from '../visible.js';

/** `850 ms`, `45s`, `1m 05s`, `2h 10m`. */
export function spellTime(ms: number): string {
  if (ms < 999.5) return exactTime(Math.max(0, ms));
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/** The time of day where the reader is: `19:32:22`. */
export function clockTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '--:--:--';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':');
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** `12.3k tokens, $0.042`, as far as it is known. */
export function spentWords({ inputTokens, outputTokens, costUsd }: Finished['usage']): string {
  const known = inputTokens !== null || outputTokens !== null;
  const counted = { input: inputTokens ?? 0, output: outputTokens ?? 0, estimated: false };
  const tokens = tokenWords({ tokens: known ? counted : null });
  return [tokens === '' ? '' : `${tokens} ${tokens === '1' ? 'token' : 'tokens'}`, costWords({ costUsd })]
    .filter((part) => part !== '')
    .join(', ');
}

/** `03-01:3 waits on it`, or nothing where nothing does. */
export function blockWords(blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return `${listIds(blocks)} ${blocks.length === 1 ? 'waits' : 'wait'} on it`;
}

/** Where all that the attempts at a task printed is: `output/03-01-2.*.txt`. Nothing where there is none. */
export function outputWords(outputs: readonly string[]): string {
  const stems = new Set(outputs.map((path) => path.replace(/\.\d{1,9}\.txt$/, '')));
  const [stem] = stems;
  if (outputs.length < 2 || stems.size > 1 || stem === undefined) return outputs.join(', ');
  return `${stem}.*.txt`;
}

/** As the graph says it of plans that nobody named. */
const NOT_HERE = ', which is not part of this run';

/** What a task waits on, and what of that is not part of the run. */
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

/** What can be typed to answer a question, the first of its answers written out. */
export function answerWords({ id, answers }: Pick<TaskQuestion, 'id' | 'answers'>): string {
  const [first = 'retry', ...others] = answers.map(answerWord);
  const more = others.length === 0 ? '' : `   (or ${others.join(', ')})`;
  return `teddy task resolve ${quoteWord(id)} ${first}${more}`;
}

function answerWord(answer: TaskQuestion['answers'][number]): string {
  return answer === 'fix' ? '"fix: what to do"' : answer;
}

export function exitCodeOf({ complete, stopped }: Pick<Summary, 'complete' | 'stopped'>): number {
  if (stopped === 'interrupted') return 130;
  return complete ? 0 : 1;
}

export const STATE_WORDS: Record<TaskState, string> = {
  waiting: 'waiting',
  ready: 'ready',
  running: 'running',
  verifying: 'verifying',
  asking: 'waits for a person',
  done: 'done',
  failed: 'failed',
  blocked: 'blocked',
  skipped: 'skipped',
};
