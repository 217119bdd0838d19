/** A pattern as it was written, read into its parts. What is matched by it, not how: lazy repeats are like others. */
export type Part =
  | { type: 'one-of'; characters: CharacterSet }
  | { type: 'sequence'; parts: Part[] }
  | { type: 'choice'; options: Part[] }
  | { type: 'repeat'; part: Part; least: number; most: number }
  | { type: 'edge'; edge: Edge };

/** A place between characters. */
export type Edge = 'start' | 'end' | 'word-edge' | 'no-word-edge';

export interface CharacterSet {
  /** The same for sets that are written the same. */
  source: string;
  has(codePoint: number): boolean;
}
