import { explainSystemError, UserError } from '../node/errors.js';
import { files, tryLock } from '../node/file-calls.js';
import { decodeText, MB } from '../node/files.js';
import {
  closeQuietly,
  closing,
  type Folder,
  isAbsent,
  readAll,
  removeIfThere,
  writeAll,
  writeText,
} from '../node/folder.js';
import { processId, sha256 } from '../node/ids.js';
import type { Change } from './commit/change.js';
import { describeError } from './jail.js';
import { acquireLock, type Lock } from './lock.js';
import { inStore, openContent, openOwn, Store } from './store.js';

const INCOMING = 'incoming';
const LARGEST = 24 * MB;

/** Files next to a text: the request of its process, and the leader's answer. */
const REQUEST = '.request';
const ANSWER = '.answer';

/** A submitted text, readable only by this user. It is locked while its process lives. */
export class Incoming {
  constructor(
    private readonly folder: Folder,
    private readonly name: string,
    private readonly file: number,
    private readonly bytes: Uint8Array,
  ) {}

  /** Relative to the root. */
  get path(): string {
    return pathOf(this.name);
  }

  /** Deletes it, in the commit that captures it; undefined if it is gone already. */
  get removal(): Change | undefined {
    if (this.folder.lstat(this.name) === undefined) return undefined;
    return { path: this.path, before: sha256(this.bytes), after: null };
  }

  /** Asks the leader to process it. */
  offer(request: string): void {
    put(this.folder, `${this.name}${REQUEST}`, request);
  }

  /** The leader's answer, once there is one. */
  answer(): string | undefined {
    return readIfThere(this.folder, `${this.name}${ANSWER}`);
  }

  /** Deletes it at once. */
  discard(): void {
    removeIfThere(this.folder, this.name);
  }

  /** Unlocks it; the text stays unless its removal was committed. */
  release(): void {
    for (const suffix of [REQUEST, ANSWER]) removeIfThere(this.folder, `${this.name}${suffix}`);
    closeQuietly(this.file);
    this.folder.close();
  }
}

/** A text that a process offers to the leader. */
export interface Offered {
  path: string;
  text: string;
  request: string;
  removal: Change;
}

const LEADER = 'incoming.lock';

/** The submitted texts of a root, `.teddy/incoming`. Several processes submit at once; one of them processes all. */
export class IncomingTexts {
  constructor(
    private readonly root: string,
    private readonly lockTimeout: number,
  ) {}

  /** Saves a text before anything else happens to it. Throws `UserError` if it cannot. */
  keep(bytes: Uint8Array, options: KeepOptions = {}): Incoming {
    const store = Store.open(this.root);
    try {
      return keepIncoming(store.folder, bytes, options);
    } catch (error) {
      if (error instanceof UserError) throw error;
      const why = explainSystemError(error) ?? `.teddy/incoming cannot be used (${describeError(error)}).`;
      throw new UserError(`The text could not be saved. ${why}`, { cause: error });
    } finally {
      store.close();
    }
  }

  /** Takes a text whose process died; undefined if there is none, or another process has it. */
  take(path: string): Incoming | undefined {
    return inStore(this.root, (folder) => takeIncoming(folder, path));
  }

  /**
   * Waits until this process is the one that processes all offered texts; undefined once `isNeedless`, or when that takes
   * too long. Not the root lock: others can change files meanwhile.
   */
  async lead(isNeedless: () => boolean): Promise<Lock | undefined> {
    const store = Store.open(this.root);
    try {
      return await acquireLock(store.folder, LEADER, this.lockTimeout, isNeedless);
    } finally {
      store.close();
    }
  }

  /** The texts that live processes offer, oldest first. The caller leads. */
  offered(): Offered[] {
    return inStore(this.root, listOffered) ?? [];
  }

  /** Gives the process that offered a text its result. */
  answer(path: string, answer: string): void {
    inStore(this.root, (folder) => answerOffered(folder, path, answer));
  }

  /** The texts of processes that died before they had processed them, relative to the root. */
  left(): string[] {
    return inStore(this.root, listLeftIncoming) ?? [];
  }
}

let kept = 0;

interface KeepOptions {
  /** What is not a result has one, so that it is not taken for one when it is left there. */
  ending?: '.report' | undefined;
  /** It is a copy of a text that is kept elsewhere: nothing waits for the disk. */
  isCopy?: boolean;
}

