import { forNumbers, type Keywords, readNumber } from '../keyword.js';
import { refuse } from '../run.js';

export const NUMBER_KEYWORDS: Keywords = {
  minimum: (site) => {
    const minimum = readNumber(site);
    if (minimum === undefined) return undefined;
    return forNumbers((value, run) => value >= minimum || refuse(run, site, value), { minimum });
  },
  maximum: (site) => {
    const maximum = readNumber(site);
    if (maximum === undefined) return undefined;
    return forNumbers((value, run) => value <= maximum || refuse(run, site, value), { maximum });
  },
  exclusiveMinimum: (site) => {
    const bound = readNumber(site);
    if (bound === undefined) return undefined;
    return forNumbers((value, run) => value > bound || refuse(run, site, value));
  },
  exclusiveMaximum: (site) => {
    const bound = readNumber(site);
    if (bound === undefined) return undefined;
    return forNumbers((value, run) => value < bound || refuse(run, site, value));
  },
  multipleOf: (site) => {
    const unit = readNumber(site);
    if (unit === undefined) return undefined;
    if (unit <= 0) return site.refuse('multipleOf must be greater than 0.');
    return forNumbers((value, run) => isMultiple(value, unit) || refuse(run, site, value));
  },
};

/** As the decimals say that stand in the JSON: 0.3 is three times 0.1, whatever the binary fractions are. */
function isMultiple(value: number, unit: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0;
  const [a, b] = [readDecimal(value), readDecimal(unit)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scale(a) % scale(b) === 0n;
}

interface Decimal {
  digits: bigint;
  /** Of ten. */
  exponent: number;
}

/** The shortest decimal that means the number. */
function readDecimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
