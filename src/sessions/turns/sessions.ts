import { UserError } from '../../node/errors.js';
import { sha256 } from '../../node/ids.js';
import type { Lock } from '../../workspace/lock.js';
import type { View } from '../../workspace/view.js';
import type { Update, UpdateResult, Workspace } from '../../workspace/workspace.js';
import { writeMeta } from './meta.js';
import {
  isSameName,
  type OverBudget,
  readSessionName,
  SESSIONS,
  type Turn,
  type TurnMeta,
  turnFolder,
  turnId,
} from './turn.js';
import {
  beginSessionChanges,
  type Conclusion,
  conclude,
  type FullStart,
  feedbackPath,
  hashOf,
  isHeard,
  type KeptAnswer,
  type KeptInput,
  keepInput,
  keepOverBudget,
  keepTurnAnswer,
  makeCurrent,
  makeTurn,
  type Reopening,
  reopen,
  type TurnChange,
  unansweredMessage,
  writing,
} from './turn-changes.js';
import {
  type AnswerDraft,
  DRAFT,
  draftIn,
  LARGEST_TEXT,
  listSessionNames,
  listTurns,
  MESSAGE,
  readMeta,
  readTurn,
  readTurnText,
  requireSession,
} from './turn-files.js';

/**
 * Sessions on disk. Reads are uncached and take no lock; each change is one atomic commit. Failures throw
 * `UserError`.
 */
export class Sessions {
  private readonly held = new Set<string>();

  constructor(private readonly workspace: Workspace) {}

  /** Sorted by name. */
  names(): string[] {
    return this.workspace.view(listSessionNames);
  }

  /** The last used session; undefined if there are no sessions. */
  current(): string | undefined {
    return this.workspace.view((view) => {
      const names = listSessionNames(view);
      const written = view.read('.teddy/session', 1000);
      const named =
        written.status === 'bytes' ? new TextDecoder().decode(written.bytes).split('\n')[0]!.trim() : '';
      return names.includes(named) ? named : this.findNewest(view, names);
    });
  }

  /** The named session, or the last used one. */
  choose(named: string | undefined): string {
    const session = named ?? this.current() ?? '';
    return this.workspace.view((view) => requireSession(view, session));
  }

  /** The metadata of all readable turns. */
  metas(session: string): TurnMeta[] {
    return this.workspace.view((view) =>
      listTurns(view, requireSession(view, session)).flatMap((turn) => {
        try {
          return readMeta(view, session, turn) ?? [];
        } catch (error) {
          if (error instanceof UserError) return [];
          throw error;
        }
      }),
    );
  }

  /** Ascending, including unreadable turns. */
  turns(session: string): number[] {
    return this.workspace.view((view) => listTurns(view, requireSession(view, session)));
  }

  readTurn(session: string, turn: number): Turn {
    return this.workspace.view((view) => readTurn(view, session, turn));
  }

  lastTurn(session: string): Turn {
    return this.workspace.view((view) => {
      const last = listTurns(view, requireSession(view, session)).at(-1)!;
      return readTurn(view, session, last);
    });
  }

  /** The text of a turn's `system_prompt.md`; undefined if it is missing. */
  promptOf(session: string, turn: number): string | undefined {
    const path = `${turnFolder(session, turn)}/system_prompt.md`;
    return this.workspace.view((view) => readTurnText(view, path)) ?? undefined;
  }

  /** The text of `session.context`. */
  sessionContext(session: string): string {
    return this.workspace.view((view) => {
      const path = `${SESSIONS}/${requireSession(view, session)}/session.context`;
      return readTurnText(view, path) ?? '';
    });
  }

  /** The text of `global.context`. */
  globalContext(): string {
    return this.workspace.view((view) => readTurnText(view, '.teddy/global.context')) ?? '';
  }

  /** The saved text of a page; undefined if it was never fetched. */
  page(session: string, url: string): string | undefined {
    return this.workspace.view((view) => {
      return readTurnText(view, pagePath(requireSession(view, session), url)) ?? undefined;
    });
  }

  /** Whether another process plans or runs in the session. */
  isLive(session: string): boolean {
    const path = this.workspace.view((view) => lockPath(requireSession(view, session)));
    return !this.held.has(session) && this.workspace.isHeld(path);
  }

  /** Locks the session against other processes until release or exit. */
  hold(session: string): Lock {
    const path = this.workspace.view((view) => lockPath(requireSession(view, session)));
    const lock = this.workspace.hold(path);
    if (!lock)
      throw new UserError(`Another teddy is working in session ${session}. Try again when it has finished.`);
    this.held.add(session);
    return {
      release: () => {
        this.held.delete(session);
        lock.release();
      },
    };
  }

