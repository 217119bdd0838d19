import { watch } from 'node:fs';
import { files } from './file-calls.js';

/** For file systems that report no changes, and for missed ones. */
const POLL_MS = 1000;

/** Calls back soon after a change in a folder, and every second anyway, until the returned function is called. */
export function watchFolder(path: string, onChange: () => void): () => void {
  const timer = setInterval(onChange, POLL_MS);
  let end = () => {};
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    end = () => watcher.close();
  } catch {
    // The poll is enough.
  }
  return () => {
    clearInterval(timer);
    end();
  };
}

/** Changes whenever the entry at the path does; empty if it is missing. For a folder, its direct entries count. */
export function markOf(path: string): string {
  try {
    const stats = files.statAt(path);
    return stats ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : '';
  } catch {
    return '';
  }
}
