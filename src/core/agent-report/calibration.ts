import { addToGroup } from '../groups.js';
import { foldText, formatDuration, groupDigits, shorten } from '../text.js';
import type { Measured } from './types.js';

/** One report, with the later decision about its work. */
export interface CalibrationRecord {
  agent: string;
  taskId: string;
  /** As stated in the report; null if it is missing or unreadable. */
  confidence: number | null;
  compliant: boolean;
  /** Null or missing if nothing was. */
  measured?: Measured | null;
  /** ISO 8601, UTC. */
  at: string;
  decisions: readonly CalibrationDecision[];
}

export interface CalibrationDecision {
  by: 'person' | 'verification';
  /** Whether the work was as the report said. */
  held: boolean;
  /** ISO 8601, UTC, so that text order is time order. */
  at: string;
}

export interface CalibrationTable {
  /** Sorted by name. */
  agents: AgentCalibration[];
  total: Calibration;
}

interface AgentCalibration extends Calibration {
  /** As first written; names are case-insensitive. */
  agent: string;
}

/** Values that need more decisions are null. */
export interface Calibration {
  reports: number;
  compliant: number;
  used: Used;
  /** Compliant reports with a confidence and a decision. The fields below are about these. */
  decided: number;
  /** The mean of the stated confidence. */
  stated: number | null;
  /** The share that held, 0 to 1. */
  held: number | null;
  /** `stated` minus `held`; above 0, the agent promises more than it delivers. */
  gap: number | null;
  /** The mean squared error of the confidence: 0 is perfect, always stating 0.5 gets 0.25. */
  brier: number | null;
  verdict: CalibrationVerdict;
  bands: CalibrationBand[];
  /** The lowest stated confidence from which at least 90% held. */
  suggestedThreshold: number | null;
}

/** What answers used, measured by their clients; null where no client did. */
interface Used extends Measured {
  /** How many answers have such a figure. */
  answers: number;
}

/** `in-line`: no gap, or one that chance explains. */
type CalibrationVerdict = 'not-enough-decided' | 'in-line' | 'overconfident' | 'underconfident';

/** Decided reports whose confidence is at least `from` and below `to`; the last band includes 1. */
interface CalibrationBand {
  from: number;
  to: number;
  decided: number;
  stated: number | null;
  held: number | null;
}

const EDGES = [0, 0.5, 0.7, 0.85, 0.95, 1];

const LEAST_FOR_VERDICT = 5;
/** With fewer than ten, 90% would allow no failure at all. */
const LEAST_FOR_THRESHOLD = 10;
const WANTED_PERCENT = 90;
/** A smaller gap is irrelevant, even if it is statistically certain. */
const SMALL_GAP = 0.05;
/** Floating point: 1 - 0.95 is slightly more than 0.05. */
const ROUNDING = 1e-9;

interface Decided {
  confidence: number;
  held: boolean;
}

/** Compares the stated confidence with the outcomes, for each agent and for all. */
export function calibrate(records: readonly CalibrationRecord[]): CalibrationTable {
  const groups = new Map<string, CalibrationRecord[]>();
  for (const record of records) addToGroup(groups, record.agent.toLowerCase(), record);
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    agents: sorted.map(([, group]) => ({ agent: group[0]!.agent, ...calibrateGroup(group) })),
    total: calibrateGroup(records),
  };
}

function calibrateGroup(records: readonly CalibrationRecord[]): Calibration {
  const decided = records.flatMap((record) => readDecided(record) ?? []);
  const { stated, held } = compare(decided);
  const gap = stated === null || held === null ? null : stated - held;
  return {
    reports: records.length,
    compliant: records.filter(({ compliant }) => compliant).length,
    used: addUsed(records),
    decided: decided.length,
    stated,
    held,
    gap,
    brier: meanOf(decided.map((one) => (one.confidence - outcomeOf(one)) ** 2)),
    verdict: judgeGap(gap, decided),
    bands: EDGES.slice(0, -1).map((from, i) => bandOf(decided, from, EDGES[i + 1]!)),
    suggestedThreshold: suggestThreshold(decided),
  };
}

const FIGURES = ['inputTokens', 'outputTokens', 'costUsd', 'durationMs'] as const;

function addUsed(records: readonly CalibrationRecord[]): Used {
  const used: Used = {
    answers: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
    durationMs: null,
  };
  for (const { measured } of records) {
    const known = FIGURES.filter((figure) => (measured?.[figure] ?? null) !== null);
    if (known.length > 0) used.answers++;
    for (const figure of known) used[figure] = (used[figure] ?? 0) + measured![figure]!;
  }
  return used;
}

/** A report whose confidence can be compared with a decision. */
export interface DecidedReport extends Decided {
  agent: string;
  taskId: string;
  at: string;
}

/** The reports that `calibrate` counts as decided. */
export function decidedReports(records: readonly CalibrationRecord[]): DecidedReport[] {
  return records.flatMap((record) => {
    const decided = readDecided(record);
    const { agent, taskId, at } = record;
    return decided === undefined ? [] : [{ agent, taskId, at, ...decided }];
  });
}

/** A user's decision outranks a verification, and a later decision outranks an earlier one. */
function readDecided({ compliant, confidence, decisions }: CalibrationRecord): Decided | undefined {
  if (!compliant || confidence === null || !(confidence >= 0 && confidence <= 1)) return undefined;
  const persons = decisions.filter(({ by }) => by === 'person');
  const [first, ...others] = persons.length > 0 ? persons : decisions;
  if (!first) return undefined;
  const last = others.reduce((latest, one) => (one.at >= latest.at ? one : latest), first);
  return { confidence, held: last.held };
}

