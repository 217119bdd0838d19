import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';
import type { AppendFile } from '../../workspace/append-file.js';
import type { View } from '../../workspace/view.js';
import { LARGEST_META, parseMeta } from './meta.js';
import {
  readSessionName,
  readTurnRef,
  SESSIONS,
  type Turn,
  type TurnMeta,
  type TurnStage,
  turnFolder,
  turnId,
  turnName,
} from './turn.js';

/** The size limit for every file of a session, both written and read. */
export const LARGEST_TEXT = 64 * MB;

/** The limit for all plans. */
const LARGEST_PLAN = 10 * MB;

export const DRAFT = 'answer.part';
export const MESSAGE = 'message.part';

/** Folders with at least one turn, sorted; git may leave empty ones behind. */
export function listSessionNames(view: View): string[] {
  return view.list(SESSIONS).filter((name) => isSession(view, name));
}

function isSession(view: View, name: string): boolean {
  return readSessionName(name).status === 'ok' && listTurns(view, name).length > 0;
}

/** Throws `UserError` that lists the existing sessions. */
export function requireSession(view: View, session: string): string {
  // The list compares names exactly; a case-insensitive file system would not.
  if (view.list(SESSIONS).includes(session) && isSession(view, session)) return session;
  const names = listSessionNames(view);
  if (names.length === 0)
    throw new UserError('There is no session here yet. Start one with teddy chat, or teddy new NAME.');
  const shown = `${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}`;
  throw new UserError(
    `There is no session ${JSON.stringify(session)}. There are: ${shown}. teddy new NAME starts another.`,
  );
}

/** Ascending, including unreadable turns. */
export function listTurns(view: View, session: string): number[] {
  const folder = `${SESSIONS}/${session}`;
  const turns = view
    .list(folder)
    .flatMap((name) => {
      const turn = readTurnRef(name)?.turn;
      return turn !== undefined && turnName(turn) === name && view.isFolder(folder, name) ? [turn] : [];
    })
    .sort((a, b) => a - b);
  while (turns.length > 0 && isLeavings(view, turnFolder(session, turns.at(-1)!))) turns.pop();
  return turns;
}

/** A folder that is empty or has only drafts is not a turn; git leaves such folders behind. */
function isLeavings(view: View, folder: string): boolean {
  return view.list(folder).every((name) => name === DRAFT || name === MESSAGE);
}

/** Throws `UserError` if the turn does not exist or one of its files is invalid. */
export function readTurn(view: View, session: string, turn: number): Turn {
  if (!listTurns(view, requireSession(view, session)).includes(turn))
    throw new UserError(`There is no turn ${turnId(session, turn)}.`);
  const folder = turnFolder(session, turn);
  const text = (name: string, limit?: number) => readTurnText(view, `${folder}/${name}`, limit);
  const required = (name: string) => {
    const found = text(name);
    if (found === null) throw new UserError(`${folder}/${name} is missing.`);
    return found;
  };
  const meta = readMeta(view, session, turn);
  if (meta === undefined) throw new UserError(`${folder}/meta.yaml is missing.`);
  return withStage({
    meta,
    folder,
    // Deleting the file empties the context.
    context: text('turn.context') ?? '',
    prompt: required('system_prompt.md'),
    input: text('input.md'),
    answer: text('answer.md'),
    plan: text('plan.md', LARGEST_PLAN),
    report: text('report.md'),
  });
}

/**
 * Reads a turn's `meta.yaml`; undefined if it is missing. The folder determines the session, since it may
 * have been renamed.
 */
export function readMeta(view: View, session: string, turn: number): TurnMeta | undefined {
  const path = `${turnFolder(session, turn)}/meta.yaml`;
  const text = readTurnText(view, path, LARGEST_META);
  if (text === null) return undefined;
  const read = parseMeta(text);
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  if (read.meta.turn !== turn)
    throw new UserError(`${path} belongs to another turn (${turnId(read.meta.session, read.meta.turn)}).`);
  return { ...read.meta, session };
}

export function withStage(turn: Omit<Turn, 'stage'>): Turn {
  return { ...turn, stage: stageOf(turn) };
}

function stageOf({ report, plan, input }: Omit<Turn, 'stage'>): TurnStage {
  if (report !== null) return 'done';
  if (plan !== null) return 'planned';
  return input === null ? 'made' : 'asked';
}

/** The text of a file; null if it is missing. Throws `UserError` for anything else. */
export function readTurnText(view: View, path: string, limit = LARGEST_TEXT): string | null {
  const read = view.read(path, limit);
  if (read.status === 'missing') return null;
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes);
  } catch {
    throw new UserError(`${path} is not UTF-8 text.`);
  }
}

/** An answer while it arrives. Never throws: write errors show up when the answer is saved. */
export interface AnswerDraft {
  write(text: string): void;
  close(): void;
}

/** A surrogate pair may arrive in two pieces; only whole characters are written. */
export function draftIn(file: AppendFile): AnswerDraft {
  let half = '';
  return {
    write(text) {
      const all = half + text;
      half = /[\ud800-\udbff]$/.exec(all)?.[0] ?? '';
      const whole = all.slice(0, all.length - half.length);
      if (whole !== '') file.write(whole);
    },
    close() {
      if (half !== '') file.write(half);
      file.close();
    },
  };
}
