import { MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import type { FolderMove } from '../../workspace/workspace.js';
import { type CaptureProject, describeCommit, readRecordAt } from '../project.js';
import { numbered, PAST_SESSIONS } from './read-log.js';

export type Rotation =
  | {
      status: 'rotated';
      /** Days whose logs were archived, or would be. */
      days: string[];
      /** Names of the files of past sessions. */
      sessions: string[];
      /** What could not be archived. `reason` completes the sentence "<path> …". */
      left: { path: string; reason: string }[];
    }
  /** `reason` is a full sentence. What was moved before is complete in the archive. */
  | { status: 'failed'; reason: string };

const DAYS_KEPT = 30;
const SESSIONS_KEPT = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Limits of one commit. */
const MOST_FILES = 100;
const MOST_BYTES = 32 * MB;

const FILE_LIMIT = 128 * MB;

/**
 * Archives logs that are more than 30 days old, and all sessions but the last 10. Each day is moved in one step; if the
 * archive already has that day, its files are moved by commits. Nothing is deleted: a name that is taken gets `-2`, and
 * summaries and the ledger do not change. `today` is `2026-01-26`. Never throws.
 */
export async function rotateLogs(
  project: CaptureProject,
  today: string,
  { dryRun = false } = {},
): Promise<Rotation> {
  try {
    return await new Rotating(project, today).run(dryRun);
  } catch (error) {
    return { status: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

class Rotating {
  private readonly left: { path: string; reason: string }[] = [];

  constructor(
    private readonly project: CaptureProject,
    private readonly today: string,
  ) {}

  async run(dryRun: boolean): Promise<Rotation> {
    const { workspace } = this.project;
    const [days, sessions] = workspace.view((view) => [this.oldDays(view), this.oldSessions(view)]);
    if (!dryRun) {
      await this.moveDays();
      for (const day of workspace.view((view) => this.oldDays(view)))
        await this.moveFiles(`executions/${day}`, `archive/${day}`, (view) => this.filesOf(view, day));
      await this.moveFiles('sessions', PAST_SESSIONS, (view) => this.oldSessions(view));
    }
    return { status: 'rotated', days, sessions, left: this.left };
  }

  /** Moves whole folders that are not in the archive yet. */
  private async moveDays(): Promise<void> {
    const { workspace, dir } = this.project;
    const moved = await workspace.moveFolders((view) =>
      this.oldDays(view).map(
        (day): FolderMove => ({ from: `${dir}/executions/${day}`, to: `${dir}/archive/${day}` }),
      ),
    );
    if (moved.status !== 'moved') throw new Error(describeCommit(NOT_MOVED, moved));
  }

  /** Days with something in them. */
  private oldDays(view: View): string[] {
    const folder = `${this.project.dir}/executions`;
    return view
      .list(folder)
      .filter((day) => this.isOld(day) && view.isFolder(folder, day) && this.filesOf(view, day).length > 0);
  }

  private isOld(day: string): boolean {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
    return Date.parse(this.today) - Date.parse(day) > DAYS_KEPT * DAY_MS;
  }

  private filesOf(view: View, day: string): string[] {
    return view.list(`${this.project.dir}/executions/${day}`);
  }

  private oldSessions(view: View): string[] {
    const folder = `${this.project.dir}/sessions`;
    return view
      .list(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name, at: lastUpdate(view, `${folder}/${name}`) }))
      .sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? 1 : -1))
      .slice(SESSIONS_KEPT)
      .map(({ name }) => name);
  }

  private async moveFiles(from: string, to: string, choose: (view: View) => string[]): Promise<void> {
    for (;;) {
      const moved = await this.project.workspace.update((view) => {
        const changes = this.moveSome(view, from, to, choose(view));
        return { changes, value: changes.length };
      });
      if (moved.status !== 'committed') throw new Error(describeCommit(NOT_MOVED, moved));
      if (moved.value === 0) return;
    }
  }

  /** As many as one commit may hold. */
  private moveSome(view: View, from: string, to: string, names: readonly string[]): Change[] {
    const { dir } = this.project;
    const changes: Change[] = [];
    const taken = new Set(view.list(`${dir}/${to}`));
    let bytes = 0;
    for (const name of names) {
      if (changes.length >= 2 * MOST_FILES || bytes >= MOST_BYTES) break;
      const path = `${dir}/${from}/${name}`;
      if (this.left.some((each) => each.path === path)) continue;
      const read = view.read(path, FILE_LIMIT);
      if (read.status !== 'bytes') {
        this.left.push({ path, reason: read.status === 'refused' ? read.reason : 'is a broken link' });
        continue;
      }
      const free = freeName(name, taken);
      taken.add(free);
      bytes += read.size;
      changes.push(
        { path: `${dir}/${to}/${free}`, before: null, after: read.bytes },
        { path, before: sha256(read.bytes), after: null },
      );
    }
    return changes;
  }
}

const NOT_MOVED = 'Not all logs were archived';

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(numbered(name, number))) number++;
  return numbered(name, number);
}

/** A session that cannot be read counts as the oldest. */
function lastUpdate(view: View, path: string): string {
  try {
    return readRecordAt(view, path, { last_updated: '' })?.last_updated ?? '';
  } catch {
    return '';
  }
}
