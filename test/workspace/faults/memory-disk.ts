import { hash as hashOnce } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import type { FileCallName } from '../../../src/node/file-calls.js';
import { describe, type Entries, type Entry, hash, type Snapshot } from './scenario.js';

/** A file, folder or link. */
interface Node {
  id: number;
  kind: 'file' | 'folder' | 'link';
  mode: number;
  uid: number;
  gid: number;
  device: number;
  /** Never changed in place. */
  bytes: Buffer;
  target: string;
  entries: Map<string, number>;
  born: number;
  modified: number;
  changed: number;
}

/** One thing that a call did, as far as the disk is concerned. What a call does is one operation. */
export type Operation = { at: number; syncedAt: number; call: FileCallName } & (
  | { kind: 'entries'; sets: { folder: number; name: string; node: number | null }[] }
  | { kind: 'data'; node: number; offset: number; bytes: Buffer }
  | { kind: 'size'; node: number; size: number }
  | { kind: 'attributes'; node: number; mode?: number; uid?: number; gid?: number }
);

/**
 * What is left of an operation after a power cut: all, nothing, so many of its bytes, its length alone, or of a
 * rename both names.
 */
export type Survival = 'whole' | 'lost' | 'zeros' | 'both names' | number;

interface Handle {
  node: Node;
  position: number;
  appends: boolean;
}

interface Options {
  /** `.teddy` is on a file system of its own. */
  apart?: boolean;
  /** The file system knows no second names. */
  linkless?: boolean;
}

const ROOT = 1;
const FIRST_HANDLE = 1_000_000;
const LINKS = 40;
const NEXT_DEVICES = 100;
const UID = process.getuid!();
const GID = process.getgid!();
const UMASK = process.umask();
const KINDS = { file: 0o100000, folder: 0o040000, link: 0o120000 };

/**
 * A file system in memory that answers every call the product makes on files as Linux would, and knows what
 * of it a power cut may take. Content and attributes of a file are safe once the file was synced; a name in
 * a folder once the folder was. A rename is atomic and safe once either of its folders was synced. What
 * is not safe may be lost, each operation on its own and in any order.
 */
export class MemoryDisk {
  readonly operations: Operation[] = [];
  /** How many calls were made. */
  calls = 0;
  /** The numbers of calls that made something safe. */
  readonly syncs: number[] = [];
  private nodes = new Map<number, Node>();
  private readonly handles = new Map<number, Handle>();
  private nextNode = ROOT + 1;
  private nextHandle = FIRST_HANDLE;
  private time = 1;
  /** What is safe without any of `operations`; undefined as long as that is all there is. */
  private safe: Map<number, Node> | undefined;
  /** New nodes as they were made. */
  private readonly births = new Map<number, Node>();

  private constructor(
    private readonly options: Options,
    private readonly lockFile: string,
  ) {}

  /** `lockFile` is a real one: the kernel knows no locks on this disk. */
  static of(entries: Entries, lockFile: string, options: Options = {}): MemoryDisk {
    const disk = new MemoryDisk(options, lockFile);
    disk.nodes.set(ROOT, disk.node('folder', 0o755, ROOT));
    for (const [path, entry] of Object.entries(entries)) disk.put(path, entry);
    if (options.apart) {
      disk.put('.teddy', { kind: 'folder', mode: 0o755 });
      disk.at('.teddy')!.device = 2;
    }
    disk.settle();
    return disk;
  }

  /** The same disk for another process: all that is there is safe, no file is open. */
  fork(): MemoryDisk {
    const disk = new MemoryDisk(this.options, this.lockFile);
    disk.nodes = copyNodes(this.nodes);
    disk.nextNode = this.nextNode;
    disk.time = this.time;
    disk.settle();
    return disk;
  }

  /** Everything reaches the disk. */
  settle(): void {
    this.safe = undefined;
    this.operations.length = 0;
    this.syncs.length = 0;
    this.births.clear();
    this.calls = 0;
  }

  /** Comes before whatever changes a node: most disks are looked at once, and never changed. */
  private keepSafe(): void {
    this.safe ??= copyNodes(this.nodes);
  }

