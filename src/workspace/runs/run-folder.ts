import { files } from '../../node/file-calls.js';
import { closing, type Folder, writeText } from '../../node/folder.js';
import type { Lock } from '../lock.js';
import { makeFolder } from '../store.js';
import { appendNote } from './run-notes.js';
import { SEAL_FILE, sealRecord } from './run-seal.js';

const PART = '-part';

/**
 * The folder of a run that is under way: `.teddy/runs/<id>`. Whoever has it holds the run's lock. Its methods throw
 * what the machine throws; what they have written when they return is on disk.
 */
export class RunFolder {
  constructor(
    readonly id: string,
    /** Absolute. */
    readonly path: string,
    private readonly folder: Folder,
    private readonly journal: Folder,
    private readonly lock: Lock,
  ) {}

  /** Relative to the root. */
  get shown(): string {
    return `.teddy/runs/${this.id}`;
  }

  /** A file of the run, whole or not there. */
  write(name: string, text: string): void {
    const part = `${name}${PART}`;
    this.clearParts();
    closing(this.folder.create(part, 0o600), (file) => {
      writeText(file, text);
      files.sync(file);
    });
    this.folder.rename(part, this.folder, name);
    this.folder.sync();
  }

  /** The record of the run, which says that it is over. Its hash is sealed before it is there. */
  writeRecord(name: string, text: string): void {
    const seal = sealRecord(this.folder, this.id, text);
    if (seal !== undefined) this.write(SEAL_FILE, seal);
    this.write(name, text);
  }

  /** Removes what a process that died in the middle of `write` left of it. */
  clearParts(): void {
    for (const name of this.folder.list()) if (name.endsWith(PART)) this.folder.unlink(name);
  }

  /** A folder of the run, made when missing: its absolute path, and the one from the root. */
  makeFolder(name: string): { path: string; shown: string } {
    makeFolder(this.folder, name, 0o700);
    return { path: `${this.path}/${name}`, shown: `${this.shown}/${name}` };
  }

  /** Where what a person types is kept as it is typed: in the journal, since it may hold anything. */
  makeDrafts(): string {
    makeFolder(this.journal, 'drafts', 0o700);
    return `${this.path}/journal/drafts`;
  }

  /** Adds an entry to what is known of the run so far. */
  note(entry: unknown): void {
    appendNote(this.journal, entry);
  }

  /** Ends the run's life: its lock is free, and who finds it without a record takes it for dead. */
  close(): void {
    this.journal.close();
    this.folder.close();
    this.lock.release();
  }
}
