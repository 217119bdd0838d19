import { readRootPath } from '../../core/path.js';
import type { Tree } from '../../core/tree.js';
import type { GraphTask } from '../graph/types.js';

/** What of a task's context can be shown to whoever works on it. */
export interface ContextFiles {
  shown: ShownFile[];
  /** Sentences on what is not there: each names its path. */
  leftOut: string[];
}

interface ShownFile {
  path: string;
  text: string;
  /** How many characters at the end are not shown. */
  cut: number;
}

/** In characters. */
const OF_ONE = 50_000;
const OF_ALL = 200_000;
const MOST_LEFT_OUT = 50;

/**
 * The files that a task is to read first, those that it names as its own and that exist, and those that the plan's
 * `<context>` refers to with `@`. What does not fit is left out, and said.
 */
export function gatherContextFiles(
  task: GraphTask,
  context: string | null,
  tree: Tree,
  mask: (text: string) => string,
): ContextFiles {
  const files: ContextFiles = { shown: [], leftOut: [] };
  let room = OF_ALL;
  for (const { written, required } of wantedFiles(task, context)) {
    const name = readRootPath(written);
    if (name.status !== 'ok') {
      files.leftOut.push(`${written} ${name.reason}.`);
      continue;
    }
    const { path } = name;
    const read = tree.text(path);
    if (read.status === 'missing') {
      if (required) files.leftOut.push(`${path} is not there.`);
    } else if (read.status === 'refused') {
      files.leftOut.push(`${path} ${read.reason}.`);
    } else {
      const whole = mask(read.text);
      const most = Math.min(OF_ONE, room);
      if (most < whole.length && most < OF_ONE) {
        files.leftOut.push(`${path} has ${whole.length} characters, which is more than there is room for.`);
        continue;
      }
      const text = cutBehind(whole, most);
      files.shown.push({ path, text, cut: whole.length - text.length });
      room -= text.length;
    }
  }
  return { ...files, leftOut: shorten(files.leftOut) };
}

interface WantedFile {
  written: string;
  /** Whoever named it meant it to be there. */
  required: boolean;
}

/** Each once, in the order of what they are worth to the task. */
function wantedFiles({ task, files }: GraphTask, context: string | null): WantedFile[] {
  const all = [
    ...task.readFirst.map(({ path }) => ({ written: path, required: true })),
    ...files.map((path) => ({ written: path, required: false })),
    ...findReferences(context ?? '').map((path) => ({ written: path, required: true })),
  ].map((file) => ({ ...file, written: file.written.replace(/^@/, '') }));
  const seen = new Map<string, WantedFile>();
  for (const file of all) {
    const read = readRootPath(file.written);
    const key = read.status === 'ok' ? read.path : file.written;
    if (key !== '.' && !seen.has(key)) seen.set(key, file);
  }
  return [...seen.values()];
}

/** `@src/a.ts`, where it begins a word; `you@example.org` is none. */
function findReferences(context: string): string[] {
  return [...context.matchAll(/(?<![^\s([`"'])@([^\s`"'<>()[\]]{1,500})/g)].flatMap(([, path]) => {
    const bare = path!.replace(/[.,;:!?]{1,20}$/, '');
    return bare === '' ? [] : [bare];
  });
}

/** Between characters, and at the end of a line where there is one near. */
function cutBehind(text: string, most: number): string {
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most - 1);
  if (line > most / 2) return text.slice(0, line + 1);
  const half = text.charCodeAt(most - 1);
  return text.slice(0, half >= 0xd800 && half < 0xdc00 ? most - 1 : most);
}

function shorten(sentences: string[]): string[] {
  if (sentences.length <= MOST_LEFT_OUT) return sentences;
  const more = sentences.length - MOST_LEFT_OUT;
  return [...sentences.slice(0, MOST_LEFT_OUT), `The same is so of ${more} more.`];
}
