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

/** Of any file of a session; what is larger is neither written nor read. */
export const LARGEST_TEXT = 64 * MB;

/** As of every plan. */
const LARGEST_PLAN = 10 * MB;

export const DRAFT = 'answer.part';
export const MESSAGE = 'message.part';

/** The sessions that are there, sorted: folders with at least one turn. What git leaves behind of one has none. */
export function listSessionNames(view: View): string[] {
  return view.list(SESSIONS).filter((name) => isSession(view, name));
}

function isSession(view: View, name: string): boolean {
  return readSessionName(name).status === 'ok' && listTurns(view, name).length > 0;
}

/** Throws `UserError`, with the sessions that there are. */
export function requireSession(view: View, session: string): string {
  // By its very name, which not every disk asks for.
  if (view.list(SESSIONS).includes(session) && isSession(view, session)) return session;
  const names = listSessionNames(view);
  if (names.length === 0)
    throw new UserError('There is no session here yet. Start one with teddy chat, or teddy new NAME.');
  const shown = `${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}`;
  throw new UserError(`There is no session ${JSON.stringify(session)}. There are: ${shown}.`);
}

/** The numbers of a session's turns, whether they can be read or not, ascending. */
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

/** An empty folder is no turn, and neither is one with a draft alone: git leaves such behind. */
function isLeavings(view: View, folder: string): boolean {
  return view.list(folder).every((name) => name === DRAFT || name === MESSAGE);
}

/** Throws `UserError` where there is no such turn, or a file of it is not as it should be. */
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
    // Whoever takes it away means that it brings nothing.
    context: text('turn.context') ?? '',
    prompt: required('system_prompt.md'),
    input: text('input.md'),
    answer: text('answer.md'),
    plan: text('plan.md', LARGEST_PLAN),
    report: text('report.md'),
  });
}

/**
 * What is on disk of a turn's `meta.yaml`; undefined for none. A folder may have been given another name, so the place
 * says which session it is.
 */
export function readMeta(view: View, session: string, turn: number): TurnMeta | undefined {
  const path = `${turnFolder(session, turn)}/meta.yaml`;
  const text = readTurnText(view, path, LARGEST_META);
  if (text === null) return undefined;
  const read = parseMeta(text);
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  if (read.meta.turn !== turn)
    throw new UserError(`${path} is that of another turn (${turnId(read.meta.session, read.meta.turn)}).`);
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

/** The text of a file; null for none. Throws `UserError` for anything else in its place. */
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

/** An answer as it comes. Never throws: what cannot be kept here is kept with the answer, or refused there. */
export interface AnswerDraft {
  write(text: string): void;
  close(): void;
}

/** A character may come in two halves, and a file holds whole ones. */
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
