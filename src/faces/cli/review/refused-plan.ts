import type { Issue } from '../../../core/issue.js';
import { writeClipboard } from '../../../node/terminal/clipboard.js';
import { issueLines } from '../issue-lines.js';
import type { Look } from '../output.js';
import { BLANK, foreign, type Line, prose, ruleLine, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { plural } from '../words.js';
import type { Drafts } from './drafts.js';
import { editFile } from './edit-action.js';

export interface RefusedPlan {
  /** The original text. */
  text: string;
  issues: readonly Issue[];
  /** Relative to the root. */
  path: string;
  /** The feedback for the model. */
  feedback: string;
}

/** Offers to edit a refused plan. Returns the new text, or undefined. */
export async function askAboutRefused(
  screen: Screen,
  { text, issues, path, feedback }: RefusedPlan,
  drafts: Drafts,
): Promise<string | undefined> {
  const panel = new Panel(screen, {
    build: (width) => refusalLines(issues, path, screen.look, width),
    choices: [
      { key: 'e', label: 'edit the plan and try again' },
      { key: 'c', label: 'copy the feedback for the model' },
      { key: 'q', label: 'quit', also: ['enter', 'escape', 'n'] },
    ],
  });
  screen.openKeyboard();
  try {
    let hint: Line | undefined;
    for (;;) {
      const key = await panel.ask(hint);
      if (key === 'c') {
        hint = say(await copyFeedback(feedback), 'flag');
      } else if (key === 'e') {
        const edited = await editPlan(screen, text, drafts);
        if (typeof edited === 'string' || edited === undefined) return edited;
        hint = edited.note;
        panel.hide();
      } else return undefined;
    }
  } finally {
    screen.closeKeyboard();
  }
}

/** Shows errors in full and counts warnings. */
function refusalLines(issues: readonly Issue[], path: string, look: Look, width: number): Line[] {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.length - errors.length;
  return [
    ruleLine(`The plan was refused: ${plural(errors.length, 'error')}`, look, width),
    ...errors.flatMap((issue) => {
      const place = issue.line === undefined ? '' : `line ${issue.line}`;
      const [head = '', ...body] = issueLines(
        issue,
        place,
        (_, part) => part,
        (part) => part,
      );
      return [
        prose(foreign(head, look, { style: 'danger' }), 2, 4),
        ...body.flatMap((part) => part.split('\n')).map((line) => prose(foreign(line, look), 2, 4)),
      ];
    }),
    ...(warnings > 0 ? [say(`${plural(warnings, 'warning')} in the report`, 'dim')] : []),
    BLANK,
    prose([{ text: 'Nothing was run. The plan is kept in ' }, ...foreign(path, look), { text: '.' }]),
  ];
}

async function copyFeedback(feedback: string): Promise<string> {
  const copied = await writeClipboard(feedback);
  if (copied.status === 'refused') return `Not copied: the clipboard ${copied.reason}.`;
  return `Copied ${copied.by === 'program' ? 'to the clipboard' : 'through the terminal (OSC 52)'}: paste it into the chat.`;
}

/** The edited text, a note for the question, or undefined if the terminal is gone. */
async function editPlan(
  screen: Screen,
  text: string,
  drafts: Drafts,
): Promise<string | { note: Line } | undefined> {
  const made = drafts.create('plan', text);
  if ('reason' in made) return { note: say(made.reason, 'flag') };
  const edited = await editFile(screen, made.path, text, drafts);
  if (edited.status === 'kept') return edited;
  if (edited.status !== 'text') return undefined;
  return edited.text === text ? { note: say('Nothing was changed.', 'dim') } : edited.text;
}
