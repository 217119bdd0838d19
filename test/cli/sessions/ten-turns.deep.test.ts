// A session from its first turn to the end of the line of work, through the program: two levels of agents, skips,
// failures, answers that do not pass, kills, a clipboard. Its texts are in fixtures/ten-turns.
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readTree } from '../../folder.js';
import type { Received } from '../../model-server.mjs';
import { CUT_OFF, SILENT_AFTER, Story, textOf } from './story.js';

const FOLDER = fileURLToPath(new URL('fixtures/ten-turns/', import.meta.url));
const PROJECT: Record<string, string> = { ...readTree(`${FOLDER}project`), 'old.log': 'Ignored by git.\n' };

/** Whose turn it is. */
const AGENTS = [
  ...['pathfinder', 'pathfinder', 'architect', 'architect'],
  ...['developer', 'developer', 'developer', 'developer'],
  ...['architect', 'pathfinder', 'pathfinder', 'pathfinder'],
];
const TURNS = AGENTS.map((agent, at) => ({ agent, name: String(at + 1).padStart(2, '0') }));

interface Told {
  files: Record<string, string>;
  /** The files of the project itself, afterwards. */
  project: Record<string, string>;
  requests: Received[];
  prompts: Record<string, string>;
  said: Record<string, string>;
}

/** Twice, each in a place of its own; by whichever test needs it first. */
let both: Promise<[Told, Told]> | undefined;
function told(): Promise<[Told, Told]> {
  both ??= Promise.all([tell(new Set(AGENTS)), tell([])]);
  return both;
}

async function tell(agents: Iterable<string>): Promise<Told> {
  const story = await Story.begin(PROJECT);
  try {
    await story.tell();
    const said = async (...words: string[]) => (await story.teddy(words)).stdout;
    const prompts: Record<string, string> = {};
    for (const agent of agents) prompts[agent] = await said('get-prompt', agent);
    const { site, model } = story;
    return {
      files: site.sessions(),
      project: Object.fromEntries(
        Object.entries(readTree(site.root)).filter(([path]) => !/^\.(?:git|teddy)\//.test(path)),
      ),
      requests: model.requests,
      prompts,
      said: {
        'history.txt': await said('history'),
        'sessions.txt': await said('sessions'),
        'diff-07.patch': await said('diff', '07'),
      },
    };
  } finally {
    await story.model.close();
  }
}

/** What stands in the folder of each turn, but for what the script itself has word by word. */
const WRITTEN = readTree(`${FOLDER}expected`);

function expectedFiles(prompts: Record<string, string>): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { name, agent } of TURNS) {
    files[`${name}/system_prompt.md`] = prompts[agent]!;
    if (name === '12') continue;
    files[`${name}/answer.md`] = files[`${name}/plan.md`] = textOf(`answers/${name}.md`);
  }
  const all = {
    ...files,
    '02/answer-1.md': textOf('answers/02-refused.md'),
    '03/answer-1.md': CUT_OFF,
    '05/answer-1.md': HALF,
    '09/answer-1.md': textOf('answers/09-refused.md'),
    '10/answer-1.md': textOf('answers/10-replaced.md'),
    ...Object.fromEntries(Object.entries(WRITTEN).filter(([path]) => path.includes('/'))),
    'session.context': WRITTEN['session.context']!,
  };
  return Object.fromEntries(
    Object.entries(all).map(([path, text]) => [`larder/${path}`, countIn(text, prompts)]),
  );
}

/** What the answer that nobody waited for has cost is estimated, and prompts may grow: the numbers are worked out here. */
function countIn(text: string, { developer }: Record<string, string>): string {
  const input = Math.ceil(developer!.length / 4) + Math.ceil(WRITTEN['05/input.md']!.length / 4);
  const output = Math.ceil(HALF.length / 4);
  return text
    .replace('{input: KILLED, output: KILLED,', `{input: ${input}, output: ${output},`)
    .replace('{input: BOTH, output: BOTH,', `{input: ${input + 2000}, output: ${output + 500},`)
    .replace('~N.Nk', `~${((input + output + 2500) / 1000).toFixed(1)}k`);
}

const HALF = [...textOf('answers/05.md')].slice(0, SILENT_AFTER).join('');

describe('every file', () => {
  test('is there, and no other', async () => {
    const [first] = await told();
    expect(Object.keys(first.files).sort()).toEqual(Object.keys(expectedFiles(first.prompts)).sort());
  });

  // An input names the system, and counts its letters.
  test.skipIf(process.platform !== 'linux')('is as it has to be, to the byte', async () => {
    const [first] = await told();
    const expected = expectedFiles(first.prompts);
    for (const path of Object.keys(expected).sort()) expect(first.files[path], path).toBe(expected[path]);
  });

  test('is the same when all is done again', async () => {
    const [first, second] = await told();
    expect(Object.keys(second.files).sort()).toEqual(Object.keys(first.files).sort());
    for (const [path, text] of Object.entries(first.files)) expect(second.files[path], path).toBe(text);
    expect(second.project).toEqual(first.project);
    expect(second.said).toEqual(first.said);
  });

  test('of the project is what the plans made of it', async () => {
    const [{ project }] = await told();
    expect(project).toEqual({
      ...Object.fromEntries(Object.entries(PROJECT).filter(([path]) => !path.startsWith('.teddy/'))),
      'README.md': '# larder\n\n`sh larder.sh` tells what is left, and what is gone.\n',
      'docs/design.md':
        '# What has run out\n\nA thing with a count of 0 is `gone`:\n\n````text\nrice: gone\n````\n',
      'larder.sh': PROJECT['larder.sh']!.replace('  echo', '  test "$count" = 0 && count=gone\n  echo'),
      'test.sh': PROJECT['test.sh']!.replace("'flour: 2'\n", "'flour: 2'\nexpect 'rice: gone'\n"),
      'watch.log': 'watching\n',
    });
  });
});

describe('the model', () => {
  const textsOf = ({ body }: Received): string[] =>
    body.messages.map(({ content }: { content: string }) => content);
  const askedIn = ({ requests }: Told, turn: string) =>
    requests.map(textsOf).filter(([, input]) => input!.startsWith(`# Input: turn ${turn} of`));

  test('was told what system_prompt.md and input.md say', async () => {
    const [first] = await told();
    for (const { name } of TURNS.slice(0, 11)) {
      const file = (path: string) => first.files[`larder/${name}/${path}`];
      // One that wrote too much is told so in the same breath.
      const more = name === '03' ? `\n${file('feedback-1.md')}` : '';
      const last = askedIn(first, name).at(-1)?.slice(0, 2);
      expect(last, name).toEqual(
        name === '07' ? undefined : [file('system_prompt.md'), `${file('input.md')}${more}`],
      );
    }
  });

  test('was told what is wrong with its plan', async () => {
    const [first] = await told();
    for (const name of ['02', '09', '10']) {
      const file = (path: string) => first.files[`larder/${name}/${path}`];
      const more = askedIn(first, name).at(-1)!.slice(2);
      expect(more, name).toEqual([file('answer-1.md'), file('feedback-1.md')]);
    }
  });

  test('was asked once for each answer', async () => {
    const [first] = await told();
    const times = TURNS.map(({ name }) => askedIn(first, name).length);
    expect(times).toEqual([1, 2, 2, 1, 2, 1, 0, 1, 2, 2, 1, 0]);
  });
});

test.each(['history.txt', 'sessions.txt', 'diff-07.patch'])('looking back: %s', async (name) => {
  const [{ said, prompts }] = await told();
  expect(said[name]).toBe(countIn(WRITTEN[name]!, prompts));
});
