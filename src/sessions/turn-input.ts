import { basename } from 'node:path';
import { readPlan } from '../core/plan/read.js';
import type { Tree } from '../core/tree.js';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { systemName } from '../node/terminal/terminal.js';
import { readMemos } from '../runs/turn-state.js';
import type { Workspace } from '../workspace/workspace.js';
import { assembleInput } from './context/assemble-input.js';
import type { AssembledInput, ContextSource, InputFacts } from './context/types.js';
import type { Sessions } from './turns/sessions.js';
import type { Turn } from './turns/turn.js';
import { joinMessages } from './turns/turn-changes.js';

export interface InputOptions {
  workspace: Workspace;
  tree: Tree;
  /** In tokens; 0 means no limit. */
  budget: number;
  /** The user's new message; null if there is none. */
  message: string | null;
  mask(text: string): string;
  /** Called while files and pages are read. Must not throw. */
  onRead?(done: number, of: number): void;
}

/** The input of a session's turn. */
export async function assembleTurn(
  sessions: Sessions,
  turn: Turn,
  options: InputOptions,
): Promise<AssembledInput> {
  const { session, turn: number, agent, callers, handoff, madeAt } = turn.meta;
  const caller = callers.at(-1);
  const message = joinMessages(turn.meta, options.message, sessions.unansweredMessage(turn));
  return assemble(
    { ...options, message },
    {
      sources: [
        { name: 'global.context', text: sessions.globalContext() },
        { name: 'session.context', text: sessions.sessionContext(session) },
        { name: 'turn.context', text: turn.context },
      ],
      pages: (url) => sessions.page(session, url),
      facts: {
        session: { name: session, turn: number, agent },
        date: madeAt,
        task: caller ? { from: caller.agent, message: caller.task } : null,
        handoff,
        ...lookBack(sessions, turn, options.workspace),
      },
    },
  );
}

/** The input outside a session. */
export async function assembleProject(sessions: Sessions, options: InputOptions): Promise<AssembledInput> {
  const own = options.tree.text('.teddy/turn.context');
  return assemble(options, {
    sources: [
      { name: 'global.context', text: sessions.globalContext() },
      { name: 'turn.context', text: own.status === 'text' ? own.text : '' },
    ],
    pages: () => undefined,
    facts: { session: null, date: isoUtc(now()), task: null, handoff: null, ...NOTHING_BEFORE },
  });
}

type Before = Pick<InputFacts, 'earlier' | 'rationale' | 'report'>;
type OwnFacts = Pick<InputFacts, 'session' | 'date' | 'task' | 'handoff'> & Before;

const NOTHING_BEFORE: Before = { earlier: null, rationale: null, report: null };

async function assemble(
  { workspace, tree, budget, message, mask, onRead }: InputOptions,
  own: { sources: ContextSource[]; pages(url: string): string | undefined; facts: OwnFacts },
): Promise<AssembledInput> {
  const { root } = workspace;
  const memos = await readMemos(tree);
  const facts = { ...own.facts, system: systemName(), project: basename(root), memos, message };
  return assembleInput({ root, sources: own.sources, pages: own.pages, facts, budget, mask, onRead });
}

/** The earlier message, rationale and report that still apply. */
function lookBack(sessions: Sessions, turn: Turn, workspace: Workspace): Before {
  const found: Before = { ...NOTHING_BEFORE };
  for (const before of turnsBefore(sessions, turn)) {
    const { turn: number, message, run } = before.meta;
    if (number === turn.meta.parent && before.report !== null) {
      const undone = run === null ? undefined : workspace.readUndone(run.id);
      found.report = { turn: number, text: before.report, undone: undone ?? null };
    }
    if (message !== null) found.earlier ??= { turn: number, text: message };
    if (isSameLine(before, turn)) found.rationale ??= rationaleOf(before);
    if (found.earlier && found.rationale) break;
  }
  return found;
}

/** From the last one backwards, until one cannot be read. */
function* turnsBefore(sessions: Sessions, { meta }: Turn): Generator<Turn> {
  for (let parent = meta.parent; parent !== null; ) {
    const turn = tryRead(sessions, meta.session, parent);
    if (!turn) return;
    yield turn;
    parent = turn.meta.parent;
  }
}

function tryRead(sessions: Sessions, session: string, turn: number): Turn | undefined {
  try {
    return sessions.readTurn(session, turn);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Whether both turns belong to one agent and task. Turns of agents that it invoked may be in between. */
function isSameLine({ meta: one }: Turn, { meta: other }: Turn): boolean {
  return (
    one.agent === other.agent &&
    one.callers.length === other.callers.length &&
    one.callers.at(-1)?.turn === other.callers.at(-1)?.turn
  );
}

function rationaleOf({ meta, plan }: Turn): Before['rationale'] {
  const text = readPlan(plan ?? '').plan?.rationale;
  return text === undefined || text.trim() === '' ? null : { turn: meta.turn, text };
}
