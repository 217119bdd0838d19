import { expect, test } from 'vitest';
import { describeForm } from '../../../../src/core/agent-report/context-map/forms.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

test.each<[string, JsonValue, string | null]>([
  [
    'pairs',
    [
      ['a', null],
      ['b', 'repo://b.ts'],
    ],
    null,
  ],
  ['nothing', [], null],
  ['a text that is an address, with one', [['repo://a.ts', 'repo://b.ts']], null],
  ['plain texts', ['a', 'b'], '2 of 2'],
  ['one text among pairs', [['a', null], 'b'], '1 of 2'],
  ['the strict form', [{ text: 'a', uri: null }], null],
  ['objects', [{ text: 'a' }], '1 of 1'],
  ['a pair without its address', [['a']], '1 of 1'],
  ['a pair in the wrong order', [['repo://a.ts', 'What is there.']], '1 of 1'],
  ['a map', { 'repo://a.ts': 'What is there.' }, '1 of 1'],
])('%s', (_, map, counted) => {
  const said = describeForm(map);
  if (counted === null) expect(said).toBeNull();
  else
    expect(said).toMatch(
      new RegExp(`^${counted} entries of the context map are not written as \\[text, address or null\\]`),
    );
});
