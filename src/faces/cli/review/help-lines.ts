import { BLANK, type Line, ruleLine, say } from '../terminal/line.js';
import type { Look } from '../terminal/look.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['y', 'Approve it: it is done at once, exactly as shown. For a message: write a reply.'],
  ['n', 'Skip it. You may give a reason, which the agent will read in the report. Esc goes back.'],
  [
    'e',
    'Edit it in your editor ($VISUAL or $EDITOR); you will be asked again. For a message: write the reply there.',
  ],
  ['v', 'View all of it, page by page.'],
  ['r', "Read the plan's rationale."],
  ['a', 'Approve this and everything after it, after a look at the list.'],
  ['q', 'Quit: this and everything after it is skipped, and the report says so.'],
  ['Ctrl-C', 'The same, without a reason.'],
  ['Ctrl-Z', 'Stop for a while; your shell goes on with fg.'],
  ['Ctrl-L', 'Draw the screen again.'],
];

const NOTES = [
  'Keys that were pressed before a question was shown, and several keys at once, answer nothing.',
  'Characters that a terminal would hide or act on are shown by number, such as <U+001B> for Esc.',
  'A row that only goes on with the line above it has another bar in front.',
  'What you typed or edited is kept among the drafts of the run.',
];

export function helpLines(look: Look, width: number): Line[] {
  return [
    ruleLine('Keys', look, width),
    ...KEYS.map(
      ([key, meaning]): Line => ({
        lead: [{ text: `  ${key.padEnd(8)}`, style: 'title' }],
        more: [{ text: ' '.repeat(width < 40 ? 4 : 10) }],
        spans: [{ text: meaning }],
        wrap: 'words',
      }),
    ),
    BLANK,
    ...NOTES.map((note) => say(note, 'dim')),
  ];
}
