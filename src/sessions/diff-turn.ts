import { UserError } from '../node/errors.js';
import { diffRun, type RunDiff } from '../runs/diff/diff-run.js';
import type { Workspace } from '../workspace/workspace.js';
import { Sessions } from './turns/sessions.js';
import { readTurnRef, type Turn, turnId } from './turns/turn.js';

/** The file changes of a turn. */
export interface TurnDiff extends Omit<RunDiff, 'run'> {
  /** `auth/03` */
  turn: string;
  /** The run of its plan; null if it has not run yet. */
  run: string | null;
}

/** The changes of a turn's run. `ref`: `3` or `auth/03`; a bare number refers to the last used session. */
export function diffTurn(
  workspace: Workspace,
  ref: string,
  environment: Readonly<Record<string, string | undefined>>,
): TurnDiff {
  const { meta, folder } = findTurn(new Sessions(workspace), ref);
  const turn = turnId(meta.session, meta.turn);
  if (meta.run === null) {
    const reason = `The plan of ${turn} has not run yet.`;
    return { turn, run: null, undone: false, reason, plan: null, files: [], commands: [] };
  }
  const found = diffRun(workspace, meta.run.id, environment);
  const reason = found.reason && `${found.reason} What it did is in ${folder}/report.md.`;
  return { turn, ...found, reason };
}

function findTurn(sessions: Sessions, ref: string): Turn {
  const read = readTurnRef(ref);
  if (!read) throw new UserError(`${JSON.stringify(ref)} is not a turn. Write 3 or auth/03.`);
  return sessions.readTurn(sessions.choose(read.session ?? undefined), read.turn);
}
