// Secrets are masked in all that is printed and in all that is kept, wherever an agent or a file has them.
import { describe, expect, test } from 'vitest';
import { makeFolder, readTree } from '../../folder.js';
import { SOAK } from '../../workspace/faults/random.js';
import { type Ended, execTeddy } from '../execute/program.js';
import { claimsOf, reportOf } from './project.js';

/** One that everybody knows by its shape, and one that only the environment tells. */
const SHAPED = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`;
const OWN = 'Zq8-xk2_Lm';
const env = { MY_TOKEN: OWN };
const BOTH = `${SHAPED} or ${OWN}`;

/** Where a secret stands in clear: in what a command printed, or in a file below `.teddy`. */
function leaksOf(cwd: string, ends: readonly Ended[]): string[] {
  const kept = Object.entries(readTree(cwd)).filter(([path]) => path.startsWith('.teddy/'));
  const texts: [string, string][] = [
    ...ends.flatMap(({ stdout, stderr }, at): [string, string][] => [
      [`stdout ${at}`, stdout],
      [`stderr ${at}`, stderr],
    ]),
    ...kept.flatMap(([path, text]): [string, string][] => [
      [`the name ${path}`, path],
      [path, text],
    ]),
  ];
  return texts.flatMap(([where, text]) =>
    // Names of folders are in small letters.
    [SHAPED, OWN, SHAPED.replace('_', '-'), OWN.toLowerCase().replace('_', '-')]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${secret} in ${where}`),
  );
}

async function run(words: string[], cwd: string, input?: string): Promise<Ended> {
  return execTeddy(['agent', ...words], { cwd, env, ...(input !== undefined && { input }) });
}

describe('a secret in a report', () => {
  const PLACES: [string, string][] = [
    ['a recommendation', reportOf({ recommendations: [`Use ${BOTH}.`] })],
    ['a finding', reportOf({ findings: { context_map: [[`It is ${BOTH}.`, null]] } })],
    ['an address', reportOf({ findings: { context_map: [['It.', `repo://src/${SHAPED}/${OWN}.ts:1`]] } })],
    ['a symbol', reportOf({ findings: { context_map: [['It.', `repo://src/a.ts#${OWN}`]] } })],
    ['the name of the agent', reportOf({ agent: `agent ${BOTH}` })],
    ['the id of the task', reportOf({ taskId: `task ${BOTH}` })],
    ['a status', reportOf({ status: BOTH })],
    ['a key', reportOf({ [SHAPED]: 1 })],
    ['a map of texts', reportOf({ findings: { context_map: { [`It is ${BOTH}.`]: 'repo://src/a.ts' } } })],
    ['a claim', claimsOf([`created src/${SHAPED}`, `created ../${OWN}`])],
    ['what is no JSON', `I used ${BOTH}.`],
    ['what breaks off', reportOf({ recommendations: [`Use ${BOTH}.`] }).slice(0, -10)],
  ];

  // In both forms in a soak; otherwise each place in one of them, in turn.
  const FORMS = PLACES.flatMap(([place, report], at): [string, string, string[]][] => {
    const forms: [string, string, string[]][] = [
      [`${place}, for people`, report, []],
      [`${place}, as JSON`, report, ['--json']],
    ];
    return SOAK ? forms : [forms[at % 2]!];
  });

  test.each(FORMS)('is masked wherever it goes: %s', async (_, report, form) => {
    const cwd = makeFolder({ 'src/a.ts': 'a\n' });
    const ends = [
      await run(['check', '-', ...form], cwd, report),
      await run(['merge', '-', ...form], cwd, report),
      await run(['stats', ...form], cwd),
    ];
    expect(ends.map(({ stderr }) => stderr).join('')).not.toContain('bug in teddy');
    expect(leaksOf(cwd, ends)).toEqual([]);
  });

  test('has a mask in its place, and the rest stays', async () => {
    const cwd = makeFolder();
    const { stdout } = await run(
      ['check', '-', '--json'],
      cwd,
      reportOf({ recommendations: [`Use ${OWN}!`] }),
    );
    const { report, kept } = JSON.parse(stdout);
    expect(report.recommendations).toEqual([expect.stringMatching(/^Use \[masked:[0-9a-f]{8}\]!$/)]);
    const text = readTree(cwd)[kept.replace('.json', '.txt')]!;
    expect(JSON.parse(text).recommendations).toEqual(report.recommendations);
  });
});

