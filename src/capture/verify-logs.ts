import { sha256 } from '../platform/index.js';
import type { View } from '../workspace/index.js';
import { FIRST_PREV } from './ledger.js';
import { entryOf, type LedgerLine, ledgerLines } from './ledger-lines.js';
import { eachWithView, findLog, type LogStock, takeStock } from './log-files.js';
import { type CaptureProject, logFiles, readRecordAt } from './project.js';
import type { LedgerEntry, SessionRecord } from './records.js';

export interface LogCheck {
  ok: boolean;
  /** Lines of the ledger. */
  entries: number;
  problems: LogProblem[];
}

export interface LogProblem {
  code: LogProblemCode;
  /** A whole sentence, or two. */
  message: string;
  /** Of the ledger. */
  line?: number;
  /** From the root: the file that is not as it should be, where it is not the ledger. */
  path?: string;
}

export type LogProblemCode =
  /** A line is nothing that teddy writes; does not hold the hash of the line before; has not the next number. */
  | 'ledger-line'
  | 'ledger-chain'
  | 'ledger-number'
  /** The last line has no line ending. */
  | 'ledger-open'
  /** A session saw more lines than there are; saw another line; cannot be read. */
  | 'ledger-short'
  | 'session-head'
  | 'session-damaged'
  /** The log that a line names. */
  | 'log-missing'
  | 'log-changed'
  | 'log-unreadable'
  /** Two lines have the same log, or the same id for one plan. */
  | 'log-twice'
  | 'id-twice'
  /** A log that no line names. */
  | 'log-unnamed';

/** Where a session saw the ledger end. */
interface Mark {
  path: string;
  count: number;
  head: string;
}

/**
 * Whether the ledger is the one that teddy wrote, line by line, and every log the one that it names. Waits for its turn
 * to take stock, so that a result on its way is not taken for a problem; the rest needs no lock. Where the lock cannot
 * be had, it looks all the same. Throws `Unusable` where the ledger cannot be read.
 */
export async function verifyLogs(project: CaptureProject): Promise<LogCheck> {
  const problems: LogProblem[] = [];
  const look = (view: View) => ({
    stock: takeStock(view, project),
    marks: readMarks(view, project, problems),
  });
  const locked = await project.workspace.update((view) => ({ changes: [], value: look(view) }));
  const { stock, marks } = locked.status === 'committed' ? locked.value : project.workspace.view(look);
  const check = new Check(project, marks, problems);
  eachWithView(project, ledgerLines(project, 0, stock.ledgerSize), (view, line) => check.add(view, line));
  check.end(stock);
  return { ok: problems.length === 0, entries: check.count, problems };
}

/** That of a session without results. */
const NO_MARK = { ledger: { count: 0, head: '' } };

function readMarks(view: View, project: CaptureProject, problems: LogProblem[]): Mark[] {
  const folder = `${project.dir}/sessions`;
  const past = view.list(folder).filter((name) => name.endsWith('.json'));
  return [logFiles.session(project), ...past.map((name) => `${folder}/${name}`)].flatMap((path) => {
    try {
      const ledger = readRecordAt<Pick<SessionRecord, 'ledger'>>(view, path, NO_MARK)?.ledger;
      if (ledger === undefined || ledger.count === 0) return [];
      if (typeof ledger.count === 'number' && typeof ledger.head === 'string') return [{ path, ...ledger }];
    } catch {}
    const message = `${path} is not the JSON that teddy writes, so it cannot say where it saw the ledger end.`;
    problems.push({ code: 'session-damaged', message, path });
    return [];
  });
}

class Check {
  count = 0;
  /** Of the line before. */
  private head = FIRST_PREV;
  private number = 0;
  private open = false;
  private readonly ids = new Map<string, number>();
  /** Where each log is, and the line that names it. */
  private readonly named = new Map<string, number>();
  private readonly marks = new Map<number, Mark[]>();

  constructor(
    private readonly project: CaptureProject,
    marks: readonly Mark[],
    private readonly problems: LogProblem[],
  ) {
    for (const mark of marks) this.marks.set(mark.count, [...(this.marks.get(mark.count) ?? []), mark]);
  }

  add(view: View, line: LedgerLine): void {
    this.count++;
    const hash = sha256(line.bytes);
    const entry = entryOf(line);
    if (entry) this.addEntry(view, entry);
    else this.report('ledger-line', 'is not a line that teddy writes');
    for (const { path, head } of this.marks.get(this.count) ?? [])
      if (head !== hash) this.report('session-head', `is not the line that ${path} saw there`, path);
    this.marks.delete(this.count);
    this.head = hash;
    this.number = entry?.n ?? this.number + 1;
    this.open = !line.ended;
  }

  private addEntry(view: View, entry: LedgerEntry): void {
    if (entry.prev !== this.head)
      this.report(
        'ledger-chain',
        this.count === 1
          ? 'is not the first that was written: lines before it were removed'
          : `does not follow line ${this.count - 1}: a line was changed, removed or moved here`,
      );
    else if (entry.n !== this.number + 1)
      this.report('ledger-number', `has the number ${entry.n}, not ${this.number + 1}`);
    const key = `${entry.plan}\0${entry.id}`;
    const other = this.ids.get(key);
    if (other === undefined) this.ids.set(key, this.count);
    else this.report('id-twice', `has the same id as line ${other}, so one result was applied twice`);
    this.addLog(view, entry);
  }

  private addLog(view: View, entry: LedgerEntry): void {
    const found = findLog(view, this.project, entry.log, entry.sha256, this.named);
    if (found.status === 'missing') {
      const path = `${this.project.dir}/${entry.log}`;
      this.report('log-missing', `names ${path}, which is neither there nor in the archive`, path);
      return;
    }
    const path = `${this.project.dir}/${found.path}`;
    const other = this.named.get(found.path);
    if (other === undefined) this.named.set(found.path, this.count);
    else this.report('log-twice', `names ${path}, as line ${other} does`, path);
    if (found.status === 'refused')
      this.report('log-unreadable', `names ${path}, which ${found.reason}`, path);
    else if (!found.intact)
      this.report('log-changed', `names ${path}, which was changed after it was written`, path);
  }

  /** What is only known at the end. */
  end({ logs }: LogStock): void {
    const ledger = logFiles.ledger(this.project);
    if (this.open) this.report('ledger-open', 'is the last and has no line ending: its end may be cut off');
    for (const { path, count } of [...this.marks.values()].flat()) {
      const message = `${ledger} has ${this.count} lines, but ${path} saw ${count}: lines were removed at its end.`;
      this.problems.push({ code: 'ledger-short', message, path });
    }
    const unnamed = [...logs].filter((log) => !this.named.has(log));
    eachWithView(this.project, unnamed, (view, log) => {
      const path = `${this.project.dir}/${log}`;
      // It may have gone to the archive in the meantime, and been found there.
      if (view.look(path) === 'missing') return;
      const message = `${path} is a log that no line of ${ledger} names.`;
      this.problems.push({ code: 'log-unnamed', message, path });
    });
  }

  private report(code: LogProblemCode, what: string, path?: string): void {
    const message = `Line ${this.count} of ${logFiles.ledger(this.project)} ${what}.`;
    this.problems.push({ code, message, line: this.count, ...(path !== undefined && { path }) });
  }
}
