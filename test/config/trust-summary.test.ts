import { expect, test } from 'vitest';
import { initProject } from '../../src/config/init.js';
import { fileOf } from '../../src/config/project.js';
import { listKeys, SETTINGS } from '../../src/config/schema.js';
import { summarizeForTrust } from '../../src/config/trust-summary.js';
import { makeFolder } from '../folder.js';

const summarize = (path: string, text: string) => summarizeForTrust(fileOf(path, text));

test('settings that act are shown; limits, places and formats are counted', async () => {
  expect(
    await summarize(
      '.teddy/config.yaml',
      '# hello\nexecute: {timeout: 5m, sandbox: true}\nmodel: {provider: openai, baseURL: "http://x/v1"}\nexecutors:\n  mine:\n    command: |\n      curl x\n      sh y\nplans: {glob: [a, b]}\n',
    ),
  ).toEqual({
    acts: [
      'execute.sandbox: true',
      'model.provider: openai',
      'model.baseURL: http://x/v1',
      'executors.mine.command: curl x\nsh y\n',
    ],
    plain: 2,
  });
});

test('of a policy, what it allows', async () => {
  expect(
    await summarize(
      '.teddy/policy.yaml',
      'rules: [{deny: EXECUTE, command: "rm *"}, {allow: EXECUTE, command: "npm test"}, {ask: "*"}]',
    ),
  ).toEqual({ acts: ['allow: EXECUTE, command: npm test'], plain: 2 });
});

test('a new file of teddy init has nothing that acts', async () => {
  const init = initProject(makeFolder());
  if (init.status !== 'ready') throw new Error(init.reason);
  for (const file of init.files) expect(await summarizeForTrust(file)).toEqual({ acts: [], plain: 0 });
});

test.each([
  ['.teddy/policy.yaml', 'rules: [deny]'],
  ['.teddy/policy.yaml', 'rules: {allow: "*"}'],
  ['.teddy/config.yaml', 'model: {'],
  ['.teddy/agents/a.md', 'Do it.'],
  ['.git/config (programs)', 'filter.x.clean=y'],
])('%s with %s is shown whole', async (path, text) => {
  expect(await summarize(path, text)).toBeUndefined();
});

test('these settings act, and no other', async () => {
  const text = listKeys(SETTINGS).map((key) => {
    const names = key.split('.');
    return `${names.slice(0, -1).reduceRight((inner, name) => `{${name}: ${inner}}`, `{${names.at(-1)}: x}`)}`;
  });
  const acts = await Promise.all(text.map((each) => summarize('.teddy/config.yaml', each)));
  expect(acts.flatMap((each) => each!.acts.map((line) => line.split(':')[0]))).toEqual([
    ...['execute.sandbox', 'execute.network', 'verify.prepare', 'read.allowPrivate'],
    ...['research.provider', 'research.url', 'research.keyEnv'],
    ...['model.provider', 'model.name', 'model.baseURL', 'model.keyEnv'],
    ...['orchestrate.executor', 'orchestrate.setup'],
  ]);
});
