import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePlan } from '../src/core/plan/parse/parse.js';
import { repairPlan } from '../src/core/plan/read.js';
import type { Case } from '../test/corpus/case.js';
import { type DamagedCase, damage } from '../test/corpus/damage.js';
import { changesParity, type Hunk, isOdd, quotesPlan, revise } from '../test/corpus/hunks.js';
import { type Judgement, judge, VERDICTS, type Verdict } from '../test/corpus/judge.js';
import type { MarkdownFile } from '../test/corpus/markdown-files.js';
import { ARRANGEMENT_NAMES, arrange, arrangeHunks } from '../test/corpus/plans.js';
import { readByNesting, readPlainly } from '../test/corpus/readers.js';
import { difference } from '../test/corpus/reading.js';
import { corpus, histories } from './corpus.js';
import { type Check, percent, table } from './table.js';

const SEED = 20;
const SHOWN = 5;

/** How one reader did on one set of cases. */
class Tally {
  readonly count = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  total = 0;
  idempotent = 0;
  twins = 0;

  /** `repairs`: whether the reader writes a text that could be repaired again. */
  constructor(readonly repairs: boolean) {}

  add({ verdict, idempotent, twin }: Judgement): void {
    this.total++;
    this.count[verdict]++;
    if (idempotent) this.idempotent++;
    if (twin === true) this.twins++;
  }

  row(name: string): string[] {
    const shares = VERDICTS.map((verdict) => percent(this.count[verdict], this.total));
    const again = this.repairs ? percent(this.idempotent, this.total) : '–';
    return [name, ...shares, percent(this.twins, this.total), again];
  }
}

const HEAD = ['', ...VERDICTS, 'twins right', 'idempotent'];

/** A reader that does not repair: it is right or wrong, and right about a twin or not. */
function plainly(read: typeof readPlainly): (subject: Case) => Judgement {
  return ({ text, truth, twin }) => {
    const why = difference(truth, read(text).reading) ?? '';
    const twinWhy = difference(truth, read(twin).reading);
    return { verdict: why === '' ? 'exact' : 'wrong', why, idempotent: true, twin: twinWhy ?? true };
  };
}

const READERS: Record<string, (subject: Case) => Judgement> = {
  teddy: (subject) => judge(subject, repairPlan, parsePlan),
  'plain CommonMark': plainly(readPlainly),
  'nesting heuristic': plainly(readByNesting),
};

export function benchRepair(): Check[] {
  const { files, missing } = corpus();
  const made = [...revise(files, SEED, 2)];
  const real = histories();
  const hunks = [...real, ...made];
  console.log(`${files.length} Markdown files that hold fences, in ${ARRANGEMENT_NAMES.length} arrangements`);
  console.log(
    `${hunks.length} hunks of Markdown (${real.length} from git histories, ${made.length} made from the`,
  );
  console.log(
    `files), ${percent(hunks.filter(isOdd).length, hunks.length)} with an odd number of fences in a half\n`,
  );

  // Two kinds are counted apart, and need not be exact. Our own docs quote plans. And an edit that adds or removes one
  // fence alone reads like a plan that lacks a closing fence: refusing it is right.
  const quoting = hunks.filter(quotesPlan);
  const breaking = hunks.filter((hunk) => changesParity(hunk) && !quotesPlan(hunk));
  const plain = hunks.filter((hunk) => !changesParity(hunk) && !quotesPlan(hunk));

  const checks: Check[] = [
    {
      name: 'Markdown files',
      value: files.length,
      limit: missing.length === 0 ? 700 : null,
      bound: 'at least',
      unit: '',
      ...(missing.length === 0 ? {} : { detail: `not fetched: ${missing.join(', ')}` }),
    },
    ...compare('files in CREATE', arrange(files, SEED), 99.5),
    ...compare('hunks in EDIT', arrangeHunks(plain, files, SEED), 99.5),
    ...compare('hunks that quote a plan', arrangeHunks(quoting, files, SEED), null),
    ...compare('hunks with one fence more or less', arrangeHunks(breaking, files, SEED), null),
  ];
  compareDefects(defects(files, hunks));
  return checks;
}

function* defects(files: MarkdownFile[], hunks: Hunk[]): Generator<DamagedCase> {
  for (const subject of arrange(files, SEED + 1, 1)) yield* damage(subject, SEED);
  for (const subject of arrangeHunks(hunks.slice(0, files.length), files, SEED + 1))
    yield* damage(subject, SEED);
}