function bandOf(decided: readonly Decided[], from: number, to: number): CalibrationBand {
  const inside = decided.filter(({ confidence }) => confidence >= from && (confidence < to || to === 1));
  return { from, to, decided: inside.length, ...compare(inside) };
}

function compare(decided: readonly Decided[]): Pick<CalibrationBand, 'stated' | 'held'> {
  return {
    stated: meanOf(decided.map(({ confidence }) => confidence)),
    held: meanOf(decided.map(outcomeOf)),
  };
}

/**
 * If every confidence c were accurate, the number that held would have the variance Σ c(1 − c). A gap within two
 * standard deviations counts as chance.
 */
function judgeGap(gap: number | null, decided: readonly Decided[]): CalibrationVerdict {
  if (gap === null || decided.length < LEAST_FOR_VERDICT) return 'not-enough-decided';
  const variance = decided.reduce((sum, { confidence: c }) => sum + c * (1 - c), 0);
  const chance = (2 * Math.sqrt(variance)) / decided.length;
  if (Math.abs(gap) <= Math.max(SMALL_GAP, chance) + ROUNDING) return 'in-line';
  return gap > 0 ? 'overconfident' : 'underconfident';
}

function suggestThreshold(decided: readonly Decided[]): number | null {
  const falling = [...decided].sort((a, b) => b.confidence - a.confidence);
  let held = 0;
  let least: number | null = null;
  falling.forEach((one, i) => {
    held += outcomeOf(one);
    const count = i + 1;
    const isWholeStep = falling[count]?.confidence !== one.confidence;
    if (isWholeStep && count >= LEAST_FOR_THRESHOLD && 100 * held >= WANTED_PERCENT * count)
      least = one.confidence;
  });
  return least;
}

function outcomeOf({ held }: Decided): number {
  return held ? 1 : 0;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const WIDEST_NAME = 20;

/** Lines of at most 80 columns: one per agent, then the bands of agents with enough decisions. */
export function renderCalibration({ agents, total }: CalibrationTable): string[] {
  if (total.reports === 0) return ['There are no agent reports yet.'];
  const rows = agents.map((row): { name: string; row: Calibration } => ({ name: shortName(row.agent), row }));
  // A total is redundant for a single agent.
  if (rows.length > 1) rows.push({ name: 'all', row: total });
  const width = Math.max('agent'.length, ...rows.map(({ name }) => widthOf(name)));
  return [
    `${padName('agent', width)}  reports  compliant  decided  stated  right    gap  Brier`,
    ...rows.map(({ name, row }) => `${padName(name, width)}${numbersOf(row)}`),
    ...rows.flatMap(({ name, row }) => [
      '',
      `${name}: ${describeVerdict(row)}`,
      ...usedLine(row),
      ...detailLines(row),
    ]),
  ];
}

function numbersOf({ reports, compliant, decided, stated, held, gap, brier }: Calibration): string {
  const sign = gap !== null && gap.toFixed(2) !== '0.00' && gap > 0 ? '+' : '';
  return [
    String(reports).padStart(9),
    `${Math.floor((100 * compliant) / reports)} %`.padStart(11),
    String(decided).padStart(9),
    writeShare(stated).padStart(8),
    writeShare(held).padStart(7),
    `${sign}${writeShare(gap)}`.padStart(7),
    writeShare(brier).padStart(7),
  ].join('');
}

/** `  Used 12,340 tokens, $0.0921, 2m (measured for 3 of 4 reports).` */
function usedLine({ used, reports }: Calibration): string[] {
  const { answers, inputTokens, outputTokens, costUsd, durationMs } = used;
  if (answers === 0) return [];
  const tokens =
    inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
  const figures = [
    ...(tokens === null ? [] : [`${groupDigits(tokens)} tokens`]),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(durationMs === null ? [] : [formatDuration(durationMs)]),
  ];
  return [`  Used ${figures.join(', ')} (measured for ${answers} of ${reports}).`];
}

function describeVerdict({ decided, verdict }: Calibration): string {
  switch (verdict) {
    case 'not-enough-decided':
      return `Needs ${LEAST_FOR_VERDICT} decisions for a verdict (${decided} so far).`;
    case 'in-line':
      return 'well calibrated: its confidence matches how often it was right.';
    case 'overconfident':
      return 'overconfident: it was right less often than it claimed.';
    case 'underconfident':
      return 'underconfident: it was right more often than it claimed.';
  }
}

function detailLines({ verdict, bands, suggestedThreshold }: Calibration): string[] {
  if (verdict === 'not-enough-decided') return [];
  const filled = bands.filter(({ decided }) => decided > 0);
  return [
    '  confidence   decided  stated  right',
    ...filled.map(({ from, to, decided, stated, held }) =>
      [
        `  ${`${from} to ${to}`.padEnd(12)}`,
        String(decided).padStart(8),
        writeShare(stated).padStart(8),
        writeShare(held).padStart(7),
      ].join(''),
    ),
    ...(suggestedThreshold === null
      ? []
      : [`  At confidence ${suggestedThreshold} and above, at least ${WANTED_PERCENT} % were right.`]),
  ];
}

function writeShare(share: number | null): string {
  if (share === null) return '-';
  const written = share.toFixed(2);
  return written === '-0.00' ? '0.00' : written;
}

/** Fits a name on one line, within its column. */
function shortName(name: string): string {
  return shorten(foldText(name), WIDEST_NAME);
}

function padName(name: string, width: number): string {
  return name + ' '.repeat(width - widthOf(name));
}

function widthOf(name: string): number {
  return [...name].length;
}
