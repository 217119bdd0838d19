import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { execTeddy } from '../execute/program.js';
import { commitAll, makeRepository, namesIn, readJsonFile, reportOf, write } from './project.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

/** A project whose executor `mine` is this shell script; `$COUNT` is the number of the attempt. */
function projectOf(script: string): string {
  const cwd = makeRepository({
    '.gitignore': '.teddy\n',
    'a.ts': 'a\n',
    'good.json': reportOf(),
    'broken.json': reportOf({ status: 'done' }),
    'failed.json': reportOf({ status: 'failed' }).replace(
      '"confidence_level"',
      '"error_message": "No tests.", "confidence_level"',
    ),
  });
  write(cwd, 'agent.sh', `cat > prompt-$TEDDY_ATTEMPT.txt\nCOUNT=$TEDDY_ATTEMPT\n${script}\n`);
  write(cwd, '.teddy/config.yaml', 'executors:\n  mine: {command: sh agent.sh}\n');
  commitAll(cwd);
  return cwd;
}

interface Said {
  task_id: string;
  compliant: boolean;
  route: string;
  attempts: { status: string; compliant?: boolean; reason?: string; measured: { durationMs: number } }[];
}

async function run(cwd: string, ...words: string[]) {
  const fixed = ['--task-id', 'auth-1', '--goal', 'Find it.', '--field', 'questions=Where?'];
  const end = await execTeddy(
    ['agent', 'run', 'investigator', '--with', 'mine', '--trust', '--json', ...fixed, ...words],
    { cwd },
  );
  return { ...end, said: (end.stdout === '' ? {} : JSON.parse(end.stdout)) as Said };
}

test('a report that breaks the contract goes back with its issues, and the next one counts', async () => {
  const cwd = projectOf('if [ $COUNT = 1 ]; then cat broken.json; else cat good.json; fi');
  const { exit, said } = await run(cwd, '--unconfined');
  expect(exit).toBe(0);
  expect(said).toMatchObject({ task_id: 'auth-1', compliant: true, route: 'accept' });
  expect(said.attempts.map(({ compliant }) => compliant)).toEqual([false, true]);
  expect(said.attempts[1]!.measured.durationMs).toBeGreaterThan(0);
  const [first, second] = [1, 2].map((count) => readFileSync(join(cwd, `prompt-${count}.txt`), 'utf8'));
  expect(first).not.toContain('refused');
  expect(second).toContain(first!.trim());
  expect(second).toContain('$.report_metadata.status');
  const [folder] = namesIn(cwd, '.teddy/reports');
  expect(namesIn(cwd, `.teddy/reports/${folder}`)).toEqual([
    ...['answer-1.json', 'answer-1.txt', 'answer-2.json', 'answer-2.txt'],
    ...['briefing-1.json', 'briefing-1.md'],
  ]);
  expect(readJsonFile(cwd, `.teddy/reports/${folder}/answer-2.json`)).toMatchObject({
    measured: said.attempts[1]!.measured,
  });
  const stats = await execTeddy(['agent', 'stats', '--json'], { cwd });
  const durations = said.attempts.map(({ measured }) => measured.durationMs);
  expect(JSON.parse(stats.stdout).agents[0].used).toMatchObject({
    answers: 2,
    durationMs: durations[0]! + durations[1]!,
  });
});

test('after the last retry the report stays refused', async () => {
  const cwd = projectOf('cat broken.json');
  const { exit, said } = await run(cwd, '--unconfined', '--retries', '1');
  expect(exit).toBe(1);
  expect(said).toMatchObject({ compliant: false, route: 'failed' });
  expect(said.attempts).toHaveLength(2);
});

test('an agent that crashes is asked again; one that says it failed is not', async () => {
  const crashed = await run(projectOf('echo "out of memory" >&2; exit 3'), '--unconfined', '--retries', '1');
  expect(crashed.exit).toBe(1);
  expect(crashed.said.attempts.map(({ status }) => status)).toEqual(['unanswered', 'unanswered']);
  expect(crashed.said.attempts[0]!.reason).toContain('out of memory');
  const failed = await run(projectOf('cat failed.json'), '--unconfined');
  expect(failed.exit).toBe(1);
  expect(failed.said).toMatchObject({ compliant: true, route: 'failed' });
  expect(failed.said.attempts).toHaveLength(1);
});

test('what writes no reports, or is not known, is refused before anything starts', async () => {
  const cwd = projectOf('cat good.json');
  const ended = async (...words: string[]) => {
    const { exit, stderr } = await run(cwd, ...words);
    return `${exit} ${stderr}`;
  };
  expect(await ended('--with', 'human')).toMatch(/^2 .*writes no agent reports/);
  expect(await ended('--with', 'nobody')).toMatch(/^2 .*Unknown executor "nobody"/);
  expect(await ended('--retries', '11')).toMatch(/^2 .*0 to 10/);
  expect(await ended('--unconfined', '--field', 'colour=red')).toMatch(/^2 .*no such field/);
  expect(existsSync(join(cwd, 'prompt-1.txt'))).toBe(false);
});

test.skipIf(because !== '')(`confined, it can change the project, but not git${because}`, async () => {
  const cwd = projectOf('echo b > b.ts; echo x > .git/config; echo y > ../beside.txt; cat good.json');
  const config = readFileSync(join(cwd, '.git/config'), 'utf8');
  const { exit, said } = await run(cwd);
  expect({ exit, said }).toMatchObject({ exit: 0, said: { compliant: true } });
  expect(readFileSync(join(cwd, 'b.ts'), 'utf8')).toBe('b\n');
  expect(readFileSync(join(cwd, '.git/config'), 'utf8')).toBe(config);
  expect(existsSync(join(cwd, '../beside.txt'))).toBe(false);
});
