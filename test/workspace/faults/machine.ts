import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type FileCall, setFileSeam } from '../../../src/node/file-calls.js';
import { userKey } from '../../../src/node/user-folders.js';
import { UserTrees } from '../../../src/workspace/root.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { failure, MemoryDisk } from './memory-disk.js';
import { describe, type Entries, type Scenario, type Snapshot } from './scenario.js';

/** Where a commit happens: a real folder, or a disk in memory. */
export interface Machine {
  readonly root: string;
  perform(call: FileCall, args: readonly unknown[], real: (args: readonly unknown[]) => unknown): unknown;
  /** What the end of a process does. */
  dropHandles(): void;
  readonly openHandles: number;
  snapshot(): Snapshot;
  /** With `.teddy`. */
  everything(): Snapshot;
  /** The names in `.teddy/<path>`. */
  list(path: string): string[];
  read(path: string): Buffer | undefined;
}

/** Of the call numbered `index`: make it, or do something else. */
export type Injection = (
  index: number,
  call: FileCall,
  perform: (args?: readonly unknown[]) => unknown,
) => unknown;

export type Ended<T> =
  | { how: 'returned'; value: T; calls: number }
  | { how: 'died'; calls: number }
  | { how: 'threw'; error: unknown; calls: number };

class Dead extends Error {}

const LOCK_TIMEOUT = 100;

/** For what has to be a real file: gone when the tests are over. */
const realFolder = fs.mkdtempSync(join(tmpdir(), 'teddy-faults-'));
afterAll(() => fs.rmSync(realFolder, { recursive: true, force: true }));

// This user's key is read once per process; commits that are disturbed find it there. See commit-key.test.ts.
process.env.XDG_STATE_HOME = join(realFolder, 'state');
userKey();
// So is where this user's own folders are.
UserTrees.of(realFolder);

export const nothing: Injection = (_index, _call, perform) => perform();

/** Runs `work` as a process of its own would, with `inject` between it and the machine. */
export async function attempt<T>(
  machine: Machine,
  inject: Injection,
  work: (workspace: Workspace) => Promise<T>,
): Promise<Ended<T>> {
  let calls = 0;
  let dead = false;
  setFileSeam((call, real) => {
    if (dead) throw new Dead();
    try {
      return inject(calls++, call, (args = call.args) => machine.perform(call, args, real));
    } catch (error) {
      if (error instanceof Dead) dead = true;
      throw error;
    }
  });
  try {
    const value = await work(new Workspace(machine.root, machine.root, LOCK_TIMEOUT));
    return dead ? { how: 'died', calls } : { how: 'returned', value, calls };
  } catch (error) {
    return dead ? { how: 'died', calls } : { how: 'threw', error, calls };
  } finally {
    setFileSeam(undefined);
    if (dead) machine.dropHandles();
  }
}

/** Ends the process, as far as the machine can tell. */
export function die(): never {
  throw new Dead();
}

/** The process ends before call `at`, as SIGKILL would end it: nothing it does after that happens. */
export function dieBefore(at: number, otherwise: Injection = nothing): Injection {
  return (index, call, perform) => {
    if (index >= at) die();
    return otherwise(index, call, perform);
  };
}

export type Fault = 'ENOSPC' | 'EIO' | 'EACCES' | 'EIO after' | 'half, then ENOSPC';

export const FAULTS: Fault[] = ['ENOSPC', 'EIO', 'EACCES', 'EIO after', 'half, then ENOSPC'];

/** `when` says at which calls. A file that cannot be closed is closed all the same, as Linux has it. */
export function fail(fault: Fault, when: (index: number) => boolean): Injection {
  return (index, call, perform) => {
    if (!when(index)) return perform();
    if (fault === 'half, then ENOSPC') {
      if (call.name === 'write') perform(shorter(call.args, 2));
      else if (call.name === 'close') perform();
      throw failure('ENOSPC');
    }
    if (fault === 'EIO after' || call.name === 'close') perform();
    throw failure(fault === 'EIO after' ? 'EIO' : fault);
  };
}

/** The arguments of a write, cut down to one part of its length, at least one byte. */
export function shorter(args: readonly unknown[], divisor: number): readonly unknown[] {
  const [file, bytes, offset, length, position] = args as [number, Uint8Array, number, number, number | null];
  const part = length <= 1 ? length : Math.max(1, Math.floor(length / divisor));
  return [file, bytes, offset, part, position];
}

