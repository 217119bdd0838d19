import { addToGroup } from '../../core/groups.js';
import { countUnits, listFirst } from '../../core/text.js';
import { sha256 } from '../../node/ids.js';
import type { View } from '../../workspace/view.js';
import type { KnownResult, LedgerEntry } from '../metrics/records.js';
import { emptyPlan, emptyProject } from '../metrics/summaries.js';
import { type CaptureProject, logFiles, readRecordFile } from '../project.js';
import { entryOf, FIRST_PREV, type LedgerLine, ledgerLines } from './ledger.js';
import type { LoggedResult } from './read-log.js';
import { eachWithView, findLog, type LogStock, PAST_SESSIONS, takeStock } from './read-log.js';

export interface LogCheck {
  ok: boolean;
  /** Lines of the ledger. */
  entries: number;
  problems: LogProblem[];
}

interface LogProblem {
  code: LogProblemCode;
  /** One or two full sentences. */
  message: string;
  /** Of the ledger. */
  line?: number;
  /** The path, from the root, of the file with the problem, if it is not the ledger. */
  path?: string;
}

/** docs/formats/logs.md says what each means. */
type LogProblemCode =
  | 'ledger-line'
  | 'ledger-chain'
  | 'ledger-number'
  | 'ledger-open'
  | 'ledger-short'
  | 'session-head'
  | 'ledger-unseen'
  | 'session-missing'
  | 'session-damaged'
  | 'record-damaged'
  | 'log-missing'
  | 'log-changed'
  | 'log-unreadable'
  | 'log-differs'
  | 'log-twice'
  | 'id-twice'
  | 'log-unnamed'
  | 'result-lost';

/**
 * Checks that the ledger is as teddy wrote it, line by line, that every log is the one it names, and that sessions and
 * summaries know of no further results. Lists the files under the lock, so that a result being captured is not reported as
 * a problem; without the lock if it cannot be had. Throws `UserError` if the ledger cannot be read.
 */
export async function verifyLogs(
  project: CaptureProject,
  onProgress: (checked: number, all: number) => void = () => {},
): Promise<LogCheck> {
  const read = (view: View) => ({ stock: takeStock(view, project), evidence: readEvidence(view, project) });
  const locked = await project.workspace.update((view) => ({ changes: [], value: read(view) }));
  const { stock, evidence } = locked.status === 'committed' ? locked.value : project.workspace.view(read);
  const check = new LedgerCheck(project, evidence);
  eachWithView(project, ledgerLines(project, 0, stock.ledgerSize), (view, line) => {
    check.add(view, line);
    onProgress(check.count, Math.max(check.count, stock.logs.size));
  });
  check.end(stock);
  const { problems, count } = check;
  return { ok: problems.length === 0, entries: count, problems };
}

const NOT_OURS = 'is not JSON written by teddy';

class LedgerCheck {
  readonly problems: LogProblem[] = [];
  /** Lines so far, and how many of them are foreign lines between teddy's own. */
  count = 0;
  private strange = 0;
  /** How many unreadable lines precede this one; each may have replaced one of teddy's. */
  private gap = 0;
  private entries = 0;
  /** Of the line before. */
  private head = FIRST_PREV;
  private number = 0;
  private open = false;
  private readonly ids = new Map<string, number>();
  /** Where each log is, and the line that names it. */
  private readonly named = new Map<string, number>();
  /** By the count at which the ledger was seen. `line`: the last that may be meant, and is another. */
  private readonly marks = new Map<number, (LedgerMark & { line?: number })[]>();
  /** Logs that no line has named so far. */
  private readonly lost = new Map<string, CountedResult>();
  private isSeen = false;

