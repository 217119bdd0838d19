// `teddy acp --agent`: a coding agent in place of the model, with the SDK's own client.
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { Site, until } from '../sessions/site.js';
import { Editor, type EditorUser, type Permission } from './editor.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const FORMS = checked.available ? [true, false] : [false];

interface Scene {
  site: Site;
  open(user: Partial<EditorUser>): Promise<Editor>;
}

/** A trusted project whose executors are an agent that prints its answer, and one that speaks the protocol. */
async function openScene({ agent = 'mine', confined = false, asked = '' } = {}): Promise<Scene> {
  const config = `executors:
  mine: {command: "${process.execPath} working-agent.mjs"}
  speaking: {acp: "ASKED='${asked}' ${process.execPath} agent.mjs asks"}
  asking: {acp: "${process.execPath} agent.mjs 'has a form'"}
`;
  const site = new Site({
    'README.md': 'A larder.\n',
    '.teddy/config.yaml': config,
    '.gitignore': '*.mjs\n',
  });
  copyFileSync(join(import.meta.dirname, 'working-agent.mjs'), join(site.root, 'working-agent.mjs'));
  copyFileSync(
    join(import.meta.dirname, '../../orchestrate/executors/acp/agent.mjs'),
    join(site.root, 'agent.mjs'),
  );
  const trusted = await site.run(['trust', '--yes']);
  if (trusted.exit !== 0) throw new Error(trusted.stderr);
  const words = ['--agent', agent, ...(confined ? [] : ['--unconfined'])];
  return { site, open: (user) => Editor.open(site, { permit: () => 'Approve', ...user }, words) };
}

const worksOf = ({ root }: Site) =>
  readdirSync(join(root, '.teddy/changes')).filter((name) => /^\d{8}-/.test(name));

/** Processes that work in the project or in a copy of it. */
function isAtWork({ root }: Site): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return (
        words.includes('working-agent.mjs') && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(root)
      );
    } catch {
      return false;
    }
  });
}

function diffOf({ toolCall }: Permission): Record<string, unknown> | undefined {
  return toolCall.content?.find(({ type }) => type === 'diff');
}

test.each(FORMS)(
  'its files are shown with their diffs, one is refused with a reason, and the rest lands; confined: %s',
  async (confined) => {
    const { site, open } = await openScene({ confined });
    const early: boolean[] = [];
    const editor = await open({
      permit(asked) {
        early.push(site.has('honey.txt'));
        return /wax/.test(asked.toolCall.title ?? '') ? 'Skip' : 'Approve';
      },
      fill: () => 'Wax is not food.',
    });
    const session = await editor.start();
    expect(await editor.prompt('Store the honey.')).toBe('end_turn');
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
      'EDIT README.md',
      'CREATE honey.txt',
      'CREATE wax.txt',
    ]);
    expect(editor.asked.map(diffOf)).toMatchObject([
      { path: join(site.root, 'README.md'), oldText: 'A larder.\n', newText: 'A larder.\nNow with honey.\n' },
      { path: join(site.root, 'honey.txt'), oldText: null, newText: 'sweet\n' },
      { path: join(site.root, 'wax.txt'), oldText: null, newText: 'hard\n' },
    ]);
    expect(early).toEqual([false, false, false]);
    expect(editor.forms).toEqual(['Why skip it? CREATE wax.txt']);
    expect([site.read('README.md'), site.read('honey.txt'), site.has('wax.txt')]).toEqual([
      'A larder.\nNow with honey.\n',
      'sweet\n',
      false,
    ]);
    expect(editor.said()).toMatch(/I was asked:\s+Store the honey\.[\s\S]*Wax is not food\./);
    expect([...editor.calls().values()].map(({ title, status }) => `${title}: ${status}`)).toEqual([
      'EDIT README.md: completed',
      'CREATE honey.txt: completed',
      'CREATE wax.txt: failed',
    ]);

    // It gets the whole conversation with the next message, and continues in its copy.
    const before = editor.updates.length;
    await editor.prompt('What did I say?');
    expect(editor.said(before)).toMatch(
      /Store the honey\.[\s\S]*Your answer:[\s\S]*Wax is not food\.[\s\S]*The user:\s+What did I say\?/,
    );
    expect(editor.asked.at(-1)?.toolCall.title).toBe('CREATE wax.txt');

    expect(await editor.prompt('/undo')).toBe('end_turn');
    expect([site.read('README.md'), site.has('honey.txt')]).toEqual(['A larder.\n', false]);
    const { stdout } = await site.run(['sessions']);
    expect(stdout).toContain(session);
    expect(await editor.end()).toBe(0);
  },
);

test.each(FORMS)(
  'teddy is killed while it works: it continues in its copy, and no process is left; confined: %s',
  async (confined) => {
    const { site, open } = await openScene({ confined });
    const first = await open({});
    const session = await first.start();
    const lost = first.prompt('Take your time.').catch(() => 'lost');
    await until(() => first.said(0, 'agent_thought_chunk').includes('I have begun.'), 'it has begun');
    await first.kill();
    expect(await lost).toBe('lost');
    const second = await open({});
    await second.load(session);
    expect(second.said(0, 'user_message_chunk')).toContain('Take your time.');
    expect(second.said()).toContain('/resume asks the agent again');
    expect(await second.prompt('/resume')).toBe('end_turn');
    expect(site.read('partial.txt')).toBe('begun\ndone\n');
    expect(isAtWork(site)).toBe(false);
    expect(worksOf(site)).toEqual([]);
    expect(await second.end()).toBe(0);
  },
);

