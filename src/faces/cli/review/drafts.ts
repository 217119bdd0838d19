import { join } from 'node:path';
import { readAction } from '../../../core/plan/read.js';
import type { Action, PlanIssue } from '../../../core/plan/types.js';
import { writeAction } from '../../../core/plan/write.js';
import type { Tree } from '../../../core/tree.js';
import { monotonicMs } from '../../../node/clock.js';
import { errorCode } from '../../../node/errors.js';
import { files } from '../../../node/file-calls.js';
import { decodeText, MB, readBytes } from '../../../node/files.js';
import { closing, isAlreadyThere, writeText } from '../../../node/folder.js';
import { findEditor, runEditor } from '../../../node/terminal/editor.js';
import type { ActionQuestion } from '../../../review/question.js';
import { BLANK, foreign, type Line, prose, ruleLine, type Span, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import { describeIssue } from './overview-lines.js';

const LIMIT = 10 * MB;

/** What the user wrote, each text in a file of its own that stays: nothing typed is lost. */
export class Drafts {
  /** Texts left with Esc, by the name of their draft: the next try starts with them. */
  readonly unfinished = new Map<string, string>();
  readonly #folder: () => string;
  readonly #edited = new Map<number, { path: string; action: Action }>();

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** Writes a new file, `action-3.md` or the next name that is free. Its path, or why not. */
  create(name: string, text: string): { path: string } | { reason: string } {
    try {
      for (let copy = 1; ; copy++) {
        const path = join(this.#folder(), `${name}${copy === 1 ? '' : `-${copy}`}.md`);
        try {
          closing(files.open(path, 'wx', 0o600), (file) => writeText(file, text));
          return { path };
        } catch (error) {
          if (!isAlreadyThere(error) || copy > 1000) throw error;
        }
      }
    } catch (error) {
      const why = errorCode(error);
      return { reason: `The draft could not be written (${why}).` };
    }
  }

  read(path: string): { text: string } | { reason: string } {
    const read = readBytes(path, LIMIT);
    if (read.status !== 'bytes')
      return { reason: `The draft ${read.status === 'missing' ? 'was deleted' : read.reason}.` };
    const decoded = decodeText(read.bytes);
    return decoded.status === 'text' ? decoded : { reason: `The draft ${decoded.reason}.` };
  }

  /** The file that an action came from, when it came from one. */
  remembered(number: number, action: Action): string | undefined {
    const edited = this.#edited.get(number);
    return edited !== undefined && sameAction(edited.action, action) ? edited.path : undefined;
  }

  remember(number: number, path: string, action: Action): void {
    this.#edited.set(number, { path, action });
  }
}

/** Whether two actions do the same, wherever they are in a plan. */
export function sameAction(one: Action, other: Action): boolean {
  const bare = (action: Action) =>
    JSON.stringify(action, (name, value: unknown) => (name === 'line' ? undefined : value));
  return bare(one) === bare(other);
}

/** An editor that is back this soon, with nothing changed, has probably opened a window elsewhere. */
const AT_ONCE_MS = 1000;

export type Edit =
  | { status: 'replaced'; action: Action }
  /** Back to the question, with a word on why. */
  | { status: 'kept'; note: Line }
  | { status: 'interrupted' }
  | { status: 'ended' };

/** The action in the user's editor, until it can be read as an action of its type or is dropped. */
export async function editAction(
  screen: Screen,
  question: ActionQuestion,
  drafts: Drafts,
  tree: Tree,
): Promise<Edit> {
  const { number, action } = question;
  const draft = openDraft(question, drafts);
  if ('reason' in draft) return { status: 'kept', note: say(draft.reason, 'flag') };
  const { path, text: given } = draft;
  let current = given;
  for (;;) {
    const edited = await editFile(screen, path, current, drafts);
    if (edited.status !== 'text') return edited;
    current = edited.text;
    if (edited.text === given) return { status: 'kept', note: say('Nothing was changed.', 'dim') };
    const problem = judge(edited.text, action, tree);
    if ('action' in problem) {
      const before = readAction(given, tree).action;
      if (before !== null && sameAction(before, problem.action))
        return { status: 'kept', note: say('Nothing was changed.', 'dim') };
      drafts.remember(number, path, problem.action);
      return { status: 'replaced', action: problem.action };
    }
    const choice = await showProblem(screen, problem, path);
    if (choice === 'ctrl-c') return { status: 'interrupted' };
    if (choice === 'ended') return { status: 'ended' };
    if (choice === 'd')
      return { status: 'kept', note: keptAt('Dropped. Your draft is still in', path, screen) };
  }
}

/** Text in the user's editor. `given` is what it was before. */
async function editFile(
  screen: Screen,
  path: string,
  given: string,
  drafts: Drafts,
): Promise<{ status: 'text'; text: string } | Exclude<Edit, { status: 'replaced' }>> {
  const editor = findEditor();
  if (editor === undefined) {
    const advice = 'No editor was found: set VISUAL or EDITOR, for instance with export EDITOR=nano.';
    return { status: 'kept', note: say(advice, 'flag') };
  }
  const started = monotonicMs();
  const end = await screen.lend(() => runEditor(editor, path));
  const failure = describeFailure(end, editor);
  if (failure !== undefined)
    return { status: 'kept', note: keptAt(`${failure} Your draft is in`, path, screen) };
  let read = drafts.read(path);
  if ('text' in read && read.text === given && monotonicMs() - started < AT_ONCE_MS) {
    const waited = await waitForSave(screen);
    if (waited === 'ctrl-c') return { status: 'interrupted' };
    if (waited === 'ended') return { status: 'ended' };
    read = drafts.read(path);
  }
  if ('reason' in read) return { status: 'kept', note: say(read.reason, 'flag') };
  return { status: 'text', text: read.text };
}

function openDraft(
  { number, action }: ActionQuestion,
  drafts: Drafts,
): { path: string; text: string } | { reason: string } {
  const path = drafts.remembered(number, action);
  const read = path === undefined ? undefined : drafts.read(path);
  if (path !== undefined && read !== undefined && 'text' in read) return { path, text: read.text };
  const text = `${writeAction(action)}\n`;
  const made = drafts.create(`action-${number}`, text);
  return 'reason' in made ? made : { path: made.path, text };
}

/** The edited text as an action in place of the old one, or why it cannot be that. */
function judge(
  text: string,
  old: Action,
  tree: Tree,
): { action: Action } | { issues: PlanIssue[]; reason?: string } {
  const { action, issues } = readAction(text, tree);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (action === null) return { issues: errors.length > 0 ? errors : issues };
  if (action.type !== old.type)
    return { issues: [], reason: `The action is now ${action.type}; it must stay ${old.type}.` };
  return { action: standAt(action, old.line) };
}

/** Line numbers as if it were in place of the old one. */
function standAt(action: Action, line: number): Action {
  const by = line - action.line;
  if (action.type !== 'EDIT') return { ...action, line };
  return { ...action, line, edits: action.edits.map((edit) => ({ ...edit, line: edit.line + by })) };
}

function showProblem(
  screen: Screen,
  { issues, reason }: { issues: PlanIssue[]; reason?: string },
  path: string,
): Promise<string> {
  const { look } = screen;
  const panel = new Panel(screen, {
    build: (width) => [
      ruleLine('Your draft cannot be used as it is', look, width),
      ...(reason === undefined ? [] : [say(reason, 'danger')]),
      ...(issues.length === 0 && reason === undefined
        ? [say('No action can be read from it.', 'danger')]
        : []),
      ...issues.flatMap((issue) => describeIssue(issue, null, look)),
      BLANK,
      keptAt('It is kept in', path, screen),
    ],
    choices: [
      { key: 'e', label: 'edit again' },
      { key: 'd', label: 'drop it', also: ['escape', 'q', 'n'] },
    ],
  });
  return panel.ask();
}

function waitForSave(screen: Screen): Promise<string> {
  const panel = new Panel(screen, {
    build: () => [say('The editor returned at once, and the file has not changed yet.')],
    choices: [
      {
        key: 'enter',
        shown: 'Enter',
        label: 'once you have saved and closed it',
        also: ['escape', 'q', 'n'],
      },
    ],
  });
  return panel.ask(say('Press Enter when you have saved and closed it.', 'strong'));
}

function describeFailure(end: Awaited<ReturnType<typeof runEditor>>, editor: string): string | undefined {
  if (end.status === 'not-started') return end.reason;
  if (end.status === 'signalled') return `The editor was ended by ${end.signal}.`;
  if (end.code === 0) return undefined;
  if (end.code === 127) return `${editor} was not found: set VISUAL or EDITOR to your editor.`;
  return `The editor exited with ${end.code}, so its changes are ignored.`;
}

function keptAt(words: string, path: string, { look }: Screen): Line {
  const spans: Span[] = [{ text: `${words} ` }, ...foreign(path, look), { text: '.' }];
  return prose(
    spans.map((span) => ({ ...span, style: span.style ?? 'flag' })),
    2,
    2,
  );
}

export type Reply =
  | { status: 'sent'; text: string }
  /** Nothing was written, and that is meant. */
  | { status: 'empty' }
  /** `disturbed`: the question is no longer on the screen. */
  | { status: 'back'; disturbed: boolean }
  | { status: 'interrupted' }
  | { status: 'ended' };

/** A reply to a message, typed here or in the editor; on disk before anything is done with it. */
export async function takeReply(
  screen: Screen,
  drafts: Drafts,
  number: number,
  { inEditor, above }: { inEditor: boolean; above: Panel },
): Promise<Reply> {
  const name = `reply-${number}`;
  let text = drafts.unfinished.get(name) ?? '';
  let editor = inEditor;
  let disturbed = false;
  for (;;) {
    if (editor) {
      disturbed = true;
      const edited = await writeInEditor(screen, drafts, name, text);
      if (edited.status === 'interrupted' || edited.status === 'ended') return edited;
      if (edited.status === 'kept') screen.print([edited.note]);
      else text = edited.text;
      editor = false;
    }
    const typed = await typeText(screen, {
      title: 'Your reply',
      hasEditor: true,
      text,
      ...(disturbed ? {} : { above }),
    });
    text = typed.text;
    drafts.unfinished.set(name, text);
    if (typed.status === 'editor') editor = true;
    else if (typed.status === 'back') return { status: 'back', disturbed };
    else {
      const reply = trimLines(text);
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

/** As it was written, without the blank lines around it. */
function trimLines(text: string): string {
  return text.replace(/^\n+/, '').trimEnd();
}
