import { matchComponents, readPathGlob } from '../config/index.js';
import type { FileEdit } from './state-file.js';

export const TURN_CONTEXT = '.teddy/turn.context';
export const GLOBAL_CONTEXT = '.teddy/global.context';

interface Change {
  op: '+' | '-';
  path: string;
}

/**
 * Adds and removes resources of a `*.context` file: one path, folder, glob or URL a line, `!` before one that is taken
 * out although another file brings it. Lines that do not change stay as they are.
 */
export function editContext(
  text: string | null,
  changes: readonly Change[],
  isBrought: (path: string) => boolean,
): FileEdit {
  let lines = (text ?? '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const { op, path } of changes) {
    const name = writeName(path);
    const without = (line: string) => lines.filter((each) => each.trim() !== line);
    if (op === '+') {
      lines = without(`!${name}`);
      if (!lines.some((line) => line.trim() === name)) lines.push(name);
    } else {
      lines = without(name);
      const out = `!${name}`;
      const stays = isBrought(path) || bringsPath(lines.join('\n'), path);
      if (stays && !lines.some((line) => line.trim() === out)) lines.push(out);
    }
  }
  const edited = lines.map((line) => `${line}\n`).join('');
  return { status: 'edited', text: text === null && edited === '' ? null : edited, notApplied: [] };
}

/** A name that would read as a comment or as taken out begins with a backslash. */
function writeName(path: string): string {
  return /^[#!\\]/.test(path) ? `\\${path}` : path;
}

/** Whether a `*.context` file brings a resource: by its name, by a folder above it, or by a glob. */
export function bringsPath(text: string, path: string): boolean {
  return text.split('\n').some((each) => {
    const line = each.trim().replace(/^\\(?=[#!\\])/, '');
    if (line === '' || /^[#!]/.test(each.trim())) return false;
    const name = line.replace(/\/+$/, '');
    if (path === name || path.startsWith(`${name}/`)) return true;
    const glob = readPathGlob(name);
    return glob.status === 'ok' && matchComponents(glob.value.components, path.split('/'));
  });
}
