import type {
  ChangesetOverview,
  FailedCommand,
  FileQuestion,
  Overview,
  Question,
} from '../../../review/question.js';
import type { Look } from '../output.js';
import { BLANK, type Line, ruleLine, say } from '../terminal/line.js';
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
      { key: 'y', label: count === 1 ? 'keep it' : `keep all ${count}`, consents: true },
      { key: 'n', label: 'back', also: ['escape', 'q'] },
    ],
  });
  return panel.ask();
}

function fileChoices(question: FileQuestion, onlyChooses: boolean): Choice[] {
  const isConflict = question.conflict !== null;
  return [
    { key: 'y', label: isConflict ? "take the agent's" : 'keep', consents: true },
    { key: 'n', label: isConflict ? "keep the project's" : 'drop' },
    ...(severalHunks(question) ? [{ key: 'h', label: 'choose changes' }] : []),
    ...(question.texts.after === null || onlyChooses ? [] : [{ key: 'e', label: 'edit the result' }]),
    ...(onlyChooses ? [] : [{ key: 'c', label: 'comment' }]),
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
export function questionChoices(question: Question, onlyChooses = false): Choice[] {
  const yes = { key: 'y', label: 'approve', consents: true };
  const no = { key: 'n', label: 'skip' };
  if (question.kind === 'state') return [yes, no];
  if (question.kind === 'file') return fileChoices(question, onlyChooses);
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

const KEYS: readonly (readonly [string, string])[] = [
  ['y', 'Approve: it runs at once, exactly as shown.'],
  ['n', 'Skip. You can give a reason, which the agent reads in the report. Esc goes back.'],
  [
    'e',
    'Edit in your editor ($VISUAL or $EDITOR): the file as it would become, or the command. Then it is shown again.',
  ],
  ['E', 'Edit the action itself, as the plan has it (FIND and REPLACE).'],
  ['h', 'Choose changes: keep or drop each change of a file on its own.'],
  ['b', 'Go back to the previous question, if you skipped it or only replied to it.'],
  ['o', 'Several READs are one question; this asks about them one by one.'],
  ['w', 'Always allow reads of project files: shows the setting, then writes it to your config.'],
  ['v', 'View all of it, page by page.'],
  ['r', "Read the plan's rationale."],
  ['a', 'Approve this and everything after it; the list is shown first.'],
  ['q', 'Quit: skip this and everything after it. The report says so.'],
  ['Ctrl-C', 'The same, without a reason.'],
  ['Ctrl-Z', 'Suspend teddy; fg in your shell resumes it.'],
  ['Ctrl-L', 'Draw the screen again.'],
];

const FILE_KEYS: typeof KEYS = [
  ['y', 'Keep the file as shown. Nothing lands in the project until you have decided on every file.'],
  ['n', 'Drop its changes. You can give a reason, which the agent gets. Esc goes back.'],
  ['h', 'Choose changes: keep or drop each change of the file on its own.'],
  ['e', 'Edit the file as it would become, in your editor ($VISUAL or $EDITOR). Then it is shown again.'],
  ['c', 'Comment for the agent, on the file or on one line of it.'],
  ['b', 'Go back to the previous file.'],
  ['v', 'View all of it, page by page.'],
  ['a', 'Keep this and everything after it; the list is shown first.'],
  ['q', 'Quit: nothing lands, and your decisions are kept for the next review.'],
  ...KEYS.slice(-3),
];

const REPLIES = 'A message from the agent is answered by typing; Esc leads to these keys.';

const notes = ({ glyphs }: Look) => [
  'Keys pressed before a question appears, and several keys at once, are ignored.',
  'Characters that a terminal would hide or obey are shown by number, such as <U+001B> for Esc.',
  `Wrapped lines continue after ${glyphs.more} instead of ${glyphs.gutter}.`,
  'Everything you type or edit is kept in the drafts folder of the run.',
];

export function helpLines(look: Look, width: number, about: 'plan' | 'files' = 'plan'): Line[] {
  return [
    ruleLine('Keys', look, width),
    ...(about === 'plan' ? KEYS : FILE_KEYS).map(
      ([key, meaning]): Line => ({
        lead: [{ text: `  ${key.padEnd(8)}`, style: 'title' }],
        more: [{ text: ' '.repeat(width < 40 ? 4 : 10) }],
        spans: [{ text: meaning }],
        wrap: 'words',
      }),
    ),
    BLANK,
    ...[...(about === 'plan' ? [REPLIES] : []), ...notes(look)].map((note) => say(note, 'dim')),
  ];
}
