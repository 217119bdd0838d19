/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` of the items, chosen by seed, in their order; all of them when there are no more. */
export function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  if (items.length <= count) return [...items];
  const random = seeded(seed);
  const keyed = items.map((item, at) => ({ item, at, key: random() }));
  const chosen = keyed.sort((a, b) => a.key - b.key).slice(0, count);
  return chosen.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** The long form of a test, with nothing left to chance: `TEDDY_SOAK=1`. */
export const SOAK = process.env.TEDDY_SOAK === '1';