  /** Creates a session with its first turn and makes it the current one. */
  async create(name: string, start: FullStart, at: string): Promise<Turn> {
    const read = readSessionName(name);
    if (read.status === 'refused') throw new UserError(read.reason);
    return this.change((view) => {
      if (listTurns(view, name).length > 0)
        throw new UserError(`Session ${name} exists already. Continue it with teddy resume ${name}.`);
      const alike = view.list(SESSIONS).find((each) => each !== name && isSameName(each, name));
      if (alike !== undefined)
        throw new UserError(
          `Session ${alike} exists already. Choose a name that differs in more than upper and lower case.`,
        );
      return beginSessionChanges(view, name, start, at);
    });
  }

  async useSession(name: string): Promise<void> {
    await this.update((view) => ({
      changes: makeCurrent(view, requireSession(view, name)),
      value: undefined,
    }));
  }

  async keepInput(turn: Turn, kept: KeptInput): Promise<Turn> {
    return this.changeTurn(turn, (view) => keepInput(view, turn, kept));
  }

  /** Records that the budget is reached, until there is new input or, with null, until the user decides. */
  async keepOverBudget(turn: Turn, reached: OverBudget | null): Promise<Turn> {
    return this.changeTurn(turn, (view) => keepOverBudget(view, turn, reached));
  }

  /**
   * Saves an answer: one that passed becomes the plan and replaces an earlier one; any other gets a number
   * and its feedback. Deletes the draft.
   */
  async keepAnswer(turn: Turn, kept: KeptAnswer): Promise<Turn> {
    return this.changeTurn(turn, (view) => keepTurnAnswer(view, turn, kept));
  }

  /**
   * Concludes a turn, which is read-only from then on, creates the next one and makes the session current.
   */
  async conclude(turn: Turn, conclusion: Conclusion): Promise<void> {
    await this.changeTurn(turn, (view) => conclude(view, turn, conclusion));
  }

  /** Creates the turn after a finished one. */
  async makeNext(turn: Turn, next: FullStart, at: string): Promise<Turn> {
    const { session, turn: number } = turn.meta;
    return this.change((view) => {
      if (listTurns(view, session).at(-1) !== number)
        throw new UserError(`Turn ${turnId(session, number)} is not the last one of its session any more.`);
      return makeTurn({ session, turn: number + 1, parent: number }, next, at);
    });
  }

  /** Removes the plan of a refused run, so that the turn can get another. */
  async reopen(turn: Turn, reopening: Reopening): Promise<void> {
    await this.changeTurn(turn, (view) => reopen(view, turn, reopening));
  }

  /** Saves a page for later turns, replacing an earlier version. */
  async keepPage(session: string, url: string, text: string): Promise<void> {
    await this.update((view) => {
      const path = pagePath(requireSession(view, session), url);
      const before = hashOf(view, path);
      const changes = writing(path, null, text).map((change) => ({ ...change, before }));
      return { changes: before === sha256(text) ? [] : changes, value: undefined };
    });
  }

  /** Saves a message that was typed but not sent. An empty text deletes it, and so does `keepInput`. */
  async keepMessage(turn: Turn, text: string): Promise<void> {
    await this.update((view) => {
      const path = `${turn.folder}/${MESSAGE}`;
      const before = hashOf(view, path);
      const after = text === '' ? null : new TextEncoder().encode(text);
      const isSame = before === (after && sha256(after));
      return { changes: isSame ? [] : [{ path, before, after, mode: 0o600 }], value: undefined };
    });
  }

  /** A message that was typed but not sent. */
  leftMessage(turn: Turn): string | undefined {
    return this.workspace.view((view) => readTurnText(view, `${turn.folder}/${MESSAGE}`)) ?? undefined;
  }

  /** Opens a file to which an answer is appended as it arrives. `keepAnswer` deletes it. */
  openDraft(turn: Turn): AnswerDraft {
    return draftIn(this.workspace.grow(`${turn.folder}/${DRAFT}`));
  }

  /** The draft of a process that died. It may end in half a character. */
  leftDraft(turn: Turn): string | undefined {
    const path = `${turn.folder}/${DRAFT}`;
    const read = this.workspace.view((view) => view.read(path, LARGEST_TEXT));
    if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
    return read.status === 'bytes'
      ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(read.bytes)
      : undefined;
  }

