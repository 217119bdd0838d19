/**
 * The input or the environment is unusable. `message` is one whole sentence for the user; faces
 * print it and end with exit code 2.
 */
export class UserError extends Error {
  override name = 'UserError';
  /** The command line itself is wrong, whatever the folder. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, ...options }: ErrorOptions & { isUsage?: boolean } = {}) {
    super(message, options);
    this.isUsage = isUsage;
  }
}

/** Failures of the environment by the system's code, with a remedy for each. */
const ENVIRONMENT: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space, then run the command again.'],
  EDQUOT: ['your disk quota is used up', 'Free some space, then run the command again.'],
  EROFS: ['the file system is read-only', 'Mount it writable, or work in another folder.'],
  EACCES: ['permission denied', 'Change its owner or mode, then run the command again.'],
  EPERM: ['operation not permitted', 'Change its owner or mode, then run the command again.'],
  EIO: ['the disk reports an error', 'Check the disk, then run the command again.'],
  EMFILE: ['too many files are open', 'Raise the limit (ulimit -n), then run the command again.'],
  ENFILE: ['the system has too many files open', 'Close other programs, then run the command again.'],
  ENOMEM: ['the system is out of memory', 'Close other programs, then run the command again.'],
  EFBIG: ['the file would be too large', 'Raise the limit (ulimit -f), then run the command again.'],
  EBUSY: ['it is in use', 'Wait until it is free, then run the command again.'],
  ENOLCK: ['the file system has no locks', 'Work on a local file system.'],
  ESTALE: ['the network file system has lost it', 'Run the command again.'],
  ENOTDIR: ['a file is where a folder must be', 'Move that file away, then run the command again.'],
  ENAMETOOLONG: ['its name is too long', 'Use a shorter path.'],
};

/** One sentence with a remedy, for an error of the environment; undefined for any other. */
export function explainSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : ENVIRONMENT[code];
  if (!known) return explainSystemError(error.cause);
  const [what, remedy] = known;
  const where = path === undefined ? 'A file cannot be used' : `${path} cannot be used`;
  return `${where}: ${what} (${code}). ${remedy}`;
}

/** The same for a code alone, without a full stop: `ENOSPC` is "the disk is full (ENOSPC)"; other texts are unchanged. */
export function describeSystemError(code: string): string {
  const known = ENVIRONMENT[code];
  return known ? `${known[0]} (${code})` : code;
}

export function isEnvironmentError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && String(error.code) in ENVIRONMENT;
}

/** The system's code for an error, such as `ENOSPC`, or else its message. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
