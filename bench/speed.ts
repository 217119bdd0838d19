import { parsePlan } from '../src/core/plan/parse/parse.js';
import { repairPlan } from '../src/core/plan/read.js';
import { parseCommonmark } from '../test/corpus/commonmark.js';
import type { Check } from './table.js';
import { sizedPlans } from './texts.js';

const MEGABYTE = 1_000_000;

/** The least processor time of `subject` over that of `base`, in turns: other programs on the machine hardly matter. */
export function ratio(subject: () => unknown, base: () => unknown, rounds: number): number {
  let [best, bestBase] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < rounds; i++) {
    best = Math.min(best, time(subject));
    bestBase = Math.min(bestBase, time(base));
  }
  return best / bestBase;
}

function time(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

export function benchSpeed(): Check[] {
  const checks: Check[] = [];
  const add = (name: string, value: number, limit: number | null) =>
    checks.push({ name, value, limit, bound: 'at most', unit: '×' });

  const large = sizedPlans(10 * MEGABYTE);
  for (const [i, { name, text, naive }] of sizedPlans(MEGABYTE).entries()) {
    const { plan, issues } = parsePlan(text);
    if (plan === null) throw new Error(`the plan with ${name} is not read: ${issues[0]?.message}`);
    const commonmark = () => parseCommonmark(text);
    add(
      `parse 1 MB, ${name} / commonmark`,
      ratio(() => parsePlan(text), commonmark, 12),
      0.7,
    );
    add(
      `parse 10 MB / 1 MB, ${name}`,
      ratio(
        () => parsePlan(large[i]!.text),
        () => parsePlan(text),
        6,
      ),
      13,
    );
    add(
      `repair 1 MB as it should be, ${name} / commonmark`,
      ratio(() => repairPlan(text), commonmark, 4),
      null,
    );
    add(
      `repair 1 MB naive, ${name} / commonmark`,
      ratio(() => repairPlan(naive), commonmark, 4),
      null,
    );
  }
  return checks;
}