  /** Operations of the first `calls` calls that may be lost if the power fails then. */
  unsafe(calls: number): Operation[] {
    return this.operations.filter(({ at, syncedAt }) => at < calls && syncedAt >= calls);
  }

  /** The disk after a power cut that followed `calls` calls. */
  crash(calls: number, survival: (operation: Operation) => Survival): MemoryDisk {
    const disk = new MemoryDisk(this.options, this.lockFile);
    disk.nodes = copyNodes(this.safe ?? this.nodes);
    disk.nextNode = this.nextNode;
    disk.time = this.time;
    for (const operation of this.operations) {
      if (operation.at >= calls) break;
      const left = operation.syncedAt < calls ? 'whole' : survival(operation);
      if (left !== 'lost') disk.redo(operation, left, this.births);
    }
    // The machine starts again, and many file systems get another number every time.
    for (const node of disk.nodes.values()) node.device += NEXT_DEVICES;
    disk.settle();
    return disk;
  }

  dropHandles(): void {
    for (const handle of [...this.handles.keys()]) this.close(handle);
  }

  get openHandles(): number {
    return this.handles.size;
  }

  snapshot(): Snapshot {
    return Object.fromEntries(
      Object.entries(this.everything()).filter(([path]) => !/^\.teddy(?:\/|$)/.test(path)),
    );
  }

  /** With `.teddy`. */
  everything(): Snapshot {
    const lines: Snapshot = {};
    const visit = (node: Node, path: string) => {
      for (const name of [...node.entries.keys()].sort()) {
        const child = this.nodes.get(node.entries.get(name)!)!;
        const childPath = path === '' ? name : `${path}/${name}`;
        lines[childPath] = describe(child, `${child.uid}:${child.gid}`);
        if (child.kind === 'folder') visit(child, childPath);
      }
    };
    visit(this.nodes.get(ROOT)!, '');
    return lines;
  }

  /** The same for disks that no process can tell apart. */
  key(): string {
    const visit = (node: Node): string =>
      [...node.entries.keys()]
        .sort()
        .map((name) => {
          const child = this.nodes.get(node.entries.get(name)!)!;
          const inside =
            child.kind === 'folder' ? visit(child) : child.kind === 'file' ? hash(child.bytes) : child.target;
          return `${name}|${child.id}|${child.mode}|${child.uid}:${child.gid}|${inside}`;
        })
        .join('>')
        .concat('<');
    return hashOnce('sha256', visit(this.nodes.get(ROOT)!));
  }

  list(path: string): string[] {
    const node = this.at(path);
    return node ? [...node.entries.keys()].sort() : [];
  }

  read(path: string): Buffer | undefined {
    return this.at(path)?.bytes;
  }

  entryAt(path: string): Entry | undefined {
    return this.at(path);
  }

  /** As another program would: not part of what was recorded. */
  put(path: string, entry: Entry): void {
    this.keepSafe();
    const components = path.split('/');
    const name = components.pop()!;
    const folder = this.at(components.join('/'));
    if (!folder) throw new Error(`no folder for ${path}`);
    const old = this.nodes.get(folder.entries.get(name) ?? -1);
    if (old?.kind === 'file' && entry.kind === 'file') {
      Object.assign(old, { bytes: entry.bytes, mode: entry.mode, modified: ++this.time, changed: this.time });
      return;
    }
    const node = this.node(entry.kind, entry.kind === 'link' ? 0o777 : entry.mode);
    node.device = folder.device;
    if (entry.kind === 'file') node.bytes = entry.bytes;
    if (entry.kind === 'link') node.target = entry.target;
    this.nodes.set(node.id, node);
    folder.entries.set(name, node.id);
  }

  remove(path: string): void {
    this.keepSafe();
    const components = path.split('/');
    const name = components.pop()!;
    this.at(components.join('/'))!.entries.delete(name);
  }

