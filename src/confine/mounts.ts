import { join, relative } from 'node:path';
import { lookAtFile, realPath } from '../node/files.js';

/** One mount over those before it. Without a `source` nothing of the machine is in it. */
interface Mount {
  target: string;
  source: string | undefined;
  writable: boolean;
  kind: 'bind' | 'tmpfs' | 'dev' | 'proc';
}

/**
 * The mounts of a confined program, in order: each covers what the ones before it have at its target. Knows where a file
 * of the machine can be seen through them, so that hiding it hides every way to it.
 */
export class Mounts {
  private readonly list: Mount[] = [];

  constructor(
    /** An empty file: it is in the place of files that are hidden. */
    private readonly nothing: string,
  ) {}

  /** Nothing where `source` does not exist. */
  show(source: string, { at = source, writable = false } = {}): void {
    const real = realPath(source);
    if (real !== undefined) this.list.push({ target: at, source: real, writable, kind: 'bind' });
  }

  /**
   * The machine's whole disk, read-only, with devices and processes of its own. `/proc` is read-only, too: in it root
   * could set what the kernel runs outside, without any capability.
   */
  showDisk(): void {
    this.list.push({ target: '/', source: '/', writable: false, kind: 'bind' });
    this.list.push({ target: '/dev', source: undefined, writable: true, kind: 'dev' });
    this.list.push({ target: '/proc', source: undefined, writable: false, kind: 'proc' });
  }

  /** An empty folder in place of one that exists. */
  empty(target: string, { writable = false } = {}): void {
    this.list.push({ target, source: undefined, writable, kind: 'tmpfs' });
  }

  /** Whether the program can see the file or folder at that path of its own. */
  sees(path: string): boolean {
    return this.topMount(path)?.source !== undefined;
  }

  /** Covers a file or folder of the machine, and what is mounted from within it, wherever it can be seen. */
  hide(path: string): void {
    for (const place of new Set([path, realPath(path) ?? path])) {
      const seen = this.list.flatMap((mount) => [...this.placesOf(place, mount)]);
      for (const { target, like } of seen) this.cover(target, like);
    }
  }

  /** Covers what the program has at a path of its own; `like` is what is there. */
  cover(target: string, like: string): void {
    const kind = lookAtFile(like);
    if (kind === 'folder') this.empty(target);
    else if (kind !== 'missing' && kind !== 'symlink')
      this.list.push({ target, source: this.nothing, writable: false, kind: 'bind' });
  }

  /** As options of bubblewrap. */
  options(): string[] {
    const options = this.list.flatMap(({ target, source, writable, kind }) =>
      source === undefined ? [`--${kind}`, target] : [writable ? '--bind' : '--ro-bind', source, target],
    );
    const empty = this.list.filter(
      (mount) => mount.source === undefined && !mount.writable && this.topMount(mount.target) === mount,
    );
    // Only once everything is mounted: the folders that mounts need are made in empty ones.
    return [...options, ...empty.flatMap(({ target }) => ['--remount-ro', target])];
  }

  private *placesOf(path: string, mount: Mount): Generator<{ target: string; like: string }> {
    const { source, target } = mount;
    if (source === undefined || source === this.nothing) return;
    if (isInside(path, source)) {
      const at = join(target, relative(source, path));
      if (this.topMount(at) === mount) yield { target: at, like: path };
    } else if (isInside(source, path) && this.topMount(target) === mount) {
      yield { target, like: source };
    }
  }

  private topMount(path: string): Mount | undefined {
    return this.list.findLast(({ target }) => isInside(path, target));
  }
}

/** Whether a path is a folder or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
