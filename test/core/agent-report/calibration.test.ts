import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CalibrationDecision,
  type CalibrationRecord,
  calibrate,
  renderCalibration,
} from '../../../src/core/agent-report/calibration.js';

const verified = (held: boolean, at = '2026-03-01T10:00:00.000Z'): CalibrationDecision => ({
  by: 'verification',
  held,
  at,
});
const said = (held: boolean, at = '2026-03-01T10:00:00.000Z'): CalibrationDecision => ({
  by: 'person',
  held,
  at,
});

function record(confidence: number | null, ...decisions: CalibrationDecision[]): CalibrationRecord {
  return {
    agent: 'investigator',
    taskId: 't-1',
    confidence,
    compliant: true,
    at: '2026-03-01T09:00:00.000Z',
    decisions,
  };
}

/** So many reports of one confidence, of which the first `held` held. */
function many(confidence: number, count: number, held: number): CalibrationRecord[] {
  return Array.from({ length: count }, (_, i) => record(confidence, verified(i < held)));
}

test('means, shares, gap and Brier score of a few reports', () => {
  const { total } = calibrate([
    record(0.9, verified(true)),
    record(0.8, verified(false)),
    record(0.6, said(true)),
    record(0.5, said(true)),
    record(0.99),
    { ...record(0.9, verified(true)), compliant: false },
    record(null, verified(true)),
  ]);
  expect(total).toMatchObject({ reports: 7, compliant: 6, decided: 4, verdict: 'not-enough-decided' });
  expect(total.stated).toBeCloseTo(0.7, 12);
  expect(total.held).toBe(0.75);
  expect(total.gap).toBeCloseTo(-0.05, 12);
  // (0.1² + 0.8² + 0.4² + 0.5²) / 4 = (0.01 + 0.64 + 0.16 + 0.25) / 4
  expect(total.brier).toBeCloseTo(0.265, 12);
  expect(total.suggestedThreshold).toBeNull();
});

test('with nothing decided nothing is said', () => {
  expect(calibrate([record(0.9)]).total).toMatchObject({
    reports: 1,
    decided: 0,
    stated: null,
    held: null,
    gap: null,
    brier: null,
    verdict: 'not-enough-decided',
    suggestedThreshold: null,
  });
  expect(calibrate([]).agents).toEqual([]);
});

test.each([
  ['the last of two', [verified(false, '2026-03-01'), verified(true, '2026-03-02')], 1],
  ['the last by time, not by place', [verified(true, '2026-03-02'), verified(false, '2026-03-01')], 1],
  ['of one moment, the last in the list', [said(true, '2026-03-01'), said(false, '2026-03-01')], 0],
  ['a person over a later verification', [said(true, '2026-03-01'), verified(false, '2026-03-09')], 1],
  ['a person over an earlier verification', [verified(true, '2026-03-01'), said(false, '2026-03-09')], 0],
  [
    "a person's last word",
    [said(true, '2026-03-01'), said(false, '2026-03-02'), verified(true, '2026-03-03')],
    0,
  ],
])('which decision stands: %s', (_, decisions, held) => {
  expect(calibrate([record(0.8, ...decisions)]).total.held).toBe(held);
});

test('a confidence that is none is not counted among the decided', () => {
  const wrong = [Number.NaN, -0.1, 1.5, Number.POSITIVE_INFINITY];
  expect(calibrate(wrong.map((confidence) => record(confidence, said(true)))).total.decided).toBe(0);
});

test('bands hold their lower edge, and the last one holds 1', () => {
  const edges = [0, 0.49, 0.5, 0.7, 0.849, 0.85, 0.95, 1];
  const { bands } = calibrate(edges.map((confidence) => record(confidence, said(confidence > 0.6)))).total;
  expect(bands.map(({ from, to, decided, held }) => [from, to, decided, held])).toEqual([
    [0, 0.5, 2, 0],
    [0.5, 0.7, 1, 0],
    [0.7, 0.85, 2, 1],
    [0.85, 0.95, 1, 1],
    [0.95, 1, 2, 1],
  ]);
  expect(bands[0]!.stated).toBeCloseTo(0.245, 12);
  expect(bands[4]!.stated).toBeCloseTo(0.975, 12);
  expect(calibrate([record(0.6, said(true))]).total.bands[0]).toEqual({
    from: 0,
    to: 0.5,
    decided: 0,
    stated: null,
    held: null,
  });
});

// By chance alone, for n reports that state 0.9, the gap stays within 2·√(0.09 n)/n: 0.268 for 5, 0.190 for 10, 0.06 for 100.
test.each([
  ['four are too few', many(0.9, 4, 0), 'not-enough-decided'],
  ['five with a gap of 0.3 are not chance', many(0.9, 5, 3), 'overconfident'],
  ['five with a gap of 0.1 may be', many(0.9, 5, 4), 'in-line'],
  ['ten with a gap of 0.2 are not', many(0.9, 10, 7), 'overconfident'],
  ['a hundred with a gap of 0.06 may be', many(0.9, 100, 84), 'in-line'],
  ['a hundred with a gap of 0.07 are not', many(0.9, 100, 83), 'overconfident'],
  // 2·√(0.24·24)/24 = 0.2
  ['more held than was stated', many(0.6, 24, 20), 'underconfident'],
  ['no more than chance', many(0.6, 24, 19), 'in-line'],
  ['who is certain may not miss', many(1, 10, 9), 'overconfident'],
  ['who is certain may miss a twentieth', many(1, 20, 19), 'in-line'],
])('verdict: %s', (_, records, verdict) => {
  expect(calibrate(records).total.verdict).toBe(verdict);
});