  call(name: FileCallName, args: readonly unknown[]): unknown {
    this.calls++;
    const a = args as [never, never, never, never, never];
    switch (name) {
      case 'open':
        return this.open(a[0], a[1], a[2]);
      case 'close':
        return this.close(a[0]);
      case 'read':
        return this.readInto(a[0], a[1], a[2], a[3], a[4]);
      case 'write':
        return this.write(a[0], a[1], a[2], a[3], a[4]);
      case 'sync':
        return this.sync(this.handle(a[0]).node);
      case 'truncate':
        return this.truncate(this.handle(a[0]).node, a[1]);
      case 'chmod':
        return this.setAttributes('chmod', this.handle(a[0]).node, { mode: a[1] });
      case 'keepAttributes':
        return [];
      case 'chown':
        return this.setAttributes('chown', this.handle(a[0]).node, { uid: a[1], gid: a[2] });
      case 'stat':
        return this.statsOf(this.handle(a[0]).node);
      case 'lstat':
        return this.lstat(a[0]);
      case 'statAt':
        return this.statAt(a[0]);
      case 'setTimes':
        return void this.handle(a[0]);
      case 'rename':
        return this.rename(a[0], a[1]);
      case 'link':
        return this.link(a[0], a[1]);
      case 'unlink':
        return this.unlink(a[0]);
      case 'mkdir':
        return this.mkdir(a[0], a[1]);
      case 'rmdir':
        return this.rmdir(a[0]);
      case 'list':
        return [...this.folderAt(a[0]).entries.keys()];
      case 'readlink':
        return this.readlink(a[0]);
      case 'realpath':
        return a[0];
      case 'access':
        return void this.existing(a[0]);
      case 'symlink':
        return this.symlink(a[0], a[1]);
      case 'chmodAt':
      case 'copy':
        throw new Error(`no commit calls ${name}`);
      default:
        throw new Error(`the disk in memory does not know ${name satisfies never}`);
    }
  }

  private node(kind: Node['kind'], mode: number, id = this.nextNode++): Node {
    const now = ++this.time;
    return {
      id,
      kind,
      mode,
      uid: UID,
      gid: GID,
      device: 1,
      bytes: Buffer.alloc(0),
      target: '',
      entries: new Map(),
      born: now,
      modified: now,
      changed: now,
    };
  }

  private record(
    call: FileCallName,
    what: Operation extends infer O
      ? O extends Operation
        ? Omit<O, 'at' | 'syncedAt' | 'call'>
        : never
      : never,
  ): void {
    this.operations.push({
      at: this.calls - 1,
      syncedAt: Number.POSITIVE_INFINITY,
      call,
      ...what,
    } as Operation);
  }

  private redo(
    operation: Operation,
    left: Exclude<Survival, 'lost'>,
    births: ReadonlyMap<number, Node>,
  ): void {
    const find = (id: number): Node => {
      let node = this.nodes.get(id);
      if (!node) {
        node = copyNode(births.get(id)!);
        this.nodes.set(id, node);
      }
      return node;
    };
    switch (operation.kind) {
      case 'entries':
        for (const { folder, name, node } of operation.sets) {
          if (node === null && left === 'both names') continue;
          if (node === null) find(folder).entries.delete(name);
          else if (find(node)) find(folder).entries.set(name, node);
        }
        return;
      case 'data': {
        const { node, offset, bytes } = operation;
        const written =
          typeof left === 'number'
            ? bytes.subarray(0, left)
            : left === 'zeros'
              ? Buffer.alloc(bytes.length)
              : bytes;
        if (written.length > 0) overwrite(find(node), offset, written);
        return;
      }
      case 'size':
        resize(find(operation.node), operation.size);
        return;
      case 'attributes': {
        const { mode, uid, gid } = operation;
        const node = find(operation.node);
        node.mode = mode ?? node.mode;
        node.uid = uid ?? node.uid;
        node.gid = gid ?? node.gid;
      }
    }
  }

  private handle(number: number): Handle {
    const handle = this.handles.get(number);
    if (!handle) throw failure('EBADF');
    return handle;
  }

