import { turnName } from '../turns/names.js';
import type { Part } from './budget.js';
import { fenced, oneLine, section } from './markdown-parts.js';
import type { InputFacts } from './types.js';

/** The title and what a model is to know of its surroundings. */
export function writeFacts({ session, date, system, project }: InputFacts): string {
  const title = session
    ? `# Input: turn ${turnName(session.turn)} of session ${oneLine(session.name)}`
    : '# Input';
  const facts = [
    ['Agent', session?.agent],
    ['Date', date],
    ['System', system],
    ['Project', project],
  ].flatMap(([name, value]) => (value === undefined ? [] : `- **${name}:** ${oneLine(value)}`));
  return section(title, facts.join('\n'));
}

/** What people and agents said before: it stands whatever the budget is. */
export function writeTold(facts: InputFacts, mask: (text: string) => string): Part[] {
  const { memos, task, handoff, message, earlier, rationale } = facts;
  const parts: Part[] = [];
  const add = (name: string, ...paragraphs: string[]) =>
    parts.push({ name, pieces: [section(`## ${name}`, ...paragraphs)] });
  if (memos.length === 0) add('Memos', 'There are none.');
  else add('Memos', fenced(mask(memos.map(writeMemo).join('\n')), 'text'));
  if (task)
    add(
      'Task',
      `From ${oneLine(task.from)}, who waits for your CONCLUDE:`,
      fenced(mask(task.message), 'markdown'),
    );
  if (handoff)
    add(
      'Handoff',
      `From ${oneLine(handoff.from)}, who has concluded:`,
      fenced(mask(handoff.message), 'markdown'),
    );
  if (message !== null && message.trim() !== '')
    add('Message', 'From the user:', fenced(mask(message), 'markdown'));
  else if (earlier)
    add(
      'Message',
      `The user says nothing new. In turn ${turnName(earlier.turn)} it was:`,
      fenced(mask(earlier.text), 'markdown'),
    );
  else add('Message', 'The user has not said anything yet.');
  if (rationale)
    add('Your Last Rationale', `Of turn ${turnName(rationale.turn)}:`, fenced(mask(rationale.text), 'text'));
  return parts;
}

export function writeReport({ report }: InputFacts, mask: (text: string) => string): string {
  if (!report) return section('## Last Report', 'There is none yet.');
  const turn = turnName(report.turn);
  return section(
    '## Last Report',
    `Of turn ${turn}:`,
    ...(report.undone ? [describeUndone(turn, report.undone.left.map(mask))] : []),
    fenced(mask(report.text), 'markdown'),
  );
}

function describeUndone(turn: string, left: readonly string[]): string {
  const but = left.length === 0 ? '' : `, but not those to ${left.map(oneLine).join(', ')}`;
  return `Turn ${turn} was undone since: its changes to files were taken back${but}.`;
}

/** Further lines are indented, so that no memo can look like two. */
function writeMemo(memo: string): string {
  return `- ${memo.trimEnd().replace(/\r\n?|\n/g, '\n  ')}`;
}
