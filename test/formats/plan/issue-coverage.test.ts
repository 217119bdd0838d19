import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PLAN_ISSUES } from '../../../src/formats/plan/index.js';

const spec = fileURLToPath(new URL('../../../spec/', import.meta.url));

test('every issue that a plan can have is shown by a case', () => {
  const shown = new Set(
    readdirSync(spec, { recursive: true, encoding: 'utf8' })
      .filter((path) => /expected[\\/]issues$/.test(path))
      .flatMap((path) => readFileSync(join(spec, path), 'utf8').split('\n'))
      .map((line) => line.split(' ')[1]),
  );
  expect(Object.keys(PLAN_ISSUES).filter((code) => !shown.has(code))).toEqual([]);
});
