import type { View } from '../../workspace/view.js';
import { emptyPlan, emptyProject } from '../metrics/counters.js';
import type { KnownResult } from '../metrics/records.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import { PAST_SESSIONS } from './log-files.js';

// Other files than the ledger that say what it should hold. All paths are from the root.

/** Where a session saw the ledger end. */
export interface Mark {
  path: string;
  count: number;
  head: string;
}

/** A result that the record of a plan counts. */
export interface CountedResult extends KnownResult {
  path: string;
  plan: string;
  id: string;
}

export interface Witnesses {
  marks: Mark[];
  /** Whether the current session has a file. */
  hasSession: boolean;
  results: CountedResult[];
  /** How many results the project's record counts. */
  sum: number;
  /** What cannot be read. */
  damaged: { kind: 'session' | 'record'; path: string }[];
}

export function hearWitnesses(view: View, project: CaptureProject): Witnesses {
  const damaged: Witnesses['damaged'] = [];
  const read = <T extends object>(kind: 'session' | 'record', path: string, like: T): T | undefined => {
    try {
      return readRecordAt(view, path, like);
    } catch {
      damaged.push({ kind, path });
      return undefined;
    }
  };
  const current = logFiles.session(project);
  const marks = [
    current,
    ...filesIn(view, `${project.dir}/sessions`),
    ...filesIn(view, `${project.dir}/${PAST_SESSIONS}`),
  ].flatMap((path) => {
    const ledger = read('session', path, NO_MARK)?.ledger;
    return ledger && ledger.count > 0 ? [{ path, ...ledger }] : [];
  });
  const results = filesIn(view, `${project.dir}/summary`, 'plan-').flatMap((path) => {
    const { plan_id: plan, ids } = read('record', path, emptyPlan('')) ?? emptyPlan('');
    return Object.entries(ids).map(([id, known]) => ({ path, plan, id, ...known }));
  });
  const sum = read('record', logFiles.project(project), emptyProject())?.results ?? 0;
  return { marks, hasSession: view.look(current) !== 'missing', results, sum, damaged };
}

/** That of a session without results. */
const NO_MARK = { ledger: { count: 0, head: '' } };

function filesIn(view: View, folder: string, start = ''): string[] {
  return view
    .list(folder)
    .filter((name) => name.startsWith(start) && name.endsWith('.json'))
    .map((name) => `${folder}/${name}`);
}
