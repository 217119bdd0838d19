// A folder as raw bytes: what a changeset compares, and what it is applied to.

export type Entry =
  | { kind: 'file'; bytes: Uint8Array; executable: boolean }
  /** The target as it is written in the link. */
  | { kind: 'link'; target: string };

/** Files and links by their path from the root, with `/`. A path is never below that of another entry. */
export interface EntryTree {
  paths(): Iterable<string>;
  entry(path: string): Entry | undefined;
  /** Equal in two trees only if the entries are: it saves reading what has not changed. Undefined: not known. */
  identity?(path: string): string | undefined;
}
