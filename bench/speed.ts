import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePlan } from '../src/core/plan/parse/parse.js';
import { repairPlan } from '../src/core/plan/repair/repair.js';
import { parseCommonmark } from '../test/corpus/commonmark.js';
import { block, careful, type Draft, render } from '../test/corpus/draft.js';
import { USUAL } from '../test/corpus/plans.js';
import type { Check } from './table.js';
import { sizedPlans } from './texts.js';

const MEGABYTE = 1_000_000;

/** The least time of `subject` over the least time of `base`, taken in turns so that both meet the same weather. */
export function ratio(subject: () => unknown, base: () => unknown, rounds: number): number {
  let [best, bestBase] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < rounds; i++) {
    best = Math.min(best, time(subject));
    bestBase = Math.min(bestBase, time(base));
  }
  return best / bestBase;
}

function time(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start);
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
  return [...checks, ...benchValidate()];
}

function benchValidate(): Check[] {
  const name = 'teddy validate of 10 KB / node -e 0';
  const bin = join('bin', 'teddy.cjs');
  if (!existsSync(bin) || !existsSync('dist')) {
    console.log(`skipped: ${name} (not built yet: npm run build)`);
    return [];
  }
  const root = mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  try {
    const plan = join(root, 'plan.md');
    writeFileSync(plan, validPlan());
    const node = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });
    const validate = () => node(bin, 'validate', plan, '--root', root);
    const { status, stdout, stderr } = validate();
    if (status !== 0) throw new Error(`teddy validate ends with ${status}: ${stdout}${stderr}`);
    const value = ratio(validate, () => node('-e', '0'), 25);
    return [{ name, value, limit: 1.7, bound: 'at most', unit: '×' }];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A plan of 10 KB that nothing can be said against in an empty folder. */
function validPlan(): string {
  const line = 'A line of text that says nothing in particular, `code` included.';
  const rationale = ['### 1. Synthesis', '', '### 2. Justification', '', '### 3. Expected Outcome', ''];
  const draft: Draft = {
    title: 'Create some documents',
    rationale: block('text', ...rationale, '### 4. State Dashboard', '- Open'),
    memos: [],
    steps: Array.from({ length: 8 }, (_, i) => ({
      type: 'CREATE',
      path: `docs/${i}.md`,
      block: block('markdown', `# ${i}`, '', '```js', 'run();', '```', '', ...Array(16).fill(line)),
    })),
    look: USUAL,
  };
  return render(draft, careful);
}
