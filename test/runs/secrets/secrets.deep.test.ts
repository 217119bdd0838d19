// No secret reaches report, record, outputs or events: wherever it stands, and in every rendering.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlan } from '../../../src/core/plan/read.js';
import { renderContract } from '../../../src/core/report/contract.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { chooseReviewer } from '../../../src/review/compose.js';
import { parseDecisions } from '../../../src/review/decisions.js';
import { makeFolder } from '../../folder.js';
import { executeHere } from '../boundary/execute-here.js';
import { planOf } from '../boundary/plan.js';
import { ALL, ENVIRONMENT, FORBIDDEN, PLACES, type Place } from './places.js';

test('there are enough of them', () => {
  expect(ALL.length).toBeGreaterThan(60);
  expect(FORBIDDEN.every((text) => text.length >= 6)).toBe(true);
});

test.each(PLACES)('in $name', async (place) => {
  const root = makeFolder(place.files ?? {});
  const text = planOf(place.actions, place.around);
  const { run, events } = await executeHere(root, text, {
    reviewer: await reviewerFor(place, text),
    keepGoing: place.name !== 'what comes after a failure',
    environment: { PATH: process.env.PATH, ...ENVIRONMENT },
  });
  expect(run.refused, JSON.stringify(run.issues)).toBe(place.refused ?? false);
  const never = { lines: 0, characters: 0 };
  const seen: Record<string, string> = {
    ...filesBelow(join(root, '.teddy')),
    contract: renderContract(run, never),
    mirrored: renderMirrored(run, never),
    events: JSON.stringify(events),
    output: events.map((event) => (event.kind === 'output' ? event.text : '')).join(''),
  };
  expect(found(seen)).toEqual([]);
});

async function reviewerFor({ skips = {}, replies = {} }: Place, text: string) {
  const { plan } = readPlan(text);
  const decisions = {
    default: 'approve',
    decisions: Object.entries(skips).map(([number, reason]) => ({
      action: Number(number),
      decision: 'skip',
      reason,
    })),
    replies: Object.entries(replies).map(([number, reply]) => ({ action: Number(number), text: reply })),
  };
  const parsed = await parseDecisions(JSON.stringify(decisions), plan!);
  if (parsed.status === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return chooseReviewer({ policy: { rules: [] }, decisions: parsed.decisions });
}

/** Which secret stands where, a few of them. */
function found(seen: Record<string, string>): string[] {
  const all = Object.entries(seen).flatMap(([where, text]) =>
    FORBIDDEN.filter((secret) => text.includes(secret)).map((secret) => {
      const fixture = ALL.find((each) => each.secret.includes(secret));
      const at = text.indexOf(secret);
      return `${where}: ${fixture?.name ?? 'variable'}: ${text.slice(Math.max(0, at - 40), at + 50).replaceAll('\n', '⏎')}`;
    }),
  );
  return [...all.slice(0, 8), ...(all.length > 8 ? [`… ${all.length} in all`] : [])];
}

/** What a run leaves, but for what holds the user's own bytes: journal, stored contents, plan, memos and context. */
function filesBelow(folder: string): Record<string, string> {
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
