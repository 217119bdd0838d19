// What a secret must never reach, from the command line: standard output and error, the report in every form, the
// clipboard, the screen, and the run's folder.
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf, makeFolder } from '../folder.js';
import { chat, create, edit, execute, planOf, read } from '../runs/boundary/plan.js';
import { ALL, ENVIRONMENT, FILE, FORBIDDEN, SEVERAL, SINGLE } from '../runs/secrets/places.js';
import { noPython, TestTerminal } from './pty/terminal.js';
import { TEDDY, teddy } from './teddy.js';

const shapes = SINGLE.map(({ text }) => text);
const joined = shapes.join(' and ');
const env = Object.fromEntries(shapes.map((text, at) => [`GIVEN_${at}`, text]));
const inner = SEVERAL[0]!.text.split('\n').slice(2, 5).join('\n');

const ACTIONS = [
  read('secrets.txt'),
  execute('cat secrets.txt; cat secrets.txt >&2; printenv', {
    env,
    description: joined,
    expectedOutcome: `\`${shapes[0]}\``,
  }),
  execute('for n in 1 2 3 4 5 6; do cat secrets.txt; cat secrets.txt >&2; done; exit 1', {
    allowFailure: true,
  }),
  execute(`printf '%s\\n' ${shapes.map((text) => `'${text}'`).join(' ')}`, { metadata: { Note: joined } }),
  edit('secrets.txt', [`line before 3\n${ALL[3]!.text}\nline aftr 3`, 'x']),
  edit('secrets.txt', [`${inner}!`, 'x']),
  create('new.txt', FILE),
  chat(`Is it\n\n${SEVERAL[0]!.text}\n\nor ${shapes[0]}?`),
  execute('true', { env, description: joined }),
];

const DECISIONS = JSON.stringify({
  default: 'approve',
  decisions: [{ action: 9, decision: 'skip', reason: `Not with\n${FILE}` }],
  replies: [{ action: 8, text: FILE }],
});

function newProject() {
  const cwd = makeFolder({
    'root/secrets.txt': FILE,
    'root/plan.md': planOf(ACTIONS, { title: `About ${joined}`, memos: [`- ${joined}`] }),
    'root/decisions.yaml': DECISIONS,
    clipboard: '',
    'bin/xsel': '#!/bin/sh\ncase "$*" in *--input*) cat > "$CLIPBOARD";; *) cat "$CLIPBOARD";; esac\n',
    'bin/pbcopy': '#!/bin/sh\ncat > "$CLIPBOARD"\n',
  });
  for (const name of ['xsel', 'pbcopy']) chmodSync(join(cwd, 'bin', name), 0o755);
  return {
    cwd,
    root: join(cwd, 'root'),
    clipboard: () => readFileSync(join(cwd, 'clipboard'), 'utf8'),
    env: {
      ...ENVIRONMENT,
      HOME: homeOf(cwd),
      PATH: `${join(cwd, 'bin')}:${process.env.PATH}`,
      CLIPBOARD: join(cwd, 'clipboard'),
    },
  };
}

const WORDS = ['execute', 'plan.md', '--decisions', 'decisions.yaml', '--keep-going'];

test.each(['mirrored', 'contract', 'json'])('as %s', (format) => {
  const { root, env: environment } = newProject();
  const { exit, stdout, stderr } = teddy([...WORDS, '--format', format], { cwd: root, env: environment });
  expect(exit, stderr).toBe(1);
  // It was carried out, and what is no secret is there.
  expect(stdout).toContain('[masked:');
  expect(stdout).toContain('line before 5');
  expect(existsSync(join(root, 'new.txt'))).toBe(true);
  expect(found({ stdout, stderr, ...papersIn(root) })).toEqual([]);
  const again = teddy(['report', '--format', format], { cwd: root, env: environment });
  const undone = teddy(['undo', '--json'], { cwd: root, env: environment });
  expect(
    found({ report: again.stdout + again.stderr, undo: undone.stdout + undone.stderr, ...papersIn(root) }),
  ).toEqual([]);
});

test('in a file of its own', () => {
  const { root, cwd, env: environment } = newProject();
  const { stdout, stderr } = teddy([...WORDS, '--output', '../report.md'], { cwd: root, env: environment });
  const report = readFileSync(join(cwd, 'report.md'), 'utf8');
  expect(report).toContain('[masked:');
  expect(found({ stdout, stderr, report, ...papersIn(root) })).toEqual([]);
});

test.skipIf(noPython !== '')(`on a screen, and in the clipboard${noPython}`, async () => {
  const { root, env: environment, clipboard } = newProject();
  const terminal = new TestTerminal([process.execPath, TEDDY, ...WORDS], {
    cwd: root,
    env: environment,
    columns: 200,
  });
  expect(await terminal.ended).toMatchObject({ exit: 1 });
  expect(terminal.raw).toContain('to the clipboard.');
  expect(clipboard()).toContain('[masked:');
  expect(
    found({ screen: terminal.raw, history: terminal.history(), clipboard: clipboard(), ...papersIn(root) }),
  ).toEqual([]);
});

test('of a plan that is refused', () => {
  const { root, env: environment } = newProject();
  const plan = planOf([create('../out.txt', FILE), execute('true', { env, description: joined })], {
    title: joined,
  });
  const { exit, stdout, stderr } = teddy(['execute', '-', '-y'], {
    cwd: root,
    env: environment,
    input: plan,
  });
  expect(exit).toBe(1);
  expect(found({ stdout, stderr, ...papersIn(root) })).toEqual([]);
});

/** Which secret stands where, a few of them. */
function found(seen: Record<string, string>): string[] {
  const all = Object.entries(seen).flatMap(([where, text]) =>
    FORBIDDEN.filter((secret) => text.includes(secret)).map((secret) => {
      const at = text.indexOf(secret);
      const name = ALL.find((each) => each.secret.includes(secret))?.name ?? 'variable';
      return `${where}: ${name}: ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 50))}`;
    }),
  );
  return [...all.slice(0, 8), ...(all.length > 8 ? [`… ${all.length} in all`] : [])];
}

/** What a run leaves, but for what holds the user's own bytes. */
function papersIn(root: string): Record<string, string> {
  const folder = join(root, '.teddy');
  const texts: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (!entry.isFile() || /\/journal\/|^contents\/|\/plan\.md$|^memos\.yaml$|^turn\.context$/.test(name))
      continue;
    texts[name] = readFileSync(path, 'latin1');
  }
  return texts;
}
