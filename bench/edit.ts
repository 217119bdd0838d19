/** A miss with its whole diagnosis, against `split('\n')` on the same text. */
import { findEdit } from '../src/core/plan/edit/match.js';

const LINES = 200_000;
const ROUNDS = 25;
const LIMIT = 10;

interface Case {
  name: string;
  find: string;
  replace: string;
}

export async function benchEdit(): Promise<
  Array<{ name: string; ratio: number; limit: number; detail?: string }>
> {
  const text = writeSource();
  return listCases(text).map((one) => {
    const { ours, split } = measure(text, one);
    return {
      name: one.name,
      ratio: ours / split,
      limit: LIMIT,
      detail: `${ours.toFixed(1)} ms against ${split.toFixed(1)} ms for split, ${text.length} characters`,
    };
  });
}

/** About 8 MB of what a long module looks like: nesting, blank lines, and lines that occur often. */
function writeSource(): string {
  const lines: string[] = [];
  for (let block = 0; lines.length < LINES; block++) {
    lines.push(
      `export function handleRequest${block}(request: Request, limit = ${block % 97}): Response {`,
      `  const entries = request.entries.filter((entry) => entry.size > ${block % 1013} && entry.isOpen);`,
      '  if (entries.length === 0) {',
      `    return reject('nothing to handle in request ${block}', { limit, retry: ${block % 11} });`,
      '  }',
      `  for (const entry of entries) total${block % 50} += entry.weight * limit;`,
      '',
      `  return accept(entries, total${block % 50});`,
      '}',
      '',
    );
  }
  return lines.slice(0, LINES).join('\n');
}

function listCases(text: string): Case[] {
  const lines = text.split('\n');
  const at = 150_000;
  const block = lines.slice(at, at + 9).join('\n');
  const typo = lines[at + 3]!.replace('nothing', 'notihng').replace('request', 'requset');
  return [
    {
      name: 'edit: miss, several lines, one differs',
      find: block.replace('entry.weight', 'entry.height'),
      replace: block.replace('entry.weight', 'entry.depth'),
    },
    { name: 'edit: miss, one line with a typo', find: typo, replace: `${typo} // seen` },
    {
      name: 'edit: miss, nothing in common',
      find: 'zebra quagga\n\tokapi <- giraffe %% 7\nzyzzyva',
      replace: 'zebra\n\tokapi',
    },
  ];
}

/** Alternates both, so that whatever slows the machine down slows both; minima leave out the noise. */
function measure(text: string, { find, replace }: Case): { ours: number; split: number } {
  let ours = Number.POSITIVE_INFINITY;
  let split = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    split = Math.min(
      split,
      time(() => text.split('\n').length > 0),
    );
    ours = Math.min(
      ours,
      time(() => findEdit(text, find, replace).status === 'missing'),
    );
  }
  return { ours, split };
}

function time(run: () => boolean): number {
  const start = performance.now();
  if (!run()) throw new Error('the benchmark does not measure what it says');
  return performance.now() - start;
}
