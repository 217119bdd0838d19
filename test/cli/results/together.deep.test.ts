// Sixty-four processes submit at once, and some of them are killed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { keepBusy } from '../teddy.js';
import { PLANS, planId, resultText, Site, type Status, TASKS } from './site.js';

const ROUNDS = SOAK ? 20 : 1;
const KILLED = 0.25;
const STATUSES: Status[] = ['success', 'success', 'success', 'failure', 'blocked'];

test.each(SOAK ? ['quiet', 'busy'] : ['quiet'])(
  'nothing is lost, torn or counted twice on a %s machine',
  async (load) => {
    if (load === 'busy') keepBusy(2);
    const site = new Site();
    onTestFinished(() => rmSync(site.root, { recursive: true, force: true }));
    const random = seeded(load === 'busy' ? 2 : 1);
    const accepted: string[] = [];
    let killed = 0;
    let longest = 1000;
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      const jobs = Array.from({ length: PLANS * TASKS }, (_, i) => {
        const plan = (i % PLANS) + 1;
        const index = Math.floor(i / PLANS) + 1;
        const id = `r${round}-${planId(plan)}-${index}`;
        const text = resultText(index, STATUSES[Math.floor(random() * STATUSES.length)]!, round);
        const killAfter = random() < KILLED ? random() * longest : undefined;
        return { id, plan, text, killAfter, piped: i % 2 === 0 };
      });
      await Promise.all(
        jobs.map(async ({ id, plan, text, killAfter, piped }) => {
          const file = join(site.root, 'home', `${id}.yaml`);
          if (!piped) writeFileSync(file, text);
          const words = ['result', 'submit', piped ? '-' : file, '--plan', planId(plan), '--id', id];
          const ended = await site.run(words, {
            ...(piped && { input: text }),
            ...(killAfter !== undefined && { killAfter }),
          });
          if (ended.exit === 0) accepted.push(id);
          else if (ended.exit === null) killed++;
          else throw new Error(`${id} ends with ${ended.exit}: ${ended.stderr}${ended.stdout}`);
        }),
      );
      longest = performance.now() - begun;
      // The next command of anyone ends what the killed ones left.
      await site.run(['task', 'next']);
      expect(await site.judge(accepted), `round ${round}`).toEqual([]);
    }
    const applied = site.ledger().length;
    if (SOAK)
      console.log(
        `${load}: ${accepted.length} accepted, ${killed} killed, of which ${applied - accepted.length} applied`,
      );
    expect(killed).toBeGreaterThan(0);
    expect(accepted.length).toBeGreaterThan(0);
  },
);
