import { foldText } from '../../shorten.js';
/** A text that stands in one or more reports. */
export interface Said {
  /** As it was written first. */
  text: string;
  /** Sources. */
  by: string[];
}

/** By what makes two texts the same: all but white space. */
export type SaidTexts = Map<string, Said>;

/** For sources that come one after the other: who said it last is the only one who could say it again. */
export function addSaid(texts: SaidTexts, text: string, source: string): void {
  const folded = foldText(text);
  const known = texts.get(folded);
  if (!known) texts.set(folded, { text, by: [source] });
  else if (known.by.at(-1) !== source) known.by.push(source);
}
