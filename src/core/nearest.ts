const FARTHEST = 2;
/** Of the lengths of two words that may be near; marks between letters do not count. */
const LONGEST_DIFFERENCE = 10;

/** The known word that somebody may have meant; undefined where none is near. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const folded = fold(written);
  const same = known.find((word) => fold(word) === folded);
  if (same !== undefined || written.length > 40) return same;
  const near = known
    .filter((word) => Math.abs(word.length - written.length) <= LONGEST_DIFFERENCE)
    .map((word) => ({ word, distance: countEdits(folded, fold(word)) }))
    .filter(({ word, distance }) => distance <= FARTHEST && distance < word.length / 2)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.word;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Letters to add, drop or change. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
