// No key and no other secret of the environment is in any file under the root, nor in anything that is printed, whoever
// brings it: the person, a file of the project, the model's service, a command.
import { expect, onTestFinished, test } from 'vitest';
import { readTree } from '../../folder.js';
import { type ModelStep, startModelServer } from '../../model-server.mjs';
import { chat, create, execute, planOf, read } from '../../runs/boundary/plan.js';
import { endOf, Site, until } from './site.js';

/** A name that says nothing, until the config says that it is the key's. */
const ODD = { LARDER_DOOR: 'opensesame-4711-Kx9vQ2' };
const TELLING = {
  ANTHROPIC_API_KEY: 'sk-ant-api03-Zq8vT2mWx5Rk7Lp0Yd3Hs6Jf9Nb1Gc4Ae',
  MODEL_API_KEY: 'mk_29fKq0Zt7Xw1Bv8Lm3',
  GITHUB_TOKEN: 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8',
  DATABASE_URL: 'postgres://cook:Pf3ffer-und-Sa1z@db.example.org/larder',
};
const SECRETS = { ...TELLING, ...ODD };
const FORBIDDEN = Object.values(SECRETS).map((value) => /:([^:@]+)@/.exec(value)?.[1] ?? value);
/** A person's own files, which hold what they hold. */
const OWN = 'door.txt';
const AGENT = '.teddy/agents/leaky.md';

const looks = planOf([read(OWN), execute('env; cat door.txt; env >&2'), chat('Is KEY yours?')], {
  title: 'Look at KEY',
  memos: ['+ The door opens with KEY.'],
});
const writes = planOf([create('new.txt', 'KEY\n')], { title: 'Write KEY down' });
const harmless = planOf([read(OWN)], { title: 'Nothing but a look' });

/** The service says the key wherever it can. */
const STEPS: ModelStep[] = [
  { status: 401, body: { error: { message: 'Bad key: KEY', type: 'auth' } } },
  { status: 400, body: 'What is KEY?' },
  { answer: 'I know KEY, and I', errorAfter: 40, error: { type: 'KEY', message: 'No more: KEY' } },
  { answer: writes },
  { answer: `KEY ${looks}` },
  { answer: looks },
  { answer: `As KEY says:\n\n\`\`\`\`\`markdown\n${looks}\`\`\`\`\`\nKEY`, chunk: 3 },
  { answer: harmless },
  { answer: `It is ALL, and `, stallAfter: 400 },
];

test.each([
  ['openai-compatible', 'LARDER_DOOR'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
] as const)('%s, with the key in %s', async (provider, keyEnv) => {
  const env: Record<string, string> = keyEnv === 'LARDER_DOOR' ? SECRETS : TELLING;
  const ALL = Object.values(env).join(' ');
  const steps = STEPS.map((step) => ({
    ...step,
    echoKey: true,
    ...(step.answer && { answer: step.answer.replace('ALL', ALL) }),
  }));
  const model = await startModelServer(() => steps.shift() ?? { answer: harmless });
  onTestFinished(() => model.close());
  const site = new Site({ [OWN]: `${ALL}\n`, 'README.md': 'A larder.\n' }, { env });
  site.write(
    '.teddy/config.yaml',
    `model: {provider: ${provider}, baseURL: "${model.url}", name: m, keyEnv: ${keyEnv}}\n`,
  );
  const said: Record<string, string> = {};
  const teddy = async (words: string[], exits: (number | null)[] = [0]) => {
    const { exit, stdout, stderr } = await site.run(words);
    expect(exits, `${words.join(' ')}: ${stderr}${stdout}`).toContain(exit);
    said[`${Object.keys(said).length} ${words[0]}`] = stdout + stderr;
  };

  await teddy(['new', 'door', '--agent', 'developer']);
  site.write('.teddy/sessions/door/session.context', `${OWN}\n`);
  await teddy(['context', '-m', `Is it ${ALL}?`]);
  await teddy(['context', '--json', '-m', `Is it ${ALL}?`]);
  for (const _ of [401, 400, 'an error in the middle']) await teddy(['plan', '-m', `Use ${ALL}.`], [2]);
  await teddy(['plan', '-m', `Use ${ALL}.`, '--json']);
  // The service has said the key by now, in an answer that broke off and in plans.
  expect(steps.length).toBeLessThan(4);
  site.write('../decisions.yaml', `default: approve\nreplies: [{action: 3, text: "It is ${ALL}"}]\n`);
  await teddy(['resume', '--decisions', '../decisions.yaml'], [0, 1]);
  site.clipboard = looks.replaceAll('KEY', ALL);
  await teddy(['context', '-m', ALL]);
  await teddy(['execute', '--decisions', '../decisions.yaml'], [0, 1]);
  site.clipboard = `No plan, only ${ALL}`;
  await teddy(['execute', '--yes'], [1]);
  await teddy(['resume', '-m', ALL]);
  await teddy(['execute', '.teddy/sessions/door/03/plan.md', '--yes', '--format', 'json']);
  // Whoever is killed while secrets come leaves none of them.
  const child = site.start(['plan', '-m', ALL]);
  await until(() => site.has('.teddy/sessions/door/04/answer.part'), 'the model answers');
  await until(
    () => site.read('.teddy/sessions/door/04/answer.part').includes('[masked:'),
    'a secret has come',
  );
  child.kill('SIGKILL');
  await endOf(child);
  expect(found({ part: site.read('.teddy/sessions/door/04/answer.part') })).toEqual([]);
  const telling = Object.values(TELLING).join(' ');
  site.write(AGENT, `---\nkind: planner\n---\n\nYou know ${telling}.\n`);
  await teddy(['new', 'leaky', '--agent', 'leaky']);
  await teddy(['get-prompt', 'leaky']);
  await teddy(['context', '-m', 'Hello.']);
  const others = [
    ['get-prompt'],
    ['history', 'door'],
    ['sessions', '--json'],
    ['diff', 'door/02'],
    ['report'],
    [],
  ];
  // Who looks back asks no model: once is enough.
  for (const words of keyEnv === 'LARDER_DOOR' ? others : []) await teddy(words);

  const files = readTree(site.root);
  expect(Object.keys(files)).toContain('.teddy/sessions/door/04/meta.yaml');
  // The masks are there: what was to be masked has come this far.
  expect(files['.teddy/sessions/door/01/input.md']).toContain('[masked:');
  expect(files['.teddy/sessions/door/01/report.md']).toContain('[masked:');
  delete files[OWN];
  delete files[AGENT];
  expect(found(files)).toEqual([]);
  expect(found(said)).toEqual([]);
  // The key itself went to the service, and nowhere else.
  const told = JSON.stringify(model.requests.map(({ body }) => body));
  expect(found({ told })).toEqual([]);
  expect(JSON.stringify(model.requests.map(({ headers }) => headers))).toContain(SECRETS[keyEnv]);
});

function found(texts: Record<string, string>): string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    FORBIDDEN.filter((secret) => text.includes(secret)).map((secret) => {
      const at = text.indexOf(secret);
      return `${where}: ${JSON.stringify(text.slice(Math.max(0, at - 50), at + secret.length + 10))}`;
    }),
  );
}
