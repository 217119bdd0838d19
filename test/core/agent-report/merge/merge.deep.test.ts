import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeReport } from '../../../../src/core/agent-report/judge.js';
import { mergeReports } from '../../../../src/core/agent-report/merge/merge.js';
import type { AgentReport } from '../../../../src/core/agent-report/types.js';
import { anyInput, anyReport, anyUnmeasured } from './arbitrary-inputs.js';
import { contextOf, input, WITHOUT_MANUAL } from './inputs.js';

const numRuns = process.env.TEDDY_SOAK ? 3000 : 100;

const fold = (text: string) => text.replace(/\s+/g, ' ').trim();

test('what is made of reports is a report, and a merge of it is one, too', () => {
  fc.assert(
    fc.property(fc.array(anyInput, { minLength: 1, maxLength: 4 }), (inputs) => {
      const merged = mergeReports(inputs);
      const { compliant, issues } = judgeReport(JSON.stringify(merged), WITHOUT_MANUAL);
      expect(issues.filter(({ code }) => code !== 'merged-doubt')).toEqual([]);
      expect(compliant).toBe(true);
      const again = mergeReports([input('merged.json', merged)]);
      expect(judgeReport(JSON.stringify(again), WITHOUT_MANUAL).compliant).toBe(true);
    }),
    { numRuns },
  );
});

test('every text of every compliant report is in the merge', () => {
  fc.assert(
    fc.property(fc.array(anyReport, { minLength: 1, maxLength: 3 }), (reports) => {
      const merged = mergeReports(reports.map((report, i) => input(`${i}.json`, report)));
      const said = {
        recommendations: merged.recommendations ?? [],
        identified_gaps: merged.identified_gaps ?? [],
        blockers: merged.blockers ?? (merged.findings.blockers as string[] | undefined) ?? [],
      };
      for (const key of ['recommendations', 'identified_gaps', 'blockers'] as const) {
        const wanted = new Set(reports.flatMap((report) => (report[key] ?? []).map(fold).filter(Boolean)));
        expect(said[key].map(fold)).toEqual([...wanted]);
      }
      const pairs = contextOf(merged).map(([text]) => fold(text));
      for (const report of reports) {
        for (const [text] of contextOf(report)) expect(pairs).toContain(fold(text));
      }
    }),
    { numRuns },
  );
});

/** What does not depend on how reports were put together. */
function essence(merged: AgentReport) {
  const { status, verbosity_level, confidence_level, token_usage, execution_time_seconds } =
    merged.report_metadata;
  return {
    status,
    verbosity_level,
    confidence_level,
    token_usage,
    execution_time_seconds,
    recommendations: merged.recommendations?.map(fold),
    gaps: merged.identified_gaps?.map(fold),
    context: contextOf(merged).map(([text, uri]) => [fold(text), uri]),
  };
}

test('in whatever groups reports are merged, it comes to the same', () => {
  fc.assert(
    fc.property(anyUnmeasured, anyUnmeasured, anyUnmeasured, (a, b, c) => {
      const all = essence(mergeReports([a, b, c]));
      const left = mergeReports([input('ab.json', mergeReports([a, b])), c]);
      const right = mergeReports([a, input('bc.json', mergeReports([b, c]))]);
      expect(essence(left)).toEqual(all);
      expect(essence(right)).toEqual(all);
    }),
    { numRuns },
  );
});

test('a report merged with itself says nothing more', () => {
  fc.assert(
    fc.property(anyUnmeasured, (one) => {
      const { token_usage: _, execution_time_seconds: __, ...once } = essence(mergeReports([one]));
      expect(essence(mergeReports([one, one]))).toMatchObject(once);
    }),
    { numRuns },
  );
});