  private at(path: string): Node | undefined {
    let node = this.nodes.get(ROOT);
    for (const name of path.split('/')) {
      if (name === '') continue;
      node = this.nodes.get(node?.entries.get(name) ?? -1);
    }
    return node;
  }

  /** A path as the product writes it: below `/disk`, or below the folder of a handle. */
  private resolve(path: string): { folder: Node; name: string } {
    const byHandle = /^\/proc\/self\/fd\/(\d+)(?:\/(.*))?$/s.exec(path);
    const start = byHandle ? this.handle(Number(byHandle[1])).node : this.nodes.get(ROOT)!;
    const rest = byHandle ? (byHandle[2] ?? '') : path.replace(/^\/disk\/?/, '');
    const todo = rest.split('/').filter((name) => name !== '' && name !== '.');
    if (todo.length === 0) return { folder: start, name: '.' };
    let folder = start;
    for (let links = 0; todo.length > 1; ) {
      const name = todo.shift()!;
      const node = this.child(folder, name);
      if (!node) throw failure('ENOENT');
      if (node.kind === 'link') {
        if (++links > LINKS) throw failure('ELOOP');
        todo.unshift(...node.target.split('/'));
      } else folder = node;
    }
    if (folder.kind !== 'folder') throw failure('ENOTDIR');
    if (Buffer.byteLength(todo[0]!) > 255) throw failure('ENAMETOOLONG');
    return { folder, name: todo[0]! };
  }

  private child(folder: Node, name: string): Node | undefined {
    if (folder.kind !== 'folder') throw failure('ENOTDIR');
    if (name === '.') return folder;
    return this.nodes.get(folder.entries.get(name) ?? -1);
  }

  private existing(path: string): { folder: Node; name: string; node: Node } {
    const { folder, name } = this.resolve(path);
    const node = this.child(folder, name);
    if (!node) throw failure('ENOENT');
    return { folder, name, node };
  }

  private folderAt(path: string): Node {
    const { node } = this.existing(path);
    if (node.kind !== 'folder') throw failure('ENOTDIR');
    return node;
  }

  private open(path: string, how: number | string, mode = 0o666): number {
    const flags = how === 'r' ? constants.O_RDONLY : Number(how);
    const info = /^\/proc\/self\/fdinfo\/(\d+)$/.exec(path);
    if (info) return this.openInfo(Number(info[1]));
    const { folder, name } = this.resolve(path);
    let node = this.child(folder, name);
    if (node?.kind === 'link') throw failure('ELOOP');
    if (node && flags & constants.O_CREAT && flags & constants.O_EXCL) throw failure('EEXIST');
    if (!node) {
      if (!(flags & constants.O_CREAT)) throw failure('ENOENT');
      node = this.bear(folder, 'file', mode);
      this.setEntries('open', [{ folder, name, node }]);
    }
    if (flags & constants.O_DIRECTORY && node.kind !== 'folder') throw failure('ENOTDIR');
    const writes = flags & (constants.O_WRONLY | constants.O_RDWR);
    if (writes && node.kind === 'folder') throw failure('EISDIR');
    if (flags & constants.O_TRUNC) this.truncate(node, 0);
    const isLock = name === 'lock' && flags & constants.O_CREAT && !(flags & constants.O_EXCL);
    const number = isLock ? openSync(this.lockFile, 'a+') : this.nextHandle++;
    this.handles.set(number, { node, position: 0, appends: (flags & constants.O_APPEND) !== 0 });
    return number;
  }

  /** What Linux tells of a handle, as far as anyone asks. */
  private openInfo(about: number): number {
    const node = this.node('file', 0o400, 0);
    node.bytes = Buffer.from(`pos:\t0\nflags:\t0\nmnt_id:\t${this.handle(about).node.device}\n`);
    const number = this.nextHandle++;
    this.handles.set(number, { node, position: 0, appends: false });
    return number;
  }

  private close(number: number): void {
    this.handle(number);
    this.handles.delete(number);
    if (number < FIRST_HANDLE) closeSync(number);
  }

