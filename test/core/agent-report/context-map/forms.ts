import fc from 'fast-check';
import { ENTRY_FIELDS } from '../../../../src/core/agent-report/context-map/forms.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

/** Values near the forms of a context map: many are one, many miss it by one part. */
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'Signing.', 'repo://a.ts:1-2', 'src/a.ts', '4-9', ' ') },
  fc.constantFrom<JsonValue>(null, true, 0, -3, 45, 1.5, 1e300),
);
const lines: fc.Arbitrary<JsonValue> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('start', 'end', 'from', 'to', 'other'), scalar, { maxKeys: 3 }),
);
const field = fc.oneof(
  fc.constantFrom(...ENTRY_FIELDS),
  fc.constantFrom('constructor', 'symbol', 'toString'),
);
const entry: fc.Arbitrary<JsonValue> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(field, fc.oneof({ weight: 3, arbitrary: scalar }, lines), { maxKeys: 4 }),
  fc
    .tuple(fc.constantFrom('text', 'note'), fc.dictionary(field, lines, { maxKeys: 3 }))
    .map(([name, rest]) => ({ ...rest, [name]: 'Signing.' })),
);

export const nearMap: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: fc.array(entry, { maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc.dictionary(fc.oneof(field, fc.string({ maxLength: 5 })), scalar, { maxKeys: 3 }),
  },
  scalar,
);
