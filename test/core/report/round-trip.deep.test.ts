import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRepair } from '../../../src/core/plan/issues.js';
import { renderContract } from '../../../src/core/report/contract.js';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { parseReport } from '../../../src/core/report/parse.js';
import type { ActionRecord, Run } from '../../../src/core/report/record.js';
import { childrenOf, parseCommonmark } from '../../corpus/commonmark.js';
import { anyRun } from './arbitrary-run.js';
import { contract, mirrored } from './projection.js';

const NO_TIP = { lines: 0, characters: 0 };

describe.each([
  { form: 'mirrored', render: renderMirrored, carried: mirrored },
  { form: 'contract', render: renderContract, carried: contract },
])('the $form report', ({ form, render, carried }) => {
  test('gives back every fact that it carries', () => {
    fc.assert(
      fc.property(anyRun, fc.boolean(), (run, tip) => {
        const report = parseReport(render(run, tip ? { lines: 1, characters: 0 } : NO_TIP));
        expect(report).toStrictEqual({ ...carried(run), tip });
        if (report.status === 'mirrored') expect(labelsOf(report.actions)).toEqual(labelsOf(run.actions));
      }),
      { numRuns: 1500 },
    );
  });

  test('holds no heading that is not its own, whatever stands in the run', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        expect(headingLevels(render(run, NO_TIP))).toEqual(ownLevels(run, form === 'mirrored'));
      }),
      { numRuns: 500 },
    );
  });

  test('leaves the run as it was', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const before = structuredClone(run);
        render(run);
        expect(run).toStrictEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});

/** In their order, which comparing objects disregards. */
function labelsOf(actions: readonly Pick<ActionRecord, 'metadata'>[]): string[][] {
  return actions.map(({ metadata }) => Object.keys(metadata));
}

/** The levels of all headings that another reader of Markdown finds outside lists and quotes. */
function headingLevels(report: string): number[] {
  return [...childrenOf(parseCommonmark(report))].flatMap(({ type, level }) =>
    type === 'heading' ? [level] : [],
  );
}

function sectionOf(issues: Run['issues'], isShown: boolean): number[] {
  return isShown || issues.length > 0 ? [2, ...issues.map(() => 3)] : [];
}

function ownLevels(run: Run, isMirrored: boolean): number[] {
  return [
    1,
    ...sectionOf(run.refused ? run.issues : run.issues.filter(isRepair), run.refused),
    ...(run.stateChanges.length > 0 ? [2, ...run.stateChanges.map(() => 3)] : []),
    2,
    ...run.actions.flatMap((action) => (isMirrored && hasDetails(action) ? [3, 4] : [3])),
  ];
}

function hasDetails({ outcome }: ActionRecord): boolean {
  return ['output', 'error', 'reply', 'exitCode', 'ended', 'expectedOutcome', 'ranAs'].some(
    (fact) => fact in outcome,
  );
}
