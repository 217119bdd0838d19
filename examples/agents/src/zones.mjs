const HOME = 'DE';
const EUROPE = new Set(['AT', 'BE', 'CH', 'CZ', 'DK', 'FR', 'LU', 'NL', 'PL']);

/** The zone of a country, by its two letters. */
export function zoneOf(country) {
  if (country === HOME) return 'inland';
  return EUROPE.has(country) ? 'europe' : 'world';
}
