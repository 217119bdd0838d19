import { textOfBytes } from '../../core/changeset/content.js';
import type { Entry } from '../../core/changeset/entry-tree.js';
import { type DiffText, writeFileDiff } from '../diff/unified-diff.js';
import type { RebasedChangeset } from './rebase.js';

/** The whole changeset as a diff, as it was proposed, and the line at which each of its files starts. */
export function changesetDiff({ files, project, target }: RebasedChangeset): {
  text: string;
  lines: number[];
} {
  const lines: number[] = [];
  let text = '';
  let line = 1;
  for (const { path, from, change } of files) {
    const before = project.entry(from ?? path);
    const after = change === 'deleted' ? undefined : target.entry(path);
    const part = describeDiff(path, from, before, after);
    lines.push(line);
    line += part.split('\n').length - 1;
    text += part;
  }
  return { text, lines };
}

function describeDiff(
  path: string,
  from: string | undefined,
  before: Entry | undefined,
  after: Entry | undefined,
): string {
  const renamed = from === undefined ? '' : `rename from ${from}\nrename to ${path}\n`;
  const [old, now] = [before, after].map((entry) => (entry === undefined ? null : diffText(entry)));
  if (old === undefined || now === undefined) return `${renamed}Binary file ${path}\n`;
  return `${renamed}${writeFileDiff(path, old, now)}`;
}

/** Undefined for what is not a text. */
function diffText(entry: Entry): DiffText | undefined {
  if (entry.kind === 'link') return { text: entry.target, executable: false, link: true };
  const text = textOfBytes(entry.bytes);
  return text === undefined ? undefined : { text, executable: entry.executable };
}