function keepIncoming(store: Folder, bytes: Uint8Array, { ending, isCopy = false }: KeepOptions): Incoming {
  const folder = openContent(store, INCOMING);
  // Not by chance: hashes and random numbers take milliseconds to load, which who only offers a text is spared.
  const name = `${Date.now().toString(36)}-${processId()}-${kept++}${ending ?? ''}`;
  let file: number | undefined;
  try {
    file = folder.create(name, 0o600);
    // Locked before it holds anything: a file that nobody holds is never one that is still being written. Who looks
    // whether it is held holds it for a moment.
    for (let tries = 0; tries < 100_000 && !tryLock(file); tries++) {}
    writeAll(file, bytes);
    if (!isCopy) {
      files.sync(file);
      folder.sync();
    }
  } catch (error) {
    if (file !== undefined) {
      closeQuietly(file);
      // A part of a text must not be taken for a result.
      removeQuietly(folder, name);
    }
    folder.close();
    throw error;
  }
  return new Incoming(folder, name, file, bytes);
}

function takeIncoming(store: Folder, path: string): Incoming | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (path !== pathOf(name) || !store.lstat(INCOMING)?.isDirectory()) return undefined;
  const folder = openOwn(store, INCOMING);
  let file: number | undefined;
  try {
    file = folder.openToWrite(name);
    const bytes = tryLock(file) ? readAll(file, files.stat(file).size, LARGEST) : undefined;
    if (bytes) return new Incoming(folder, name, file, bytes);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  if (file !== undefined) closeQuietly(file);
  folder.close();
  return undefined;
}

function listOffered(store: Folder): Offered[] {
  return inIncoming(store, (folder) => {
    const names = folder.list().sort();
    clearAway(folder, names);
    return names.flatMap((name) => {
      if (!name.endsWith(REQUEST)) return [];
      const base = name.slice(0, -REQUEST.length);
      // Without its text it is done with, and its process may still have to read the answer.
      if (!names.includes(base)) return [];
      if (isAbandoned(folder, base)) {
        removeIfThere(folder, name);
        return [];
      }
      const text = readIfThere(folder, base);
      const request = readIfThere(folder, name);
      if (text === undefined || request === undefined) return [];
      return [
        {
          path: pathOf(base),
          text,
          request,
          removal: { path: pathOf(base), before: sha256(text), after: null },
        },
      ];
    });
  });
}

const LONGEST_LIFE_MS = 60 * 60 * 1000;

/** What processes left that died before they had read their answer. */
function clearAway(folder: Folder, names: readonly string[]): void {
  for (const name of names) {
    if (!name.endsWith(REQUEST) && !name.endsWith(ANSWER)) continue;
    const age = Date.now() - (folder.lstat(name)?.mtimeMs ?? Date.now());
    if (age > LONGEST_LIFE_MS) removeIfThere(folder, name);
  }
}

function answerOffered(store: Folder, path: string, answer: string): void {
  inIncoming(store, (folder) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    // So that the next leader does not process it again.
    removeIfThere(folder, `${name}${REQUEST}`);
    put(folder, `${name}${ANSWER}`, answer);
    return [];
  });
}

function listLeftIncoming(store: Folder): string[] {
  return inIncoming(store, (folder) =>
    folder
      .list()
      .filter((name) => !name.includes('.') && isAbandoned(folder, name))
      .sort()
      .map(pathOf),
  );
}

function inIncoming<T>(store: Folder, work: (folder: Folder) => T[]): T[] {
  if (!store.lstat(INCOMING)?.isDirectory()) return [];
  const folder = openOwn(store, INCOMING);
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

function pathOf(name: string): string {
  return `.teddy/${INCOMING}/${name}`;
}

function isAbandoned(folder: Folder, name: string): boolean {
  try {
    return (
      folder.lstat(name)?.isFile() === true && closing(folder.openToWrite(name), (file) => tryLock(file))
    );
  } catch {
    // Gone since it was listed.
    return false;
  }
}

/** Whole or not there, but not made to last. */
function put(folder: Folder, name: string, text: string): void {
  const part = `${name}-part`;
  removeIfThere(folder, part);
  try {
    closing(folder.create(part, 0o600), (file) => writeText(file, text));
    folder.rename(part, folder, name);
  } catch (error) {
    removeQuietly(folder, part);
    throw error;
  }
}

function readIfThere(folder: Folder, name: string): string | undefined {
  try {
    const bytes = closing(folder.openToRead(name), (file) => readAll(file, files.stat(file).size, LARGEST));
    const text = bytes && decodeText(bytes);
    return text?.status === 'text' ? text.text : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function removeQuietly(folder: Folder, name: string): void {
  try {
    folder.unlink(name);
  } catch {}
}
