import {
  type Action,
  type EditTier,
  type Problem,
  simulateCreate,
  simulateEdit,
  simulateRead,
  type Written,
} from '../formats/plan/index.js';
import type { Tree } from '../formats/tree.js';
import { sha256 } from '../platform/index.js';
import type { ActionQuestion, Preview, StateQuestion } from './review.js';
import { findRisks } from './risks.js';

/** An action as it is put before whoever decides: with what it would do to the tree as it is by now. */
export function proposeAction(
  action: Action,
  place: { number: number; total: number; modified: boolean },
  tree: Tree,
  written: (path: string) => { status: 'inside'; path: string } | { status: 'refused'; reason: string },
): ActionQuestion {
  const preview = previewAction(action, tree, written);
  const risks = findRisks(action, preview);
  return {
    kind: 'action',
    ...place,
    action,
    preview,
    risks,
    hash: sha256(JSON.stringify([action, preview])),
  };
}

export function proposeState(section: StateQuestion['section'], changes: string): StateQuestion {
  return { kind: 'state', section, changes, hash: sha256(JSON.stringify([section, changes])) };
}

function previewAction(action: Action, tree: Tree, locate: Parameters<typeof proposeAction>[3]): Preview {
  if (action.type === 'READ' && action.resource.kind === 'file') {
    const reading = simulateRead(action, tree);
    return reading.status === 'doomed' ? doomed(reading.problems) : { kind: 'none' };
  }
  if (action.type !== 'CREATE' && action.type !== 'EDIT') return { kind: 'none' };
  const located = locate(action.path);
  if (located.status === 'refused') {
    return { kind: 'doomed', reasons: [`${action.path} ${located.reason}.`] };
  }
  const { path } = located;
  const result: Written =
    action.type === 'CREATE'
      ? simulateCreate({ ...action, path }, tree)
      : simulateEdit({ ...action, path }, tree);
  if (result.status === 'doomed') return doomed(result.problems);
  return {
    kind: 'write',
    path,
    before: result.before,
    after: result.after,
    matched: describeTiers(result.tiers),
  };
}

function doomed(problems: readonly Problem[]): Preview {
  return {
    kind: 'doomed',
    reasons: problems.map(({ message, hint }) => (hint === undefined ? message : `${message}\n${hint}`)),
  };
}

const TIERS: Record<Exclude<EditTier, 'exact'>, string> = {
  'line-endings': 'line endings or blank lines at the edges',
  'trailing-space': 'white space at the ends of lines',
  indent: 'indent',
  unicode: 'kinds of quotes, dashes or spaces',
};

/** Null when every FIND stood in the file as it was written. */
function describeTiers(tiers: readonly EditTier[]): string | null {
  const loose = tiers.flatMap((tier, i) =>
    tier === 'exact' ? [] : [tiers.length === 1 ? TIERS[tier] : `${TIERS[tier]} (FIND ${i + 1})`],
  );
  return loose.length === 0 ? null : `not exactly, but for ${loose.join('; ')}`;
}
