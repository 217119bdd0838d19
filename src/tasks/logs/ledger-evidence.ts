import type { View } from '../../workspace/view.js';
import type { KnownResult } from '../metrics/records.js';
import { emptyPlan, emptyProject } from '../metrics/summaries.js';
import { type CaptureProject, logFiles, readRecordFile } from '../project.js';
import { PAST_SESSIONS } from './log-files.js';

/** Where a session saw the ledger end. */
export interface LedgerMark {
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

/** What sessions and summaries say the ledger should hold. All paths are from the root. */
export interface LedgerEvidence {
  marks: LedgerMark[];
  /** Whether the current session has a file. */
  hasSession: boolean;
  results: CountedResult[];
  /** How many results the project's record counts. */
  sum: number;
  damagedSessions: string[];
  damagedRecords: string[];
}

export function readEvidence(view: View, project: CaptureProject): LedgerEvidence {
  const damagedSessions: string[] = [];
  const damagedRecords: string[] = [];
  const read = <T extends object>(path: string, like: T, damaged: string[]): T => {
    const found = readRecordFile(view, path, like);
    if (found.status === 'damaged') damaged.push(path);
    return found.status === 'record' ? found.value : like;
  };
  const current = logFiles.session(project);
  const sessions = [
    current,
    ...jsonFilesIn(view, `${project.dir}/sessions`),
    ...jsonFilesIn(view, `${project.dir}/${PAST_SESSIONS}`),
  ];
  const marks = sessions.map((path) => ({ path, ...read(path, NO_MARK, damagedSessions).ledger }));
  const results = jsonFilesIn(view, `${project.dir}/summary`, 'plan-').flatMap((path) => {
    const { plan_id: plan, ids } = read(path, emptyPlan(''), damagedRecords);
    return Object.entries(ids).map(([id, known]) => ({ path, plan, id, ...known }));
  });
  return {
    marks: marks.filter(({ count }) => count > 0),
    hasSession: view.look(current) !== 'missing',
    results,
    sum: read(logFiles.project(project), emptyProject(), damagedRecords).results,
    damagedSessions,
    damagedRecords,
  };
}

/** That of a session without results. */
const NO_MARK = { ledger: { count: 0, head: '' } };

function jsonFilesIn(view: View, folder: string, start = ''): string[] {
  return view
    .list(folder)
    .filter((name) => name.startsWith(start) && name.endsWith('.json'))
    .map((name) => `${folder}/${name}`);
}
