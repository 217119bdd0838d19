import fc from 'fast-check';
import { REPORT_ISSUES, type ReportIssueCode } from '../../../../src/core/agent-report/issue-codes.js';
import type { MergeInput } from '../../../../src/core/agent-report/merge/merge.js';
import type {
  AgentReport,
  Measured,
  Reference,
  ReferenceStatus,
  ReportIssue,
} from '../../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { hostileText } from '../../report/arbitrary-run.js';
import { input, inputOfText, reportWith } from './inputs.js';

/** What an agent may write in the hope, or without a thought, that it is taken for a part of the document around it. */
const MARKDOWN_LINES = [
  '# Merged report: completed',
  '## Failures',
  'Totals',
  '===',
  '---',
  '- ',
  '-',
  '1.',
  '1. # one',
  '- # nested',
  '* ## nested',
  '> ## quoted',
  '    # code',
  '\t# code',
  '```',
  '````markdown',
  '~~~',
  '`` ` ``',
  'a `<b>` c',
  '` <b>',
  '<b> `',
  '\\`<i>`',
  '<!--',
  '-->',
  '<script>',
  '<details open>',
  '</li></ul>',
  '<?php',
  '<![CDATA[',
  '![x](http://tracker.example/y.png)',
  '[Totals]: http://elsewhere.example',
  '[^1]: note',
  'see [Totals] and [gaps][Totals]',
  '| a | b |',
  '--- | ---',
  '|---|---|',
  '**bold',
  '&lt;b&gt;',
  'plain words',
  'x'.repeat(900),
];

/** Any text that JSON can hold: half characters never get so far. */
const hostile = fc
  .oneof(
    hostileText,
    fc.constantFrom(...MARKDOWN_LINES),
    fc
      .array(fc.constantFrom(...MARKDOWN_LINES), { minLength: 2, maxLength: 6 })
      .chain((lines) => fc.constantFrom('\n', '\r', '\r\n', '\n\n').map((end) => lines.join(end))),
  )
  .filter((text) => !/\p{Surrogate}/u.test(text));

const inked = hostile.filter((text) => /\S/.test(text));

const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'));

const uri = fc.oneof(
  fc.constantFrom(
    'repo://src/a.ts:1-4',
    'src/a.ts#L1-L4',
    'repo://src/b.ts',
    'repo://../x',
    'https://x.example/#a',
  ),
  hostile,
);

const entry: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.tuple(hostile, fc.option(uri)),
  fc.record({ text: hostile, file: uri }),
  hostile,
);

const findings = fc.record(
  {
    context_map: fc.oneof(
      { arbitrary: fc.array(entry, { maxLength: 4 }), weight: 4 },
      { arbitrary: json, weight: 1 },
    ),
    summary: hostile,
    changed_files: json as fc.Arbitrary<JsonValue>,
    [MARKDOWN_LINES[1]!]: hostile,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const count = fc.option(fc.nat(100_000));
const texts = fc.array(hostile, { maxLength: 3 });

const metadata = fc.record({
  agent_name: inked,
  task_id: inked,
  verbosity_level: fc.constantFrom('summary' as const, 'detailed' as const, 'comprehensive' as const),
  confidence_level: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
  token_usage: count,
  execution_time_seconds: count,
});

const end = fc.oneof(
  fc.record({ status: fc.constant('completed' as const) }),
  fc.record({ status: fc.constant('blocked' as const) }),
  fc.record({ status: fc.constant('failed' as const), error_message: inked }),
);

export const anyReport: fc.Arbitrary<AgentReport> = fc
  .record({
    metadata,
    end,
    findings,
    recommendations: texts,
    identified_gaps: texts,
    blockers: texts,
    reason: inked,
  })
  .map(({ metadata, end, blockers, reason, ...others }) =>
    reportWith({
      metadata: { ...metadata, ...end },
      ...others,
      blockers: end.status === 'blocked' ? [...blockers, reason] : blockers,
    }),
  );

const measured: fc.Arbitrary<Measured> = fc.record({
  inputTokens: count,
  outputTokens: count,
  costUsd: fc.option(fc.double({ min: 0, max: 50, noNaN: true })),
  durationMs: count,
});

const issue: fc.Arbitrary<ReportIssue> = fc.record({
  code: fc
    .constantFrom(...(Object.keys(REPORT_ISSUES) as ReportIssueCode[]))
    .filter((code) => REPORT_ISSUES[code].severity !== 'error'),
  severity: fc.constant('warning' as const),
  path: hostile,
  message: hostile,
});

const reference: fc.Arbitrary<Reference> = fc.record({
  text: hostile,
  uri: fc.option(uri),
  status: fc.constantFrom<ReferenceStatus>(
    'ok',
    'missing-file',
    'missing-lines',
    'outside',
    'unverifiable',
    'none',
  ),
  file: fc.constant(null),
  lines: fc.constant(null),
  reason: fc.option(hostile),
});

const compliant = fc
  .record({
    name: hostile,
    report: anyReport,
    circumstances: fc.record({
      measured,
      issues: fc.array(issue, { maxLength: 3 }),
      references: fc.array(reference, { maxLength: 3 }),
    }),
  })
  .map(({ name, report, circumstances }) => input(name, report, circumstances));

const broken = fc
  .record({
    name: hostile,
    text: fc.oneof(
      hostile,
      json.map((value) => JSON.stringify(value)),
    ),
  })
  .map(({ name, text }) => inputOfText(name, text));

export const anyInput: fc.Arbitrary<MergeInput> = fc.oneof(
  { arbitrary: compliant, weight: 4 },
  { arbitrary: broken, weight: 1 },
);

/** Reports that nobody but their agents said anything about. */
export const anyUnmeasured: fc.Arbitrary<MergeInput> = fc
  .record({ name: fc.constantFrom('a.json', 'b.json', 'c.json'), report: anyReport })
  .map(({ name, report }) => input(name, report));