  constructor(
    private readonly project: CaptureProject,
    private readonly evidence: LedgerEvidence,
  ) {
    for (const mark of evidence.marks) addToGroup(this.marks, mark.count, mark);
    for (const result of evidence.results) this.lost.set(keyOf(result), result);
    for (const path of evidence.damagedSessions)
      this.tell(
        'session-damaged',
        `${path} ${NOT_OURS}, so the end of the ledger cannot be checked with it.`,
        path,
      );
    for (const path of evidence.damagedRecords)
      this.tell(
        'record-damaged',
        `${path} ${NOT_OURS}, so its results cannot be checked. \`teddy metrics --rebuild\` recreates it from the logs.`,
        path,
      );
  }

  add(view: View, line: LedgerLine): void {
    this.count++;
    const entry = entryOf(line);
    if (entry) this.addEntry(view, entry);
    else {
      this.gap++;
      this.report('ledger-line', 'was not written by teddy');
    }
    this.head = sha256(line.bytes);
    this.open = !line.ended;
    this.compareMarks(this.count - this.strange);
  }

  private compareMarks(place: number): void {
    const marks = this.marks.get(place) ?? [];
    this.isSeen = marks.length > 0;
    const others = marks.filter(({ head }) => head !== this.head);
    for (const mark of others) mark.line = this.count;
    if (others.length > 0) this.marks.set(place, others);
    else this.marks.delete(place);
  }

  private addEntry(view: View, entry: LedgerEntry): void {
    const next = this.number + 1;
    const isNext = entry.n >= next && entry.n <= next + this.gap;
    if (entry.prev !== this.head)
      this.report(
        'ledger-chain',
        this.count === 1
          ? 'was not the first line: lines before it were removed'
          : `does not follow line ${this.count - 1}: a line was changed, removed or moved here`,
      );
    else if (!isNext) this.report('ledger-number', `has the number ${entry.n}, not ${next + this.gap}`);
    if (isNext) this.strange += next + this.gap - entry.n;
    this.gap = 0;
    this.number = entry.n;
    this.entries++;
    const key = keyOf(entry);
    const other = this.ids.get(key);
    if (other === undefined) this.ids.set(key, this.count);
    else this.report('id-twice', `has the same id as line ${other}, so one result was applied twice`);
    const counted = this.lost.get(key);
    if (counted?.log === entry.log && counted.text === entry.text) this.lost.delete(key);
    this.addLog(view, entry);
  }

  private addLog(view: View, entry: LedgerEntry): void {
    const found = findLog(view, this.project, entry.log, entry.sha256, this.named);
    if (found.status === 'missing') {
      const path = `${this.project.dir}/${entry.log}`;
      this.report('log-missing', `names ${path}, which is missing, in the archive too`, path);
      return;
    }
    const path = `${this.project.dir}/${found.path}`;
    const other = this.named.get(found.path);
    if (other === undefined) this.named.set(found.path, this.count);
    else this.report('log-twice', `names ${path}, as line ${other} does`, path);
    if (found.status === 'unreadable')
      this.report('log-unreadable', `names ${path}, which ${found.reason}`, path);
    else if (found.status === 'changed')
      this.report('log-changed', `names ${path}, which was changed after it was written`, path);
    else this.compareLog(entry, path, found.log);
  }

  private compareLog(entry: LedgerEntry, path: string, { facts }: LoggedResult): void {
    const logged = {
      plan: facts.planId,
      task: facts.taskIndex,
      at: facts.loggedAt,
      status: facts.status,
      claimed: facts.claimed,
    };
    const differences = (Object.keys(logged) as (keyof typeof logged)[])
      .filter((field) => entry[field] !== logged[field])
      .map((field) => `${field} ${JSON.stringify(entry[field])} and not ${JSON.stringify(logged[field])}`);
    if (differences.length > 0)
      this.report('log-differs', `says ${differences.join(', ')}, as ${path} does`, path);
  }

  /** Problems that are only known at the end. */
  end({ logs }: LogStock): void {
    const ledger = logFiles.ledger(this.project);
    const marks = [...this.marks.values()].flat();
    for (const { line, path } of marks)
      if (line !== undefined)
        this.report('session-head', `differs from the line recorded in ${path}`, path, line);
    if (this.open)
      this.report('ledger-open', 'is the last line and has no line ending: it may be incomplete');
    const short = marks.filter(({ line }) => line === undefined);
    for (const { path, count } of short)
      this.tell(
        'ledger-short',
        `${ledger} has ${this.count} lines, but ${path} recorded ${count}: lines were removed at its end.`,
        path,
      );
    if (short.length === 0) this.endUnseen();
    const unnamed = this.endLogs(logs);
    this.endLost(unnamed, short.length > 0);
  }

