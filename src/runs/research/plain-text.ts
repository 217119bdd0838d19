import { shorten } from '../../core/shorten.js';
import { decodeEntities } from '../html-entities.js';

/** Only tags by which services mark up a text: `List<String>` in a title is none. */
const TAG =
  /<\/?(?:a|abbr|b|br|code|div|em|i|li|mark|ol|p|pre|q|s|small|span|strong|sub|sup|u|ul|wbr)(?:\s[^<>]{0,500})?\/?>/gi;

/** A title or snippet without markup, on one line, no longer than `most` characters. */
export function toPlainText(text: string, most: number): string {
  const words = decodeEntities(text.slice(0, 20_000).replace(TAG, ''))
    .split(/\s/)
    .filter((word) => word !== '');
  return shorten(words.join(' '), most);
}
