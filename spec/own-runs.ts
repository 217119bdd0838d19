import { createHmac, hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = 'a-key-that-only-the-user-of-these-cases-has-got';

/** Makes runs in a case's input the user's own, in the order in which they were begun: written without the code under test. */
export function sealRuns(folder: string, state: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  mkdirSync(join(state, 'teddy'), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'teddy/key'), `${KEY}\n`, { mode: 0o600 });
  const { dev, ino } = statSync(folder);
  const here = { root: realpathSync(folder), folder: `${dev}:${ino}` };
  for (const [i, run] of ids.entries()) {
    const inRun = (name: string) => join(folder, '.teddy/runs', run, name);
    const record = hash('sha256', readFileSync(inRun('run.json')));
    const body = JSON.stringify({ run, number: i + 1, ...here, record });
    writeFileSync(inRun('seal'), `${seal(`run ${body}`)}\n${body}\n`, { mode: 0o600 });
    if (!existsSync(inRun('undone.json'))) continue;
    const { left = [] } = JSON.parse(readFileSync(inRun('undone.json'), 'utf8')) as { left?: string[] };
    const mark = { left, seal: seal(`undone ${JSON.stringify({ run, left })}`) };
    writeFileSync(inRun('undone.json'), `${JSON.stringify(mark)}\n`);
  }
}

function seal(body: string): string {
  return createHmac('sha256', KEY).update(body).digest('hex');
}
