import { watch } from 'node:fs';

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
