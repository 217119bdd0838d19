import type { ActionRecord } from '../core/report/record.js';
import { Overlay, type Tree } from '../core/tree.js';
import { sha256 } from '../node/ids.js';
import type { Change, CommitResult } from '../workspace/commit/change.js';
import type { CommitNote, ContextStep } from './progress.js';

/** An action that waits for the commit, with the record that it has then. */
export interface Waiting {
  number: number;
  record: ActionRecord;
  /** What it writes to; null for one that only keeps its place in the order. */
  path: string | null;
  context?: ContextStep | undefined;
}

/** Its outcome. `failed`: why it was not done, as a sentence. */
export type WrittenAction = Waiting & { failed: string | undefined };

type Commit = (changes: Change[], note: CommitNote) => Promise<CommitResult>;

/**
 * Writing actions with nothing in between that could see the files: no command, no network, no question. They are staged
 * on one overlay and committed as one. Success is reported only then, and in the plan's order.
 */
export class WriteBatch {
  private overlay: Overlay;
  private waiting: Waiting[] = [];
  private readonly before = new Map<string, string | null>();

  constructor(
    private readonly tree: Tree,
    private readonly commit: Commit,
  ) {
    this.overlay = new Overlay(tree);
  }

  /** The files as they will be once everything staged is committed. */
  get files(): Tree {
    return this.overlay;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  touches(path: string): boolean {
    return this.overlay.changed().has(path);
  }

  stage(
    number: number,
    write: { path: string; before: string | null; after: string },
    record: ActionRecord,
  ): void {
    const { path, before, after } = write;
    if (!this.before.has(path)) this.before.set(path, before);
    this.overlay.write(path, after);
    this.waiting.push({ number, path, record });
  }

  /** Something that writes nothing, behind what is staged. */
  follow(number: number, record: ActionRecord, context?: ContextStep): void {
    this.waiting.push({ number, path: null, record, context });
  }

  /** Commits what is staged, and starts an empty batch. */
  async end(): Promise<WrittenAction[]> {
    const { waiting } = this;
    const changes = [...this.overlay.changed()].map(([path, text]) => this.changeOf(path, text));
    const ended = waiting.flatMap(({ number, path, record }) => (path === null ? [] : [{ number, record }]));
    const result = changes.length === 0 ? NOTHING : await this.commit(changes, { kind: 'actions', ended });
    this.overlay = new Overlay(this.tree);
    this.waiting = [];
    this.before.clear();
    return waiting.map((each) => ({
      ...each,
      record: noteUnkept(each, result),
      failed: each.path === null ? undefined : explain(result, each.path),
    }));
  }

  private changeOf(path: string, text: string): Change {
    const before = this.before.get(path) ?? null;
    return {
      path,
      before: before === null ? null : sha256(before),
      after: new TextEncoder().encode(text),
    };
  }
}

const NOTHING: CommitResult = { status: 'committed', id: '' };

/** The record names the attributes that the file lost by being written. */
function noteUnkept({ record, path }: Waiting, result: CommitResult): ActionRecord {
  const unkept = result.status === 'committed' && result.unkept?.find((each) => each.path === path);
  if (!unkept || record.outcome.status === 'not-run') return record;
  const note = `These extended attributes of ${path} could not be kept: ${unkept.names.join(', ')}.`;
  return { ...record, outcome: { ...record.outcome, notes: [...(record.outcome.notes ?? []), note] } };
}

/** Why the action that writes to `path` is not done. */
function explain(result: CommitResult, path: string): string | undefined {
  switch (result.status) {
    case 'committed':
      return undefined;
    case 'conflict': {
      const own = result.conflicts.find((conflict) => conflict.path === path);
      if (own) return `${path} has changed since review: it ${own.reason}. Nothing was written.`;
      const others = result.conflicts.map((conflict) => conflict.path).join(', ');
      return `Nothing was written: it belongs to the same commit as ${others}, which changed since review.`;
    }
    case 'refused':
      return result.path === path
        ? `${path} ${result.reason}. Nothing was written.`
        : `Nothing was written: it belongs to the same commit as ${result.path}, which ${result.reason}.`;
    case 'failed':
      return `Nothing was written: the system reported an error (${result.reason}).`;
    case 'locked':
      return 'Nothing was written: another teddy process holds the lock on this project.';
    case 'stuck':
      return `Only a part of it was written, and that could not be reverted (${result.reason}). The next teddy command completes or reverts it.`;
  }
}
