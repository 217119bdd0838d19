// SIGKILL at any moment of `teddy plan` and of `teddy resume --yes`, and what the next command finds.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../model-server.mjs';
import { answerTo, findFaults, findFaultsAtTheEnd } from '../../sessions/session-faults.js';
import { SESSION } from '../../sessions/session-step.js';
import { inParallel } from '../../worker.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { endOf, Site } from './site.js';

const KILLS = SOAK ? 100 : 2;

test.each(['plan', 'resume'] as const)('teddy %s, killed at a random moment', async (what) => {
  const model = await startModelServer((request) => ({ answer: answerTo(request), chunk: 40 }));
  onTestFinished(() => model.close());
  const random = seeded(SOAK ? 11 : 3);
  const words = what === 'plan' ? ['plan', '-m', 'Begin.'] : ['resume', '--yes'];

  const template = await makeTemplate(model, what);
  const calm = copyOf(template);
  const begun = performance.now();
  expect(await calm.run(words)).toMatchObject({ exit: 0 });
  const longest = (performance.now() - begun) * 1.1;

  const wrong: string[] = [];
  const moments = Array.from({ length: KILLS }, () => random() * longest);
  await inParallel([...moments.entries()], 2, async ([index, ms]) => {
    const say = (fault: string) => wrong.push(`kill ${index}, after ${Math.round(ms)} ms: ${fault}`);
    const site = copyOf(template);
    const left = { root: site.root, seen: join(site.base, 'seen') };
    try {
      const child = site.start(words);
      const timer = setTimeout(() => child.kill('SIGKILL'), ms);
      await endOf(child);
      clearTimeout(timer);
      const list = await site.run(['history', SESSION, '--json']);
      if (list.exit !== 0) say(`history ends with ${list.exit}: ${list.stderr}`);
      const turns = JSON.parse(list.stdout) as { broken: string | null }[];
      for (const { broken } of turns) if (broken !== null) say(broken);
      for (const fault of await findFaults(left)) say(fault);
      for (const fault of await findFaultsAtTheEnd(left, () => goOn(site))) say(fault);
    } catch (error) {
      say(String(error));
    }
  });
  expect(wrong).toEqual([]);
});

async function makeTemplate({ url }: ModelServer, what: 'plan' | 'resume'): Promise<Site> {
  const site = new Site({ 'notes.txt': 'A note.\n' }, { url });
  await run(site, ['new', SESSION, '--agent', 'developer']);
  if (what === 'resume') await run(site, ['plan', '-m', 'Begin.']);
  return site;
}

function copyOf(template: Site): Site {
  const site = new Site({ 'notes.txt': 'A note.\n' });
  cpSync(join(template.root, '.teddy'), join(site.root, '.teddy'), { recursive: true });
  return site;
}

/** A plan that waits is carried out, and where there is none it is asked for. */
async function goOn(site: Site): Promise<void> {
  const last = ['02', '01'].find((turn) => site.has(`.teddy/sessions/${SESSION}/${turn}`));
  const isPlanned = site.has(`.teddy/sessions/${SESSION}/${last}/plan.md`);
  await run(site, isPlanned ? ['resume', '--yes'] : ['plan', '-m', 'Go on.']);
}

async function run(site: Site, words: string[]): Promise<void> {
  const { exit, stderr } = await site.run(words);
  if (exit !== 0) throw new Error(`teddy ${words.join(' ')} ends with ${exit}: ${stderr}`);
}
