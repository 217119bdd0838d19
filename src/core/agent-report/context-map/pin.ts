import type { Blocks } from './blocks.js';

/** How the lines of a reference were: a hash of them, and their mark, by which they are found again. */
export interface Pin {
  hash: string;
  mark: number;
}

/** What a look may cost. */
export interface Effort {
  /** Blocks whose marks are compared. */
  blocks: number;
  /** Characters that are hashed. */
  characters: number;
}

const WRITTEN = /^([0-9a-f]{8,128})\.([0-9a-f]{8})$/;
/** Of blocks with one mark no more are hashed: they are alike, or somebody made them so. */
const MOST_ALIKE = 8;

export function writePin({ hash, mark }: Pin): string {
  return `${hash}.${(mark >>> 0).toString(16).padStart(8, '0')}`;
}

/** Undefined for what is no pin: whoever keeps pins may keep anything. */
export function readPin(text: string | undefined): Pin | undefined {
  const match = text === undefined ? null : WRITTEN.exec(text);
  return match ? { hash: match[1]!, mark: Number.parseInt(match[2]!, 16) | 0 } : undefined;
}

/** Undefined where it would take too much. */
export function pinLines(
  blocks: Blocks,
  from: number,
  length: number,
  hash: (text: string) => string,
  effort: Effort,
): Pin | undefined {
  const size = blocks.size(from, length);
  if (effort.characters < size) return undefined;
  effort.characters -= size;
  return { hash: hash(blocks.text(from, length)), mark: blocks.mark(from, length) };
}

/** Where, counted from 0, the one block is that is as pinned; `unsure` where the search was given up. */
export type PinSearch = number | 'none' | 'many' | 'unsure';

/** Looks for all pins of one length at once: marks propose, hashes confirm. */
export function findPinned(
  blocks: Blocks,
  pins: readonly Pin[],
  length: number,
  hash: (text: string) => string,
  effort: Effort,
): PinSearch[] {
  effort.blocks -= blocks.count;
  if (effort.blocks < 0) return pins.map(() => 'unsure');
  const places = blocks.places(new Set(pins.map(({ mark }) => mark)), length, MOST_ALIKE);
  return pins.map((pin) => {
    const alike = places.get(pin.mark) ?? [];
    const same: number[] = [];
    for (const from of alike) {
      const now = pinLines(blocks, from, length, hash, effort);
      if (!now) return 'unsure';
      if (now.hash === pin.hash) same.push(from);
      if (same.length > 1) return 'many';
    }
    if (alike.length === MOST_ALIKE) return 'unsure';
    return same[0] ?? 'none';
  });
}