test('teddy is killed during the review: what was decided is not asked about again', async () => {
  const { site, open } = await openScene();
  const first = await open({
    permit: ({ toolCall }) => (/honey/.test(toolCall.title ?? '') ? new Promise<never>(() => {}) : 'Approve'),
  });
  const session = await first.start();
  void first.prompt('Store the honey.').catch(() => {});
  await until(() => first.asked.length === 2, 'the second file is asked about');
  await first.kill();
  expect(site.read('README.md')).toBe('A larder.\n');
  const second = await open({});
  await second.load(session);
  expect(second.said()).toMatch(/I was asked:[\s\S]*still waiting for your review: \/resume/);
  expect(await second.prompt('/resume')).toBe('end_turn');
  expect(second.asked.map(({ toolCall }) => toolCall.title)).toEqual(['CREATE honey.txt', 'CREATE wax.txt']);
  expect(['README.md', 'honey.txt', 'wax.txt'].map((path) => site.read(path))).toEqual([
    'A larder.\nNow with honey.\n',
    'sweet\n',
    'hard\n',
  ]);
  expect(worksOf(site)).toEqual([]);
  expect(await second.end()).toBe(0);
});

test('a cancel ends the agent, and a cancelled review waits', async () => {
  const { site, open } = await openScene();
  const editor = await open({ permit: () => null });
  await editor.start();
  const stopped = editor.prompt('Take your time.');
  await until(() => editor.said(0, 'agent_thought_chunk').includes('I have begun.'), 'it has begun');
  await editor.cancel();
  expect(await stopped).toBe('cancelled');
  expect(isAtWork(site)).toBe(false);
  expect(editor.said()).toContain('/resume lets it continue there');
  // The user of this editor cancels every question.
  expect(await editor.prompt('/resume')).toBe('cancelled');
  expect(editor.said()).toContain('The changes of the agent are still waiting for your review');
  expect(site.has('partial.txt')).toBe(false);
  expect(await editor.end()).toBe(0);
});

test('an editor that is gone ends the agent, and the session continues', async () => {
  const { site, open } = await openScene();
  const first = await open({});
  const session = await first.start();
  void first.prompt('Take your time.').catch(() => {});
  await until(() => first.said(0, 'agent_thought_chunk').includes('I have begun.'), 'it has begun');
  expect(await first.end()).toBe(0);
  expect(isAtWork(site)).toBe(false);
  const second = await open({});
  await second.load(session);
  expect(await second.prompt('/resume')).toBe('end_turn');
  expect(site.read('partial.txt')).toBe('begun\ndone\n');
  expect(await second.end()).toBe(0);
});

test('what fails is said, and lands nothing', async () => {
  const { site, open } = await openScene();
  const editor = await open({});
  await editor.start();
  expect(await editor.prompt('Fail.')).toBe('end_turn');
  expect(editor.said()).toMatch(/exited with 3[\s\S]*The hive is empty\.[\s\S]*teddy changes review \d{8}-/);
  expect([editor.asked, site.has('broken.txt')]).toEqual([[], false]);
  expect(await editor.prompt('Thank you.')).toBe('end_turn');
  expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual(['CREATE broken.txt']);
  expect(await editor.end()).toBe(0);
});

test('an agent that is not there is said, and leaves no copy', async () => {
  const { site, open } = await openScene({ agent: 'codex' });
  site.env.PATH = `/usr/bin:/bin:${site.base}`;
  const editor = await open({});
  await editor.start();
  expect(await editor.prompt('Store the honey.')).toBe('end_turn');
  expect(editor.said()).toMatch(/codex.*not found/);
  expect(worksOf(site)).toEqual([]);
  expect(await editor.end()).toBe(0);
});

test.each([
  ['Allow: Yes', []],
  ['Refuse: No', ['Why refuse it? speaking: May it run a command: npm test']],
])('what it asks for is asked in the editor: %s', async (answer, forms) => {
  const { site, open } = await openScene({ agent: 'speaking', asked: 'npm test' });
  const editor = await open({
    permit: ({ options }) => (options.some(({ name }) => name === answer) ? answer : 'Approve'),
    fill: () => 'No tests today.',
  });
  await editor.start();
  expect(await editor.prompt('Test it.')).toBe('end_turn');
  expect(editor.forms).toEqual(forms);
  expect(editor.asked[0]!.toolCall.title).toBe('speaking: May it run a command: npm test');
  const notes = site.read('notes');
  expect(notes.includes('"optionId":"a"')).toBe(forms.length === 0);
  expect(notes.includes('Run npm test: No tests today.')).toBe(forms.length > 0);
  expect(await editor.end()).toBe(0);
});

test('the fields of its form are asked one by one; a text is the next prompt', async () => {
  const { site, open } = await openScene({ agent: 'asking' });
  const answers = ['blue', 'Yes', 'x'];
  const editor = await open({ permit: () => answers.shift() ?? 'Approve' });
  await editor.start();
  expect(await editor.prompt('Ask me.')).toBe('end_turn');
  expect(editor.said()).toContain('Answer with a whole number.');
  expect(await editor.prompt('12')).toBe('end_turn');
  const content = { color: 'blue', count: 12, sure: true, tags: ['x'] };
  expect(site.read('notes')).toBe(`${JSON.stringify({ action: 'accept', content })}\n`);
  expect(await editor.end()).toBe(0);
});
