import { join } from 'node:path';
import { files } from '../node/file-calls.js';

const EVERY_MS = 300;
/** A look at many files takes a while. */
const MS_FOR_EACH = 5;

/**
 * Tells when any of these files becomes another: people decide and submit in other terminals, and edit plans. By a look
 * every now and then, as watching files is not to be relied on everywhere.
 */
export function watchFiles(root: string, paths: readonly string[], onChange: () => void): () => void {
  let before = signatureOf(root, paths);
  const timer = setInterval(
    () => {
      const now = signatureOf(root, paths);
      if (now === before) return;
      before = now;
      onChange();
    },
    Math.max(EVERY_MS, paths.length * MS_FOR_EACH),
  );
  return () => clearInterval(timer);
}

function signatureOf(root: string, paths: readonly string[]): string {
  return paths.map((path) => markOf(join(root, path))).join('\n');
}

function markOf(path: string): string {
  try {
    const stats = files.statAt(path);
    return stats ? `${stats.size} ${stats.mtimeMs} ${stats.ino}` : '';
  } catch {
    return '';
  }
}