test.each([
  [
    'claude',
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: reportOf({ recommendations: [BOTH] }),
      session_id: OWN,
    },
  ],
  ['claude', { type: 'result', subtype: 'error_during_execution', is_error: true, errors: [`401: ${BOTH}`] }],
  ['codex', { type: 'turn.failed', error: { message: `bad key ${BOTH}` } }],
  ['gemini', { error: { type: 'ApiError', message: `bad key ${BOTH}` }, stats: { models: {} } }],
])('a secret in what %s prints is masked in what is said and kept', async (client, output) => {
  const cwd = makeFolder();
  const input = `${JSON.stringify(output)}\n`;
  const ends = [
    await run(['check', '-', '--from', client], cwd, input),
    await run(['check', '-', '--from', client, '--json'], cwd, input),
  ];
  expect(leaksOf(cwd, ends)).toEqual([]);
  expect(ends[1]!.stdout + Object.values(readTree(cwd)).join('')).toContain('[masked:');
});

describe('a secret in a briefing', () => {
  const FILES = { 'src/a.ts': `const key = '${SHAPED}';\nconst other = '${OWN}';\n` };

  test.each([
    ['the goal', ['--goal', `Log in with ${BOTH}.`]],
    ['a field', ['--goal', 'g', '--field', `known=The key is ${BOTH}.`]],
    ['the id of the task', ['--goal', 'g', '--task-id', `task ${BOTH}`]],
    ['the lines of a context map', ['--goal', 'g', '--context-map', 'lines.json']],
    ['the texts and addresses of one', ['--goal', 'g', '--context-map', 'texts.json']],
  ])('is masked: %s', async (_, words) => {
    const cwd = makeFolder({
      ...FILES,
      'lines.json': '[["The keys.", "repo://src/a.ts:1-2"]]\n',
      'texts.json': JSON.stringify([[`The key is ${BOTH}.`, `repo://src/${SHAPED}/${OWN}.ts:1`]]),
    });
    const ends = [
      await run(['brief', 'investigator', '--task-id', 'auth-1', ...words], cwd),
      await run(['brief', 'investigator', '--task-id', 'auth-1', ...words, '--json'], cwd),
    ];
    expect(ends.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(leaksOf(cwd, ends)).toEqual([]);
  });

  test('is masked in a context map that is looked at', async () => {
    const cwd = makeFolder({
      ...FILES,
      'map.json': JSON.stringify([
        ['The keys.', 'repo://src/a.ts:1-2'],
        [`They are ${BOTH}.`, `repo://src/${OWN}.ts`],
      ]),
    });
    const ends = [
      await run(['context-map', 'map.json'], cwd),
      await run(['context-map', 'map.json', '--json'], cwd),
    ];
    expect(leaksOf(cwd, ends)).toEqual([]);
    expect(ends[0]!.stdout).toMatch(/1 \| const key = '\[masked:/);
  });
});

test('a secret in why a person decides is masked', async () => {
  const cwd = makeFolder();
  await run(['check', '-'], cwd, reportOf());
  const ends = [
    await run(['decide', 'auth-1', 'reject', '--reason', `It prints ${BOTH}.`], cwd),
    await run(['decide', 'auth-1', 'reject', '--reason', `It prints ${BOTH}.`, '--json'], cwd),
  ];
  expect(ends.map(({ exit }) => exit)).toEqual([0, 0]);
  expect(leaksOf(cwd, ends)).toEqual([]);
  expect(ends[1]!.stdout).toContain('It prints [masked:');
});
