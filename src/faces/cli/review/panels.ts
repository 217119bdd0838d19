import type {
  ChangesetOverview,
  FailedCommand,
  FileQuestion,
  Overview,
  Question,
} from '../../../review/question.js';
import { ruleLine, say } from '../terminal/line.js';
import { type Choice, Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { restOfFiles } from './file-lines.js';
import { severalHunks } from './hunk-choice.js';
import { type Rest, restLines } from './overview-lines.js';
import type { ReadGroup } from './read-group.js';

/** The same for an agent's changes. */
export function confirmRestOfFiles(
  screen: Screen,
  overview: ChangesetOverview,
  from: number,
): Promise<string> {
  const { count } = restOfFiles(overview, from, screen.look, screen.width);
  const panel = new Panel(screen, {
    build: (width) => restOfFiles(overview, from, screen.look, width).lines,
    choices: [
      { key: 'y', label: count === 1 ? 'approve it' : `approve all ${count}`, consents: true },
      { key: 'n', label: 'back', also: ['escape', 'q'] },
    ],
  });
  return panel.ask();
}

function fileChoices(question: FileQuestion): Choice[] {
  const isConflict = question.conflict !== null;
  return [
    { key: 'y', label: isConflict ? "take the agent's" : 'approve', consents: true },
    { key: 'n', label: isConflict ? "keep the project's" : 'skip' },
    ...(severalHunks(question) ? [{ key: 'h', label: 'choose changes' }] : []),
    ...(question.texts.after === null ? [] : [{ key: 'e', label: 'edit the result' }]),
    { key: 'c', label: 'comment' },
  ];
}

/** Lists what 'approve the rest' would approve, and asks. Returns the key. */
export function confirmRest(
  screen: Screen,
  rest: Rest,
  { overview, question, keepGoing }: { overview: Overview; question: Question; keepGoing: boolean },
): Promise<string> {
  const failure = keepGoing
    ? 'The run continues when one of them fails.'
    : 'The run stops when one of them fails.';
  const count = rest.sections.length + overview.plan.actions.length - rest.from + 1;
  const panel = new Panel(screen, {
    build: (width) => [...restLines(rest, overview, question, screen.look, width), say(failure)],
    choices: [
      { key: 'y', label: count === 1 ? 'approve it' : `approve all ${count}`, consents: true },
      { key: 'n', label: 'back', also: ['escape', 'q'] },
    ],
  });
  return panel.ask();
}

/** After a command failed. */
export function rerunPanel(screen: Screen, { number, total, attempts }: FailedCommand): Panel {
  const times = attempts === 1 ? '' : ` (${attempts} attempts so far)`;
  return new Panel(screen, {
    build: (width) => [ruleLine(`${number} of ${total}  Run it again?${times}`, screen.look, width)],
    choices: [
      { key: 'r', label: 'run it again' },
      { key: 'c', label: 'continue without it', also: ['enter', 'n'] },
      { key: 'q', label: 'quit' },
    ],
  });
}

export function groupChoices({ actions }: ReadGroup): Choice[] {
  return [
    { key: 'y', label: `approve all ${actions.length}`, consents: true },
    { key: 'n', label: 'skip all' },
    { key: 'o', label: 'one by one' },
    { key: 'w', label: 'always allow reads' },
  ];
}

/** The keys that only some questions have. */
export function questionChoices(question: Question): Choice[] {
  const yes = { key: 'y', label: 'approve', consents: true };
  const no = { key: 'n', label: 'skip' };
  if (question.kind === 'state') return [yes, no];
  if (question.kind === 'file') return fileChoices(question);
  const { action, preview } = question;
  if (action.type === 'CHAT_WITH_USER')
    return [{ key: 'reply', shown: 'Enter', label: 'reply', also: ['enter', 'escape', 'y'] }, no];
  return [
    yes,
    no,
    ...(severalHunks(question) ? [{ key: 'h', label: 'choose changes' }] : []),
    { key: 'e', label: preview.kind === 'write' ? 'edit the result' : 'edit' },
    ...(preview.kind === 'write' ? [{ key: 'E', label: 'edit the action', quiet: true }] : []),
    ...(action.type === 'READ' ? [{ key: 'w', label: 'always allow reads' }] : []),
  ];
}