  private bear(folder: Node, kind: Node['kind'], mode: number): Node {
    this.keepSafe();
    const node = this.node(kind, kind === 'link' ? mode : mode & ~UMASK);
    node.device = folder.device;
    if (folder.mode & 0o2000) {
      node.gid = folder.gid;
      if (kind === 'folder') node.mode |= 0o2000;
    }
    this.nodes.set(node.id, node);
    this.births.set(node.id, copyNode(node));
    return node;
  }

  private readInto(
    number: number,
    into: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number {
    const handle = this.handle(number);
    if (handle.node.kind === 'folder') throw failure('EISDIR');
    const from = position ?? handle.position;
    const part = handle.node.bytes.subarray(from, from + length);
    into.set(part, offset);
    if (position === null) handle.position += part.length;
    return part.length;
  }

  private write(
    number: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number {
    const handle = this.handle(number);
    const { node } = handle;
    const at = handle.appends ? node.bytes.length : (position ?? handle.position);
    const written = Buffer.from(bytes.subarray(offset, offset + length));
    if (written.length === 0) return 0;
    this.keepSafe();
    overwrite(node, at, written);
    node.modified = node.changed = ++this.time;
    if (position === null) handle.position = at + length;
    this.record('write', { kind: 'data', node: node.id, offset: at, bytes: written });
    return length;
  }

  private truncate(node: Node, size: number): void {
    this.keepSafe();
    resize(node, size);
    node.modified = node.changed = ++this.time;
    this.record('truncate', { kind: 'size', node: node.id, size });
  }

  private setAttributes(
    call: FileCallName,
    node: Node,
    what: { mode?: number; uid?: number; gid?: number },
  ): void {
    this.keepSafe();
    if (what.mode !== undefined) node.mode = what.mode & 0o7777;
    if (what.uid !== undefined && what.uid >= 0) node.uid = what.uid;
    if (what.gid !== undefined && what.gid >= 0) node.gid = what.gid;
    node.changed = ++this.time;
    const { mode, uid, gid } = node;
    this.record(call, { kind: 'attributes', node: node.id, mode, uid, gid });
  }

  private setEntries(call: FileCallName, sets: { folder: Node; name: string; node: Node | null }[]): void {
    this.keepSafe();
    for (const { folder, name, node } of sets) {
      if (node === null) folder.entries.delete(name);
      else {
        folder.entries.set(name, node.id);
        node.changed = ++this.time;
      }
      folder.modified = folder.changed = ++this.time;
    }
    this.record(call, {
      kind: 'entries',
      sets: sets.map(({ folder, name, node }) => ({ folder: folder.id, name, node: node?.id ?? null })),
    });
  }

  private sync(node: Node): void {
    const at = this.calls - 1;
    this.syncs.push(at);
    for (const operation of this.operations) {
      const concerned =
        operation.kind === 'entries'
          ? operation.sets.some(({ folder }) => folder === node.id)
          : operation.node === node.id;
      if (concerned) operation.syncedAt = Math.min(operation.syncedAt, at);
    }
  }

  private lstat(path: string): unknown {
    try {
      const { folder, name } = this.resolve(path);
      const node = this.child(folder, name);
      return node && this.statsOf(node);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as { code?: string }).code ?? '')) return undefined;
      throw error;
    }
  }

  /** Through links, as far as their targets are relative. */
  private statAt(path: string): unknown {
    for (let links = 0, at = path; links <= LINKS; links++) {
      const found = this.lstat(at) as { isSymbolicLink(): boolean } | undefined;
      if (!found?.isSymbolicLink()) return found;
      at = `${at.slice(0, at.lastIndexOf('/'))}/${this.readlink(at)}`;
    }
    throw failure('ELOOP');
  }

  private statsOf(node: Node): unknown {
    const countNames = () => this.namesOf(node);
    return {
      ino: node.id,
      dev: node.device,
      mode: node.mode | KINDS[node.kind],
      uid: node.uid,
      gid: node.gid,
      get nlink() {
        return countNames();
      },
      size: node.kind === 'file' ? node.bytes.length : 4096,
      mtimeMs: node.modified,
      ctimeMs: node.changed,
      birthtimeMs: node.born,
      isFile: () => node.kind === 'file',
      isDirectory: () => node.kind === 'folder',
      isSymbolicLink: () => node.kind === 'link',
    };
  }

  private namesOf(node: Node): number {
    let names = 0;
    for (const { entries } of this.nodes.values())
      for (const id of entries.values()) if (id === node.id) names++;
    return names;
  }

  private rename(from: string, to: string): void {
    const source = this.existing(from);
    const { folder, name } = this.resolve(to);
    if (source.folder.device !== folder.device) throw failure('EXDEV');
    const old = this.child(folder, name);
    if (old === source.node) return;
    if (old?.kind === 'folder' && source.node.kind !== 'folder') throw failure('EISDIR');
    if (old && old.kind !== 'folder' && source.node.kind === 'folder') throw failure('ENOTDIR');
    if (old?.kind === 'folder' && old.entries.size > 0) throw failure('ENOTEMPTY');
    this.keepSafe();
    if (old) old.changed = ++this.time;
    this.setEntries('rename', [
      { folder: source.folder, name: source.name, node: null },
      { folder, name, node: source.node },
    ]);
  }

  private link(from: string, to: string): void {
    if (this.options.linkless) throw failure('EPERM');
    const { node } = this.existing(from);
    const { folder, name } = this.resolve(to);
    if (node.device !== folder.device) throw failure('EXDEV');
    if (node.kind === 'folder') throw failure('EPERM');
    if (this.child(folder, name)) throw failure('EEXIST');
    this.setEntries('link', [{ folder, name, node }]);
  }

  /** The target is part of the new entry: both are there or neither. */
  private symlink(target: string, path: string): void {
    const { folder, name } = this.resolve(path);
    if (this.child(folder, name)) throw failure('EEXIST');
    const node = this.bear(folder, 'link', 0o777);
    node.target = target;
    this.births.get(node.id)!.target = target;
    this.setEntries('symlink', [{ folder, name, node }]);
  }

  private unlink(path: string): void {
    const { folder, name, node } = this.existing(path);
    if (node.kind === 'folder') throw failure('EISDIR');
    this.keepSafe();
    node.changed = ++this.time;
    this.setEntries('unlink', [{ folder, name, node: null }]);
  }

  private mkdir(path: string, mode = 0o777): void {
    const { folder, name } = this.resolve(path);
    if (this.child(folder, name)) throw failure('EEXIST');
    this.setEntries('mkdir', [{ folder, name, node: this.bear(folder, 'folder', mode) }]);
  }

  private rmdir(path: string): void {
    const { folder, name, node } = this.existing(path);
    if (node.kind !== 'folder') throw failure('ENOTDIR');
    if (node.entries.size > 0) throw failure('ENOTEMPTY');
    this.setEntries('rmdir', [{ folder, name, node: null }]);
  }

  private readlink(path: string): string {
    const { node } = this.existing(path);
    if (node.kind !== 'link') throw failure('EINVAL');
    return node.target;
  }
}

/** An error as the file system reports it. There are very many, and nobody reads their stacks. */
export function failure(code: string): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(`${code}: as the test wants it`), { code });
  Error.stackTraceLimit = limit;
  return error;
}

function copyNode(node: Node): Node {
  // Only folders have entries: of the others they stay empty, and one map does.
  return node.kind === 'folder' ? { ...node, entries: new Map(node.entries) } : { ...node };
}

function copyNodes(nodes: ReadonlyMap<number, Node>): Map<number, Node> {
  const copies = new Map<number, Node>();
  for (const [id, node] of nodes) copies.set(id, copyNode(node));
  return copies;
}

function overwrite(node: Node, offset: number, bytes: Buffer): void {
  const next = Buffer.alloc(Math.max(node.bytes.length, offset + bytes.length));
  node.bytes.copy(next);
  bytes.copy(next, offset);
  node.bytes = next;
}

function resize(node: Node, size: number): void {
  const next = Buffer.alloc(size);
  node.bytes.copy(next, 0, 0, size);
  node.bytes = next;
}
