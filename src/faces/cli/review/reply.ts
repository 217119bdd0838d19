import type { ActionQuestion, Overview, Question } from '../../../review/question.js';
import { BLANK, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import type { Drafts } from './drafts.js';
import { editFile } from './edit-action.js';

export type Reply =
  | { status: 'sent'; text: string }
  /** The user left the reply empty on purpose. */
  | { status: 'empty' }
  /** `disturbed`: the question is no longer on the screen. */
  | { status: 'back'; disturbed: boolean }
  | { status: 'interrupted' }
  | { status: 'ended' };

/** What a typed text means: a reply, a command that was run (the text to continue with is returned), or the wish to leave. */
export type ReplyReader = (
  typed: string,
  screen: Screen,
) => Promise<{ kind: 'reply' | 'command'; text: string } | { kind: 'leave' }>;

interface ReplyQuestion {
  /** The action's. */
  number: number;
  above: Panel;
  read?: ReplyReader | undefined;
}

const asReply: ReplyReader = async (text) => ({ kind: 'reply', text });

/** Reads a reply, typed here or in the editor, and saves it before use. */
export async function takeReply(
  screen: Screen,
  drafts: Drafts,
  { number, above, read = asReply }: ReplyQuestion,
): Promise<Reply> {
  const name = `reply-${number}`;
  let text = drafts.unfinished.get(name) ?? '';
  let inEditor = false;
  let disturbed = false;
  for (;;) {
    if (inEditor) {
      disturbed = true;
      const edited = await writeInEditor(screen, drafts, name, text);
      if (edited.status === 'interrupted' || edited.status === 'ended') return edited;
      if (edited.status === 'kept') screen.print([edited.note]);
      else text = edited.text;
      inEditor = false;
    }
    const typed = await typeText(screen, {
      title: 'Your reply',
      esc: 'skip, quit',
      hasEditor: true,
      onChange: (changed) => drafts.unfinished.set(name, changed),
      text,
      ...(disturbed ? {} : { above }),
    });
    text = typed.text;
    drafts.unfinished.set(name, text);
    if (typed.status === 'editor') inEditor = true;
    else if (typed.status === 'back') return { status: 'back', disturbed };
    else {
      const meant =
        typed.status === 'done' ? await read(trimLines(text), screen) : await asReply(text, screen);
      if (meant.kind === 'leave') return { status: 'interrupted' };
      if (meant.kind === 'command') {
        disturbed = true;
        text = meant.text;
        drafts.unfinished.set(name, text);
        continue;
      }
      const reply = trimLines(meant.text);
      if (reply !== '') drafts.create(name, `${reply}\n`);
      if (typed.status !== 'done') return { status: typed.status };
      if (reply !== '') return { status: 'sent', text: reply };
      const choice = await confirmEmpty(screen);
      if (choice === 'y') return { status: 'empty' };
      if (choice !== 'n') return { status: choice === 'ended' ? 'ended' : 'interrupted' };
      disturbed = true;
    }
  }
}

async function writeInEditor(screen: Screen, drafts: Drafts, name: string, text: string) {
  const made = drafts.create(name, text);
  if ('reason' in made) return { status: 'kept' as const, note: say(made.reason, 'flag') };
  const edited = await editFile(screen, made.path, text, drafts);
  return edited.status === 'text' ? { ...edited, text: trimLines(edited.text) } : edited;
}

function confirmEmpty(screen: Screen): Promise<string> {
  const panel = new Panel(screen, {
    build: () => [BLANK, say('The reply is empty. Skip this message?')],
    choices: [
      { key: 'y', label: 'skip it' },
      { key: 'n', label: 'write one', also: ['escape'] },
    ],
  });
  return panel.ask();
}

/** The reason for a decision; or the key that ends the review, undefined if the user went back. */
export async function askReason(
  screen: Screen,
  drafts: Drafts,
  { title, name, above }: { title: string; name: string; above: Panel },
): Promise<string | { key: string | undefined }> {
  const typed = await typeText(screen, {
    title,
    enter: 'done (empty: no reason)',
    text: drafts.unfinished.get(name) ?? '',
    above,
    onChange: (text) => drafts.unfinished.set(name, text),
  });
  drafts.unfinished.set(name, typed.text);
  const reason = typed.text.trim();
  if (reason !== '' && typed.status !== 'back') drafts.create(name, `${reason}\n`);
  if (typed.status === 'done') return reason;
  return { key: typed.status === 'back' ? undefined : typed.status };
}

/** Removes blank lines at the start and the end. */
function trimLines(text: string): string {
  return text.replace(/^\n+/, '').trimEnd();
}

/** The question, if it is a message to the user. */
export function messageIn(question: Question): ActionQuestion | undefined {
  return question.kind === 'action' && question.action.type === 'CHAT_WITH_USER' ? question : undefined;
}

export function isOnlyMessage({ plan, issues }: Overview): boolean {
  const { actions, activeContext, memos } = plan;
  return (
    actions.length === 1 &&
    actions[0]!.type === 'CHAT_WITH_USER' &&
    activeContext.length + memos.length === 0 &&
    issues.every(({ severity }) => severity === 'info')
  );
}