export type Arrangement = 'plain' | 'apart' | 'linkless';

/** A machine in memory, and copies of it. */
export class MemoryMachine implements Machine {
  readonly root = '/disk';

  constructor(readonly disk: MemoryDisk) {}

  static of(entries: Entries, arrangement: Arrangement = 'plain'): MemoryMachine {
    return new MemoryMachine(
      MemoryDisk.of(entries, join(realFolder, 'lock'), {
        apart: arrangement === 'apart',
        linkless: arrangement === 'linkless',
      }),
    );
  }

  fork(): MemoryMachine {
    return new MemoryMachine(this.disk.fork());
  }

  perform(call: FileCall, args: readonly unknown[]): unknown {
    return this.disk.call(call.name, args);
  }

  dropHandles(): void {
    this.disk.dropHandles();
  }

  get openHandles(): number {
    return this.disk.openHandles;
  }

  snapshot(): Snapshot {
    return this.disk.snapshot();
  }

  everything(): Snapshot {
    return this.disk.everything();
  }

  list(path: string): string[] {
    return this.disk.list(`.teddy/${path}`);
  }

  read(path: string): Buffer | undefined {
    return this.disk.read(path);
  }
}

/** A folder on a real file system. */
export class RealMachine implements Machine {
  private readonly handles = new Set<number>();

  constructor(readonly root: string) {}

  static of(entries: Entries, root: string): RealMachine {
    for (const [path, entry] of Object.entries(entries)) {
      const full = join(root, path);
      if (entry.kind === 'link') fs.symlinkSync(entry.target, full);
      else if (entry.kind === 'folder') fs.mkdirSync(full);
      else fs.writeFileSync(full, entry.bytes);
      if (entry.kind !== 'link') fs.chmodSync(full, entry.mode);
    }
    return new RealMachine(root);
  }

  perform(call: FileCall, args: readonly unknown[], real: (args: readonly unknown[]) => unknown): unknown {
    const result = real(args);
    if (call.name === 'open') this.handles.add(result as number);
    if (call.name === 'close') this.handles.delete(args[0] as number);
    return result;
  }

  dropHandles(): void {
    for (const handle of this.handles) fs.closeSync(handle);
    this.handles.clear();
  }

  get openHandles(): number {
    return this.handles.size;
  }

  snapshot(): Snapshot {
    return Object.fromEntries(
      Object.entries(this.everything()).filter(([path]) => !/^\.teddy(?:\/|$)/.test(path)),
    );
  }

  everything(): Snapshot {
    const lines: Snapshot = {};
    const visit = (folder: string) => {
      for (const name of fs.readdirSync(join(this.root, folder)).sort()) {
        const path = folder === '' ? name : `${folder}/${name}`;
        const full = join(this.root, path);
        const stats = fs.lstatSync(full);
        const mode = stats.mode & 0o7777;
        const owner = `${stats.uid}:${stats.gid}`;
        if (stats.isSymbolicLink()) lines[path] = describe({ kind: 'link', target: fs.readlinkSync(full) });
        else if (stats.isDirectory()) {
          lines[path] = describe({ kind: 'folder', mode }, owner);
          visit(path);
        } else lines[path] = describe({ kind: 'file', mode, bytes: fs.readFileSync(full) }, owner);
      }
    };
    visit('');
    return lines;
  }

  list(path: string): string[] {
    const folder = join(this.root, '.teddy', path);
    return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  }

  read(path: string): Buffer | undefined {
    const full = join(this.root, path);
    return fs.existsSync(full) ? fs.readFileSync(full) : undefined;
  }
}

/** Commits the changes of a scenario. */
export function commit(scenario: Scenario) {
  const options = scenario.run === undefined ? {} : { run: scenario.run };
  return (workspace: Workspace) => workspace.commit(scenario.changes, options);
}

export const recovering = (workspace: Workspace) => workspace.recover();

/** A machine with the scenario's files, and `.teddy` unless it is for the commit to make. */
export async function prepared(
  scenario: Scenario,
  arrangement: Arrangement = 'plain',
): Promise<MemoryMachine> {
  const machine = MemoryMachine.of(scenario.entries, arrangement);
  if (!scenario.cold) await attempt(machine, nothing, recovering);
  return machine.fork();
}
