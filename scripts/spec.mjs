// npm run spec [-- WORD]           runs the cases that have the word in their path
// npm run spec -- --accept CASE…   writes what the program does as what is expected, to be judged in git diff
import { spawnSync } from 'node:child_process';

const [first, ...cases] = process.argv.slice(2);
const accepts = first === '--accept';
if (accepts && process.env.CI) fail('Expected results are not written in CI.');
if (accepts && cases.length === 0) fail('Name the cases to accept: npm run spec -- --accept tasks/list');

const words = accepts ? ['-t', 'is accepted'] : first === undefined ? [] : ['-t', first];
const env = { ...process.env, ...(accepts && { TEDDY_ACCEPT: cases.join(' ') }) };
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'spec', ...words], {
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);

function fail(message) {
  console.error(message);
  process.exit(2);
}
