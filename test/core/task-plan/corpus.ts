import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../corpus/task-plans/', import.meta.url));

interface CorpusPlan {
  file: string;
  text: string;
}

/** Git may have changed the line endings on the way: the corpus is read with `\n`. */
export const CORPUS: readonly CorpusPlan[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .sort()
  .map((file) => ({ file, text: readFileSync(folder + file, 'utf8').replaceAll('\r\n', '\n') }));

/** A plan as it is, with CRLF, with a byte order mark, and with both. */
export function variantsOf(text: string): string[] {
  const crlf = text.replaceAll('\n', '\r\n');
  return [text, crlf, `\uFEFF${text}`, `\uFEFF${crlf}`];
}

export function corpusText(file: string): string {
  return CORPUS.find((plan) => plan.file === file)!.text;
}

/** Lines with their endings, so that a changed ending is a changed line. */
export function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}
