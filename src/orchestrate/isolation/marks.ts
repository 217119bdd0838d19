import { join } from 'node:path';
import { files, MB, readBytes, writeFile } from '../../platform/index.js';
import type { PlaceRecord } from './types.js';

/** A place is whole: whoever finds it may work there, or keep what was done there. */
export interface ReadyMark {
  record: PlaceRecord;
  /** What the setup left that git would take for work: paths from the top, and what each held. */
  setup: Record<string, string>;
  /** And what git ignores of it: paths from the top, folders with a `/` at their end. */
  ignored: string[];
  /** What git ignored by rules of no commit, as they stood. */
  rules: string;
}

/** What was done is committed: nothing that the folder holds later counts. */
export interface DoneMark {
  commit: string;
  /** These and the following are paths from the top of the repository. */
  files: string[];
  leftOut: string[];
  repositories: string[];
  ignored: string[];
  removed: string[];
}

const READY = 'teddy-ready.json';
const DONE = 'teddy-done.json';

// Both lie in the worktree's own git folder, and go with it.

export function markReady(gitFolder: string, mark: ReadyMark): void {
  write(join(gitFolder, READY), mark);
}

export function markDone(gitFolder: string, mark: DoneMark): void {
  write(join(gitFolder, DONE), mark);
}

export function readReady(gitFolder: string): ReadyMark | undefined {
  const value = read(join(gitFolder, READY)) as Partial<ReadyMark> | undefined;
  return typeof value?.record?.base === 'string' && value.setup ? (value as ReadyMark) : undefined;
}

/** When the place was whole, by the clock that its files have. */
export function readyTime(gitFolder: string): number {
  return files.lstat(join(gitFolder, READY))?.ctimeMs ?? 0;
}

export function readDone(gitFolder: string): DoneMark | undefined {
  const value = read(join(gitFolder, DONE)) as Partial<DoneMark> | undefined;
  const lists = [value?.files, value?.leftOut, value?.repositories, value?.ignored, value?.removed];
  return typeof value?.commit === 'string' && lists.every(Array.isArray) ? (value as DoneMark) : undefined;
}

function write(path: string, value: unknown): void {
  writeFile(path, new TextEncoder().encode(JSON.stringify(value)));
}

function read(path: string): unknown {
  const found = readBytes(path, 64 * MB);
  if (found.status !== 'bytes') return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(found.bytes));
  } catch {
    return undefined;
  }
}
