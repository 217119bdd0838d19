import { isoUtc, now } from '../node/clock.js';
import { processId, sha256 } from '../node/ids.js';
import { decodeText } from '../node/text.js';
import { Unusable } from '../node/unusable.js';
import type { Lock } from '../workspace/lock.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { prepareState, STATE, STATE_FOLDER, updateState } from './state-files.js';

/** The orchestrator that works on a project. */
export interface Holder {
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

const LIMIT = 4096;
const TIME = /^[0-9T:Z-]{1,32}$/;

/**
 * Makes this process the one that orchestrates the project, until it lets go or dies. Throws `Unusable` where another
 * does, and names it. The lock is the kernel's; that the holder's name is told with it, the root's lock sees to.
 */
export async function holdProject(workspace: Workspace): Promise<{ release(): void }> {
  await prepareState(workspace);
  let lock: Lock | undefined;
  try {
    const other = await updateState(workspace, STATE.holder, (view) => {
      lock = workspace.hold(STATE.lock);
      if (!lock) return { changes: [], value: { holder: readHolder(view) } };
      return { changes: [nameHolder(view)], value: undefined };
    });
    if (lock && !other) return lock;
    throw new Unusable(`Another teddy orchestrate works on this project (${describe(other?.holder)}).`);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Who works on it, whatever a process that died left written; undefined where nobody does. Changes nothing. */
export function holderOf(workspace: Workspace): Partial<Holder> | undefined {
  return workspace.view((view) => {
    if (view.look(STATE_FOLDER) !== 'folder' || !workspace.isHeld(STATE.lock)) return undefined;
    return readHolder(view) ?? {};
  });
}

function nameHolder(view: View) {
  const old = view.read(STATE.holder, LIMIT);
  if (old.status === 'refused') throw new Unusable(`${STATE.holder} ${old.reason}.`);
  const text = `${JSON.stringify({ pid: processId(), started_at: isoUtc(now()) })}\n`;
  return {
    path: STATE.holder,
    before: old.status === 'bytes' ? sha256(old.bytes) : null,
    after: new TextEncoder().encode(text),
  };
}

function readHolder(view: View): Holder | undefined {
  const read = view.read(STATE.holder, LIMIT);
  const text = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  if (text?.status !== 'text') return undefined;
  try {
    const { pid, started_at } = JSON.parse(text.text) as { pid?: unknown; started_at?: unknown };
    return Number.isSafeInteger(pid) && typeof started_at === 'string' && TIME.test(started_at)
      ? { pid: pid as number, startedAt: started_at }
      : undefined;
  } catch {
    return undefined;
  }
}

function describe(holder: Holder | undefined): string {
  return holder ? `process ${holder.pid}, since ${holder.startedAt}` : 'which process is not written down';
}
