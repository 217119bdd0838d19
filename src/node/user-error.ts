/**
 * The input or the environment cannot serve. `message` is one whole sentence for the person; faces
 * print it and end with exit code 2.
 */
export class UserError extends Error {
  override name = 'UserError';
  /** The command line itself is wrong, in whatever folder it is run. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, ...options }: ErrorOptions & { isUsage?: boolean } = {}) {
    super(message, options);
    this.isUsage = isUsage;
  }
}
