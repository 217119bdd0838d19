import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENTS, type Client, type Measured } from '../../../../src/core/agent-report/types.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

const FOLDER = fileURLToPath(new URL('../../../../spec/clients/', import.meta.url));
const IN_A_SHAPE = ['expected.json', 'output'];
const IN_EXPECTED = ['text', 'report', 'measured', 'issues', 'says'];

export interface Fixture {
  name: string;
  client: Client;
  output: string;
  expected: {
    text?: string | null;
    report?: JsonValue;
    measured: Measured;
    issues: string[];
    says?: string[];
  };
}

/** Throws on anything missing or unknown: a shape that asserts less than it seems to is worse than none. */
export function readFixtures(): Fixture[] {
  demand(readdirSync(FOLDER), [...CLIENTS, 'README.md', 'recorded'], FOLDER);
  return CLIENTS.flatMap((client) =>
    readdirSync(join(FOLDER, client)).map((shape) => readFixture(client, shape)),
  );
}

function readFixture(client: Client, shape: string): Fixture {
  const folder = join(FOLDER, client, shape);
  demand(readdirSync(folder), IN_A_SHAPE, folder);
  const expected: Fixture['expected'] = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const keys = Object.keys(expected).filter((key) => key !== 'says' && key !== 'report' && key !== 'text');
  demand(keys, ['measured', 'issues'], folder);
  if ('text' in expected === 'report' in expected) throw new Error(`${folder}: either text or report`);
  if (Object.keys(expected).some((key) => !IN_EXPECTED.includes(key))) throw new Error(`${folder}: unknown`);
  if ((expected.says ?? []).length !== expected.issues.length) throw new Error(`${folder}: says and issues`);
  const output = readFileSync(join(folder, 'output'), 'utf8');
  return { name: `${client}/${shape}`, client, output, expected };
}

function demand(found: readonly string[], wanted: readonly string[], where: string): void {
  const [have, want] = [[...found].sort(), [...wanted].sort()];
  if (have.join() !== want.join()) throw new Error(`${where} holds ${have}, and must hold ${want}.`);
}