test.each([
  ['fewer than ten', many(0.9, 9, 9), null],
  ['ten of which nine held', many(0.9, 10, 9), 0.9],
  ['ten of which eight held', many(0.9, 10, 8), null],
  ['the lower step spoils it', [...many(0.95, 10, 10), ...many(0.6, 10, 5)], 0.95],
  ['the lower step is carried', [...many(0.95, 20, 20), ...many(0.6, 10, 7)], 0.6],
  // The first ten have nine that held, but whoever takes 0.8 takes all four of it: 9 of 12.
  ['equal confidences are one step', [...many(0.9, 8, 8), ...many(0.8, 4, 1)], null],
  // From 0.9 on: 8 of 10. From 0.7 on: 18 of 20.
  ['a dip on the way does not matter', [...many(0.7, 10, 10), ...many(0.9, 10, 8)], 0.7],
])('suggested threshold: %s', (_, records, threshold) => {
  expect(calibrate(records).total.suggestedThreshold).toBe(threshold);
});

test('agents stand by name, in whatever case they were written, and their numbers add up', () => {
  const named = (agent: string, ...records: CalibrationRecord[]) => records.map((one) => ({ ...one, agent }));
  const { agents, total } = calibrate([
    ...named('Reviewer', record(0.9, said(true))),
    ...named('constructor', record(0.9)),
    ...named('investigator', record(0.5, said(false))),
    ...named('REVIEWER', record(0.7, said(false))),
  ]);
  expect(agents.map(({ agent, reports, decided }) => [agent, reports, decided])).toEqual([
    ['constructor', 1, 0],
    ['investigator', 1, 1],
    ['Reviewer', 2, 2],
  ]);
  expect(total).toMatchObject({ reports: 4, decided: 3 });
});

test('the table as lines', () => {
  const lines = renderCalibration(
    calibrate([
      ...many(0.9, 10, 7),
      { ...record(0.6, said(true)), agent: 'implementer' },
      { ...record(null), agent: 'implementer', compliant: false },
      { ...record(null), agent: 'implementer', compliant: false },
    ]),
  );
  // All eleven: stated 9.6/11 = 0.873, held 8/11 = 0.727, Brier (7·0.01 + 3·0.81 + 0.16)/11 = 0.242;
  // chance: 2·√(10·0.09 + 0.24)/11 = 0.194.
  expect(lines).toEqual([
    'agent         reports  compliant  decided  stated  right    gap  Brier',
    'implementer         3       33 %        1    0.60   1.00  -0.40   0.16',
    'investigator       10      100 %       10    0.90   0.70  +0.20   0.25',
    'all                13       84 %       11    0.87   0.73  +0.15   0.24',
    '',
    'implementer: Needs 5 decisions for a verdict (1 so far).',
    '',
    'investigator: overconfident: it was right less often than it claimed.',
    '  confidence   decided  stated  right',
    '  0.85 to 0.95      10    0.90   0.70',
    '',
    'all: well calibrated: its confidence matches how often it was right.',
    '  confidence   decided  stated  right',
    '  0.5 to 0.7         1    0.60   1.00',
    '  0.85 to 0.95      10    0.90   0.70',
  ]);
});

test('what is not known is a dash, and a suggestion is a line', () => {
  expect(renderCalibration(calibrate([]))).toEqual(['There are no agent reports yet.']);
  expect(renderCalibration(calibrate([record(0.9)]))[1]).toBe(
    'investigator        1      100 %        0       -      -      -      -',
  );
  expect(renderCalibration(calibrate(many(0.9, 10, 9))).slice(3)).toEqual([
    'investigator: well calibrated: its confidence matches how often it was right.',
    '  confidence   decided  stated  right',
    '  0.85 to 0.95      10    0.90   0.90',
    '  At confidence 0.9 and above, at least 90 % were right.',
  ]);
});

test('what answers used is added up, as far as it was measured', () => {
  const measured = { inputTokens: 12_000, outputTokens: 340, costUsd: 0.0921, durationMs: 61_000 };
  const records = [
    { ...record(0.9), measured },
    { ...record(0.9), measured: { ...measured, costUsd: null } },
    record(0.9),
  ];
  expect(calibrate(records).total.used).toEqual({
    answers: 2,
    inputTokens: 24_000,
    outputTokens: 680,
    costUsd: 0.0921,
    durationMs: 122_000,
  });
  expect(renderCalibration(calibrate(records)).at(-1)).toBe(
    '  Used 24,680 tokens, $0.0921, 2m (measured for 2 of 3).',
  );
});

test('no line is wider than 80 columns, and each is one line', () => {
  const anyRecord = fc.record<CalibrationRecord>({
    agent: fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('a\nb', 'x'.repeat(90))),
    taskId: fc.string(),
    confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    compliant: fc.boolean(),
    at: fc.constant('2026-03-01'),
    decisions: fc.array(
      fc.record<CalibrationDecision>({
        by: fc.constantFrom('person', 'verification'),
        held: fc.boolean(),
        at: fc.constantFrom('2026-03-01', '2026-03-02'),
      }),
      { maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 30 }), (records) => {
      const table = calibrate(records);
      for (const line of renderCalibration(table)) {
        expect([...line].length).toBeLessThanOrEqual(80);
        expect(line).not.toMatch(/[\r\n]/);
      }
      expect(table.agents.reduce((sum, { decided }) => sum + decided, 0)).toBe(table.total.decided);
      expect(table.total.bands.reduce((sum, { decided }) => sum + decided, 0)).toBe(table.total.decided);
    }),
    { numRuns: 100 },
  );
});
