/** One character on a screen. */
export interface Cell {
  column: number;
  /** 2 where the character takes the place of two. */
  width: number;
  text: string;
  /** One of the terminal's sixteen; null is its own. */
  colour: number | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  inverse: boolean;
}
