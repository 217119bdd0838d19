import { expect, test } from 'vitest';
import { parseYaml } from '../../src/core/yaml.js';

test('whatever is repeated many times is read or refused, without a throw', () => {
  const units = [
    '[',
    '{',
    '- ',
    '? ',
    'a: ',
    '{a: ',
    '{? ',
    '&a ',
    '*a ',
    '!x ',
    '"',
    '| ',
    '\n - ',
    '#\n',
    '\u0000',
  ];
  for (const unit of units) {
    const read = parseYaml(unit.repeat(20_000));
    expect(['value', 'refused'], unit).toContain(read.status);
  }
  const keys = Array.from({ length: 50_000 }, (_, at) => `k${at}:`).join('\n');
  expect(parseYaml(keys).status).toBe('value');
});
