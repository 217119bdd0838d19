/** What the system calls an error, such as `ENOSPC`; the error in its own words where it has no such name. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