  /** No later line contains the hash of the last one. */
  private endUnseen(): void {
    const session = logFiles.session(this.project);
    if (this.count === 0) return;
    if (!this.evidence.hasSession) {
      const message = `${session} is missing, though there are results: the end of the ledger cannot be checked.`;
      this.tell('session-missing', message, session);
    } else if (!this.isSeen && this.gap === 0 && this.evidence.damagedSessions.length === 0)
      this.report(
        'ledger-unseen',
        'is the last line, and no batch recorded it: the line or a batch file was added or changed',
      );
  }

  private endLogs(logs: ReadonlySet<string>): Set<string> {
    const unnamed = new Set<string>();
    const left = [...logs].filter((log) => !this.named.has(log));
    eachWithView(this.project, left, (view, log) => {
      const path = `${this.project.dir}/${log}`;
      // It may have been archived in the meantime, and found there.
      if (view.look(path) === 'missing') return;
      unnamed.add(log.replace(/^archive\//, 'executions/'));
      this.tell(
        'log-unnamed',
        `${path} is a log that no line of ${logFiles.ledger(this.project)} names.`,
        path,
      );
    });
    return unnamed;
  }

  /** A result whose log still exists was reported with the log. */
  private endLost(unnamed: ReadonlySet<string>, isShort: boolean): void {
    const ledger = logFiles.ledger(this.project);
    const byPath = new Map<string, string[]>();
    for (const { path, id, log } of this.lost.values()) if (!unnamed.has(log)) addToGroup(byPath, path, id);
    for (const [path, ids] of byPath) {
      const count = countUnits(ids.length, 'result');
      this.tell(
        'result-lost',
        `${path} counts ${count} that no line of ${ledger} names: ${listFirst(ids)}.`,
        path,
      );
    }
    const known = this.entries + unnamed.size;
    if (byPath.size > 0 || isShort || this.evidence.sum <= known) return;
    const path = logFiles.project(this.project);
    this.tell(
      'result-lost',
      `${path} counts ${this.evidence.sum} results, but ${ledger} names ${known}.`,
      path,
    );
  }

  private report(code: LogProblemCode, what: string, path?: string, line = this.count): void {
    const message = `Line ${line} of ${logFiles.ledger(this.project)} ${what}.`;
    this.problems.push({ code, message, line, ...(path !== undefined && { path }) });
  }

  private tell(code: LogProblemCode, message: string, path: string): void {
    this.problems.push({ code, message, path });
  }
}

function keyOf({ plan, id }: { plan: string; id: string }): string {
  return `${plan}\0${id}`;
}

/** Where a session saw the ledger end. */
interface LedgerMark {
  path: string;
  count: number;
  head: string;
}

/** A result that the record of a plan counts. */
interface CountedResult extends KnownResult {
  path: string;
  plan: string;
  id: string;
}

/** What sessions and summaries say about the ledger's content. All paths are from the root. */
interface LedgerEvidence {
  marks: LedgerMark[];
  /** Whether the current session has a file. */
  hasSession: boolean;
  results: CountedResult[];
  /** How many results the project's record counts. */
  sum: number;
  damagedSessions: string[];
  damagedRecords: string[];
}

function readEvidence(view: View, project: CaptureProject): LedgerEvidence {
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

/** The mark of a session without results. */
const NO_MARK = { ledger: { count: 0, head: '' } };

function jsonFilesIn(view: View, folder: string, start = ''): string[] {
  return view
    .list(folder)
    .filter((name) => name.startsWith(start) && name.endsWith('.json'))
    .map((name) => `${folder}/${name}`);
}
