import { EntryTable, type TableEntry } from '../../node/entry-table.js';
import { linkHash } from '../commit/change.js';

/** A file or link as it was seen. The hash of a link is that of its target. */
export type StateEntry = TableEntry;

function withLinkHash(entry: TableEntry): StateEntry {
  return entry.target === undefined ? entry : { ...entry, hash: linkHash(entry.target) };
}

/** A table, and what is other than in it: states that follow each other share the table. */
export class StateEntries {
  private constructor(
    readonly table: EntryTable,
    private readonly changes: Map<string, StateEntry | undefined>,
  ) {}

  static of(table: EntryTable): StateEntries {
    return new StateEntries(table, new Map());
  }

  /** The same entries, to be changed apart. */
  fork(): StateEntries {
    return new StateEntries(this.table, new Map(this.changes));
  }

  get isTable(): boolean {
    return this.changes.size === 0;
  }

  has(path: string): boolean {
    if (this.changes.has(path)) return this.changes.get(path) !== undefined;
    return this.table.placeOf(path) !== undefined;
  }

  get(path: string): StateEntry | undefined {
    if (this.changes.has(path)) return this.changes.get(path);
    const place = this.table.placeOf(path);
    return place === undefined ? undefined : withLinkHash(this.table.at(place));
  }

  set(path: string, entry: StateEntry): void {
    this.changes.set(path, entry);
  }

  delete(path: string): void {
    if (this.has(path)) this.changes.set(path, undefined);
  }

  *[Symbol.iterator](): Generator<[string, StateEntry]> {
    yield* this.where(() => true);
    for (const [path, entry] of this.changes) if (entry) yield [path, entry];
  }

  /** Files whose content is nowhere. */
  *lost(): Generator<[string, StateEntry]> {
    yield* this.where((i) => this.table.isLostAt(i));
    for (const [path, entry] of this.changes)
      if (entry?.kind === 'file' && entry.source === null) yield [path, entry];
  }

  private *where(isMeant: (i: number) => boolean): Generator<[string, StateEntry]> {
    for (let i = 0; i < this.table.size; i++) {
      if (!isMeant(i)) continue;
      const path = this.table.pathAt(i);
      if (!this.changes.has(path)) yield [path, withLinkHash(this.table.at(i))];
    }
  }

  /** Where these and others may differ, sorted. */
  differingFrom(others: StateEntries): string[] {
    const paths = new Set([...this.changes.keys(), ...others.changes.keys()]);
    if (this.table !== others.table)
      for (const each of [this.table, others.table])
        for (let i = 0; i < each.size; i++) paths.add(each.pathAt(i));
    return [...paths].sort();
  }

  /** All of it as one table. */
  flatten(): StateEntries {
    if (this.isTable) return this;
    const table = EntryTable.withRoomFor(this.table.size + this.changes.size);
    for (const [path, entry] of this) table.append(path, entry);
    return StateEntries.of(table);
  }
}
