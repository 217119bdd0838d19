import type { ChangedFile } from './changeset.js';

const HEADINGS = { created: 'CREATE', edited: 'EDIT', deleted: 'DELETE', renamed: 'RENAME' } as const;

/** Changes to read, each below the id by which it can be kept or dropped. */
export function writeChanges(files: readonly ChangedFile[]): string {
  return files.map(writeFile).join('\n');
}

function writeFile({ path, from, change, whole, mode, binary, link, hunks }: ChangedFile): string {
  const moved = from === undefined ? path : `${from} → ${path}`;
  const isHunk = hunks.some(({ id }) => id === whole);
  return [
    `${HEADINGS[change]} ${moved}${binary ? ' (not a text)' : ''}\n`,
    ...(whole === undefined || isHunk ? [] : [`change ${whole}\n`]),
    ...(link ? [`-link to ${link.before ?? 'nothing'}\n`, `+link to ${link.after ?? 'nothing'}\n`] : []),
    ...(mode?.id === undefined ? [] : [`change ${mode.id}\n-${mode.before}\n+${mode.after}\n`]),
    ...hunks.flatMap(({ id, lines }) => [`change ${id}\n`, ...lines.map(endLine)]),
  ].join('');
}

function endLine(row: string): string {
  return row.endsWith('\n') ? row : `${row}\n`;
}
