import { zoneOf } from './zones.mjs';

/** In cents: the first kilogram, and each one more. */
const RATES = {
  inland: [499, 100],
  europe: [1299, 250],
  world: [2599, 700],
};

const HEAVIEST = 30;

/** The postage of a parcel, in cents. */
export function postage(country, kilograms) {
  if (!(kilograms > 0 && kilograms <= HEAVIEST)) {
    throw new RangeError(`A parcel weighs more than 0 and at most ${HEAVIEST} kg.`);
  }
  const [first, more] = RATES[zoneOf(country)];
  return first + more * (Math.ceil(kilograms) - 1);
}
