/** A file's new text, null for none. `reason` completes the sentence "<path> …". */
export type FileEdit =
  | { status: 'edited'; text: string | null; notApplied: string[] }
  | { status: 'refused'; reason: string };
