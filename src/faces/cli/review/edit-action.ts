import { basename, extname } from 'node:path';
import { hasConflictMarkers } from '../../../core/changeset/merge.js';
import { readAction } from '../../../core/plan/read.js';
import type { Action, PlanIssue } from '../../../core/plan/types.js';
import { writeAction } from '../../../core/plan/write.js';
import type { Tree } from '../../../core/tree.js';
import { monotonicMs } from '../../../node/clock.js';
import { findEditor, runEditor } from '../../../node/terminal/editor.js';
import { sameAction } from '../../../review/compose.js';
import { readEditedAction, readEditedResult } from '../../../review/edited-action.js';
import type { ActionQuestion, FileQuestion } from '../../../review/question.js';
import { BLANK, foreign, type Line, prose, ruleLine, type Span, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import type { Drafts } from './drafts.js';
import { describeIssue } from './overview-lines.js';

/** An editor that exits this soon without a change has probably opened a window elsewhere. */
const AT_ONCE_MS = 1000;

export type Edit =
  | { status: 'replaced'; action: Action }
  /** Returns to the question with a note. */
  | { status: 'kept'; note: Line }
  | { status: 'interrupted' }
  | { status: 'ended' };

/** Opens the action in the user's editor until it is valid or dropped. */
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
    const problem = readEditedAction(edited.text, action, tree);
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

/** Opens the resulting file in the user's editor; the saved text becomes the proposal. */
export async function editResult(
  screen: Screen,
  question: ActionQuestion,
  drafts: Drafts,
  tree: Tree,
): Promise<Edit> {
  const { number, preview } = question;
  if (preview.kind !== 'write') return { status: 'kept', note: say(NO_FILE, 'flag') };
  const made = createResult(drafts, number, preview.path, preview.after);
  if ('reason' in made) return { status: 'kept', note: say(made.reason, 'flag') };
  const edited = await editFile(screen, made.path, preview.after, drafts);
  if (edited.status !== 'text') return edited;
  if (edited.text === preview.after) return { status: 'kept', note: say('Nothing was changed.', 'dim') };
  const action = readEditedResult(edited.text, question, tree);
  return action ? { status: 'replaced', action } : { status: 'kept', note: say(NO_FILE, 'flag') };
}

/** Opens what a file of a changeset becomes; of a conflict, the text with git's markers. */
export async function editChangedFile(
  screen: Screen,
  { number, path, texts, conflict }: FileQuestion,
  drafts: Drafts,
): Promise<{ status: 'text'; text: string } | Exclude<Edit, { status: 'replaced' }>> {
  const given = conflict?.marked ?? texts.after;
  if (given === null) return { status: 'kept', note: say(NO_FILE, 'flag') };
  const made = createResult(drafts, number, path, given);
  if ('reason' in made) return { status: 'kept', note: say(made.reason, 'flag') };
  const edited = await editFile(screen, made.path, given, drafts);
  if (edited.status !== 'text') return edited;
  if (edited.text === given) return { status: 'kept', note: say('Nothing was changed.', 'dim') };
  if (conflict?.marked && hasConflictMarkers(edited.text))
    return { status: 'kept', note: keptAt('Conflict markers are left. Your draft is in', made.path, screen) };
  return edited;
}

/** Editors go by the ending. With `-draft` before it, no test runner takes `a.test.js` for a test of the project. */
function createResult(drafts: Drafts, number: number, path: string, text: string) {
  const ending = extname(path);
  return drafts.create(`result-${number}-${basename(path, ending)}-draft`, text, ending);
}

const NO_FILE = 'There is no file to edit.';

/** Opens text in the user's editor. `given` is the original. */
export async function editFile(
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
  return panel.ask();
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
