import type { SortedPaths } from '../../workspace/files/sorted-paths.js';
import { toOneLine } from './markdown-parts.js';

export interface DrawnTree {
  /** A line for each file or folder, indented by two for each folder around it. Empty where nothing fits. */
  text: string;
  shown: 'all' | 'folders';
}

/** All files, or as much of their folders as so many characters can hold. */
export function drawTree(files: SortedPaths, most: number): DrawnTree {
  const all = drawFiles(files, most);
  return all === undefined
    ? { text: drawFolders(files, most), shown: 'folders' }
    : { text: all, shown: 'all' };
}

/** Undefined where they do not fit. */
function drawFiles(files: SortedPaths, most: number): string | undefined {
  let text = '';
  let before: readonly string[] = [];
  for (const stretch of files.stretches) {
    const { folders, from, to } = stretch;
    for (let depth = sharedDepth(before, folders); depth < folders.length; depth++)
      text += `${indent(depth)}${toOneLine(folders[depth]!)}/\n`;
    const margin = indent(folders.length);
    for (let at = from; at < to; at++) text += `${margin}${toOneLine(files.nameAt(at, stretch))}\n`;
    if (text.length > most) return undefined;
    before = folders;
  }
  return text;
}

/** The folders with the number of files in them, as deep as they fit; and the files of the root, when they do too. */
function drawFolders(files: SortedPaths, most: number): string {
  const lines = countFolders(files).map(({ name, depth, files: count }) => ({
    depth,
    text: `${indent(depth)}${toOneLine(name)}/ (${count})\n`,
  }));
  const sizes: number[] = [];
  for (const { depth, text } of lines) sizes[depth] = (sizes[depth] ?? 0) + text.length;
  let levels = 0;
  let length = 0;
  while (levels < sizes.length && length + sizes[levels]! <= most) length += sizes[levels++]!;
  const folders = lines.flatMap(({ depth, text }) => (depth < levels ? text : [])).join('');
  const own = files.paths.flatMap((path) => (path.includes('/') ? [] : `${toOneLine(path)}\n`)).join('');
  return levels > 0 && length + own.length <= most ? folders + own : folders;
}

interface CountedFolder {
  name: string;
  /** How many folders are around it. */
  depth: number;
  /** At any depth. */
  files: number;
}

function countFolders({ stretches }: SortedPaths): CountedFolder[] {
  const all: CountedFolder[] = [];
  const around: CountedFolder[] = [];
  let before: readonly string[] = [];
  for (const { folders, from, to } of stretches) {
    for (let depth = sharedDepth(before, folders); depth < folders.length; depth++) {
      const folder = { name: folders[depth]!, depth, files: 0 };
      around[depth] = folder;
      all.push(folder);
    }
    for (let depth = 0; depth < folders.length; depth++) around[depth]!.files += to - from;
    before = folders;
  }
  return all;
}

/** All that lies below a folder stands together in a sorted list, so that each folder comes up once as a new one. */
function sharedDepth(before: readonly string[], folders: readonly string[]): number {
  let shared = 0;
  while (shared < folders.length && folders[shared] === before[shared]) shared++;
  return shared;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