function compare(title: string, cases: Iterable<Case>, exactLimit: number | null): Check[] {
  const tallies = Object.keys(READERS).map((name) => ({
    name,
    judgeIt: READERS[name]!,
    tally: new Tally(name === 'teddy'),
  }));
  const failures = new Failures();
  for (const subject of cases) {
    for (const { name, judgeIt, tally } of tallies) {
      const judgement = judgeIt(subject);
      tally.add(judgement);
      if (name === 'teddy') failures.note(subject, judgement);
    }
  }
  const { tally } = tallies[0]!;
  console.log(`${title}: ${tally.total} plans`);
  console.log(
    table(
      HEAD,
      tallies.map(({ name, tally }) => tally.row(name)),
    ),
  );
  failures.print();
  const share = (part: number) => (tally.total === 0 ? 0 : (100 * part) / tally.total);
  return [
    {
      name: `${title}: exact`,
      value: share(tally.count.exact),
      limit: exactLimit,
      bound: 'at least',
      unit: '%',
    },
    { name: `${title}: wrong in silence`, value: tally.count.wrong, limit: 0, bound: 'at most', unit: '' },
    { name: `${title}: refused otherwise`, value: tally.count.refused, limit: 0, bound: 'at most', unit: '' },
    { name: `${title}: twins kept`, value: share(tally.twins), limit: 100, bound: 'at least', unit: '%' },
    {
      name: `${title}: idempotent`,
      value: share(tally.idempotent),
      limit: 100,
      bound: 'at least',
      unit: '%',
    },
  ];
}

function compareDefects(cases: Iterable<DamagedCase>): void {
  const tallies = new Map<string, Tally>();
  const failures = new Failures();
  let total = 0;
  for (const subject of cases) {
    const tally = tallies.get(subject.kind) ?? new Tally(true);
    tallies.set(subject.kind, tally);
    const judgement = judge(subject, repairPlan, parsePlan);
    tally.add(judgement);
    failures.note(subject, judgement);
    total++;
  }
  console.log(`single defects: ${total} plans, teddy alone`);
  console.log(
    table(
      HEAD,
      [...tallies].map(([kind, tally]) => tally.row(kind)),
    ),
  );
  failures.print();
}

interface Fault {
  subject: Case;
  why: string;
}

/**
 * Keeps what went wrong, the shortest plans of every kind. TEDDY_BENCH_FAILURES names a folder where they are
 * written for a closer look.
 */
class Failures {
  readonly #kinds = new Map<string, { count: number; shortest: Fault[] }>();

  note(subject: Case, { verdict, why, idempotent, twin }: Judgement): void {
    if (verdict !== 'exact' && verdict !== 'legal-as-written') this.#keep(verdict, { subject, why });
    if (!idempotent) this.#keep('not idempotent', { subject, why: 'a second repair changes the text again' });
    if (twin !== true) this.#keep('twin', { subject, why: twin });
  }

  #keep(what: string, fault: Fault): void {
    const kind = `${what}: ${fault.subject.name.split(/[(:]/)[0]!.trim()}`;
    const seen = this.#kinds.get(kind) ?? { count: 0, shortest: [] };
    this.#kinds.set(kind, seen);
    seen.count++;
    seen.shortest.push(fault);
    seen.shortest.sort((a, b) => a.subject.text.length - b.subject.text.length).splice(SHOWN);
  }

  print(): void {
    const kinds = [...this.#kinds].sort(([a], [b]) => rank(a) - rank(b));
    for (const [kind, { count, shortest }] of kinds.slice(0, SHOWN)) {
      const { subject, why } = shortest[0]!;
      console.log(`  ${kind}, ${count} in all\n    ${subject.name}\n      ${why}`);
    }
    if (kinds.length > SHOWN) console.log(`  … and ${kinds.length - SHOWN} more kinds of failures`);
    console.log('');
    for (const [kind, { shortest }] of kinds) {
      for (const [i, fault] of shortest.entries()) write(`${kind} ${i + 1}`, fault);
    }
  }
}

/** What is only ambiguous comes last. */
const rank = (kind: string): number => (kind.startsWith('ambiguous') ? 1 : 0);

function write(name: string, { subject: { text, truth, twin }, why }: Fault): void {
  const folder = process.env.TEDDY_BENCH_FAILURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const base = join(folder, name.replace(/[^a-z0-9]+/gi, '-'));
  writeFileSync(`${base}.md`, text);
  writeFileSync(`${base}.expected.json`, `${JSON.stringify({ why, truth, twin }, null, 2)}\n`);
}
