/** Calls that change what is on disk. How often a file is read depends on the file system. */
export const CHANGING_CALLS: ReadonlySet<string> = new Set([
  ...['open', 'write', 'sync', 'truncate', 'chmod'],
  ...['rename', 'link', 'symlink', 'unlink', 'mkdir', 'rmdir'],
]);