  /** The last complete answer of an open turn and its feedback, if it was refused. */
  refusedAnswer({ folder, meta }: Turn): { text: string; feedback: string } | undefined {
    const last = meta.attempts.findLast(isHeard);
    if (last?.outcome !== 'refused' || last.answer === null) return undefined;
    const answer = last.answer;
    return this.workspace.view((view) => {
      // The user's edited version, if that was what was refused.
      const edited = readTurnText(view, `${folder}/${answer.replace('answer', 'plan')}`);
      const text = edited ?? readTurnText(view, `${folder}/${answer}`);
      const feedback = readTurnText(view, feedbackPath(folder, answer));
      return text === null || feedback === null ? undefined : { text, feedback };
    });
  }

  /** The agent's messages in this turn, each with the user's reply; null if there is none yet. */
  agentMessages({ folder, meta }: Turn): { text: string; reply: string | null }[] {
    return this.workspace.view((view) =>
      meta.attempts.flatMap(({ outcome, answer }) => {
        if (outcome !== 'message' || answer === null) return [];
        const text = readTurnText(view, `${folder}/${answer}`);
        return text === null ? [] : [{ text, reply: readTurnText(view, feedbackPath(folder, answer)) }];
      }),
    );
  }

  /** The last message of this turn; null if there is none or it has a complete answer. */
  unansweredMessage(turn: Turn): string | null {
    return this.workspace.view((view) => unansweredMessage(view, turn));
  }

  /** The session with the newest last turn. Unreadable sessions count as oldest. */
  private findNewest(view: View, names: readonly string[]): string | undefined {
    const madeAt = (name: string): number => {
      try {
        const meta = readMeta(view, name, listTurns(view, name).at(-1)!);
        return Date.parse(meta?.madeAt ?? '') || 0;
      } catch {
        return 0;
      }
    };
    return names.map((name) => ({ name, at: madeAt(name) })).sort((a, b) => b.at - a.at)[0]?.name;
  }

  /** Changes an open turn, unless it has changed on disk. */
  private changeTurn(turn: Turn, work: (view: View) => TurnChange): Promise<Turn> {
    const { session, turn: number } = turn.meta;
    return this.change((view) => {
      if (view.list(turn.folder).includes('report.md'))
        throw new UserError(`Turn ${turnId(session, number)} has its report and is read-only.`);
      const meta = readMeta(view, session, number);
      if (!meta || writeMeta(meta) !== writeMeta(turn.meta))
        throw new UserError(
          `Turn ${turnId(session, number)} was changed by another program; nothing was written.`,
        );
      return work(view);
    });
  }

  private change(work: (view: View) => TurnChange): Promise<Turn> {
    return this.update((view) => {
      const { changes, turn } = work(view);
      return { changes, value: turn };
    });
  }

  /** Makes one commit. `work` refuses by throwing `UserError`. */
  private async update<T>(work: (view: View) => Update<T>): Promise<T> {
    let refusal: UserError | undefined;
    const result = await this.workspace.update<T | undefined>((view) => {
      try {
        return work(view);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        refusal = error;
        return { changes: [], value: undefined };
      }
    });
    if (refusal) throw refusal;
    const failure = describeFailure(result);
    if (failure !== undefined) throw new UserError(failure);
    return (result as { value: T }).value;
  }
}

function lockPath(session: string): string {
  return `${SESSIONS}/${session}/lock`;
}

function pagePath(session: string, url: string): string {
  return `${SESSIONS}/${session}/pages/${sha256(url).slice(0, 16)}.md`;
}

/** A sentence on why a commit failed; undefined if it succeeded. */
function describeFailure(result: UpdateResult<unknown>): string | undefined {
  switch (result.status) {
    case 'committed':
      return result.lost.length === 0
        ? undefined
        : `${result.lost.join(', ')} was changed by another program right after teddy had written it; look at it before you continue.`;
    case 'conflict': {
      const files = result.conflicts.map(({ path, reason }) => `${path} ${reason}`);
      return `Nothing was written, because files have changed: ${files.join('; ')}. Try again.`;
    }
    case 'refused':
      return `Nothing was written: ${result.path} ${result.reason}.`;
    case 'locked':
      return 'Nothing was written: another teddy has held the lock on this project for a minute.';
    case 'failed':
      return `Nothing was written (${withoutStop(result.reason)}).`;
    case 'stuck':
      return `The change was not completed, and what was written could not be reverted (${withoutStop(result.reason)}). The next command tries again.`;
  }
}

function withoutStop(reason: string): string {
  return reason.replace(/\.$/, '');
}
