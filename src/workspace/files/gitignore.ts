import { matchNames } from '../../core/glob.js';
import { ANY_NAME, matchName, type NamePattern, readNames } from './name-pattern.js';

/** One line of a `.gitignore`. */
export interface IgnoreRule {
  /** It begins with `!`: what it matches is not ignored after all. */
  keeps: boolean;
  foldersOnly: boolean;
  /** Whole components of a path from the file's folder; `**` stands for any number of them, none included. */
  path: readonly (NamePattern | '**')[];
}

/** The rules of a `.gitignore`, as git reads them. Any text can be read; a line that can match nothing is no rule. */
export function parseIgnore(text: string): IgnoreRule[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line) => readRule(line.endsWith('\r') ? line.slice(0, -1) : line) ?? []);
}

/** Whether the rules ignore a path from their folder; undefined where none speaks of it. The last one that does counts. */
export function judgePath(
  rules: readonly IgnoreRule[],
  path: readonly string[],
  isFolder: boolean,
): boolean | undefined {
  const rule = rules.findLast(
    (each) => (isFolder || !each.foldersOnly) && matchNames(each.path, path, matchName),
  );
  return rule && !rule.keeps;
}

function readRule(line: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
  const trimmed = trimSpaces(line);
  const keeps = trimmed.startsWith('!');
  const written = keeps ? trimmed.slice(1) : trimmed;
  const foldersOnly = written.endsWith('/');
  const pattern = foldersOnly ? written.slice(0, -1) : written;
  const path = pattern === '' ? undefined : readNames(pattern.replace(/^\//, ''));
  if (!path) return undefined;
  const last = path.at(-1)!;
  // A name alone is meant at any depth. A folder's ** is what it holds, and not the folder.
  if (!pattern.includes('/')) return { keeps, foldersOnly, path: ['**', last === '**' ? ANY_NAME : last] };
  return { keeps, foldersOnly, path: last === '**' ? [...path, ANY_NAME] : path };
}

/** Spaces at the end do not count, but for one behind a backslash. */
function trimSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let slashes = 0;
  while (line[end - 1 - slashes] === '\\') slashes++;
  return line.slice(0, slashes % 2 === 1 ? end + 1 : end);
}
