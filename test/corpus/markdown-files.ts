import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export interface MarkdownFile {
  /** Path below the folder that was searched, with forward slashes. */
  name: string;
  /** The lines of the file, without their line endings and without the last, empty one. */
  lines: string[];
}

const MARKDOWN = /\.(md|mdx|markdown)$/i;
const FENCE = /^ {0,3}(```|~~~)/;

export const isMarkdown = (path: string): boolean => MARKDOWN.test(path);

export const isFence = (line: string): boolean => FENCE.test(line);

/**
 * Every Markdown file below `root` that holds at least one fence, in the order of their names. Files with
 * the same text count once. A file that is not plain text with LF or CRLF line endings is left out: no plan
 * could carry it unchanged.
 */
export function fencedFiles(root: string): MarkdownFile[] {
  const files: MarkdownFile[] = [];
  const seen = new Set<string>();
  for (const path of markdownPaths(root)) {
    const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    if (/[\r\0\uFFFD]/.test(text) || seen.has(text)) continue;
    const lines = toLines(text);
    if (!lines.some(isFence)) continue;
    seen.add(text);
    files.push({ name: relative(root, path).split(sep).join('/'), lines });
  }
  return files;
}

/** The lines of a text; a final newline ends the last line and does not begin another. */
function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function markdownPaths(root: string): string[] {
  const paths: string[] = [];
  const visit = (folder: string) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== '.cache') visit(path);
      else if (entry.isFile() && isMarkdown(entry.name)) paths.push(path);
    }
  };
  visit(root);
  return paths;
}
