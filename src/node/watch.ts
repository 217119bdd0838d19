import { watch } from 'node:fs';
import { files } from './file-calls.js';

/** For file systems that report no changes, and for changes that were missed. */
const POLL_MS = 1000;

/** Calls back soon after something in a folder has changed, and every second in any case. Returns what ends that. */
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

/** Changes whenever what is at the path does; empty where nothing is. Of a folder, its own entries count. */
export function markOf(path: string): string {
  try {
    const stats = files.statAt(path);
    return stats ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : '';
  } catch {
    return '';
  }
}
