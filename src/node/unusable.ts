/**
 * The input or the environment cannot serve. `message` is one whole sentence for the person; faces
 * print it and end with exit code 2.
 */
export class Unusable extends Error {
  override name = 'Unusable';
  /** The command line itself is wrong, in whatever folder it is run. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, ...options }: ErrorOptions & { isUsage?: boolean } = {}) {
    super(message, options);
    this.isUsage = isUsage;
  }
}

/** By name: a part of the program that was loaded later has a class of its own. */
export function isUnusable(error: unknown): error is Unusable {
  return error instanceof Error && error.name === 'Unusable';
}
