import { kindOfDiffLine } from '../../../core/changeset/diff-rows.js';
import type { Issue } from '../../../core/issue.js';
import { readLink } from '../../../core/markdown/inline.js';
import { listFacts } from '../../../core/report/list-facts.js';
import {
  type ActionRecord,
  countActions,
  type Decision,
  type Facts,
  type Run,
  type StateChangeRecord,
} from '../../../core/report/record.js';
import { describeSubject } from '../../../core/report/subject.js';
import { sha256Base64 } from '../../../node/ids.js';
import type { RunDiff } from '../../../runs/diff/diff-run.js';
import { block, chapter, details, escapeText, facts, type Pair, pre, showText } from './receipt-html.js';
import { RECEIPT_STYLE } from './receipt-style.js';
import { type LedgerResult, listChecks, type ShownCheck } from './verified.js';

// The receipt of a run: one HTML file that needs no server and no script. Every text in it is escaped, hidden characters
// are shown by number, and its policy lets a browser load nothing at all.

export interface ReceiptFacts {
  run: Run;
  /** Whether this user's seal is on the record. */
  origin: 'own' | 'altered' | 'foreign';
  /** What was proposed, with secrets masked; null where that is not certain, and for an agent's changes. */
  plan: ReceiptPlan | null;
  /** Of the task whose work the run is. */
  results: readonly LedgerResult[];
  diff: RunDiff;
  /** SHA-256 of the files that record the run, by their path in its folder. */
  recordHashes: Readonly<Record<string, string>>;
  /** SHA-256 of each file that the run changed, as its journal has it; null for no file. */
  fileHashes: readonly FileHashes[];
}

export interface ReceiptPlan {
  rationale: string;
  /** `source`: in the plan's format. */
  actions: readonly { label: string; source: string }[];
}

interface FileHashes {
  path: string;
  before: string | null;
  after: string | null;
}

export function renderReceipt(receipt: ReceiptFacts): string {
  const { run, plan, results, diff, recordHashes, fileHashes } = receipt;
  const checks = listChecks(run, results);
  const title = run.plan.title ?? 'Unreadable plan';
  const policy = `default-src 'none'; style-src 'sha256-${sha256Base64(RECEIPT_STYLE)}'; base-uri 'none'; form-action 'none'`;
  const files = new Map(diff.files.map((file) => [file.path, file]));
  const paths = new Set([...files.keys(), ...fileHashes.map(({ path }) => path)]);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)}</title>`,
    `<style>${RECEIPT_STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...header(title, checks, receipt),
    ...(plan === null || plan.rationale === '' ? [] : [details('Rationale', plan.rationale)]),
    ...(run.refused ? chapter('Why it was refused', [issueList(run.issues)]) : []),
    ...chapter('State changes', run.stateChanges.map(showStateChange)),
    ...chapter(
      'Actions',
      proposedIn(run).map((action, at) => showAction(action, at + 1, plan?.actions[at])),
    ),
    ...chapter(
      'Verified',
      checks.map(({ html }) => html),
      checks.length > 0 || run.refused ? null : 'There was no command to verify it with.',
    ),
    ...chapter(
      'Changes to files',
      [...paths].map((path) =>
        showFile(
          path,
          files.get(path),
          fileHashes.find((each) => each.path === path),
        ),
      ),
      diff.reason,
    ),
    ...(run.refused || run.issues.length === 0 ? [] : chapter('Notes on the plan', [issueList(run.issues)])),
    ...chapter('Hashes of the record (SHA-256)', [
      `<p>The files are in <code>${showText(`.teddy/runs/${run.id}`)}</code>.</p>`,
      facts(Object.entries(recordHashes), 'hash'),
    ]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function countChecks(checks: readonly ShownCheck[]): string {
  const counts = (['Passed', 'Failed', 'Not verified'] as const).flatMap((state) => {
    const count = checks.filter((each) => each.state === state).length;
    return count > 0 ? [`${count} ${state.toLowerCase()}`] : [];
  });
  return counts.join(', ') || 'nothing';
}

function proposedIn({ actions }: Run): ActionRecord[] {
  return actions.filter(({ verification }) => verification === undefined);
}

const RECORDS = {
  own: 'sealed by this user, and unchanged',
  altered: 'changed after the run',
  foreign: 'recorded by another user, or with another HOME',
} as const;

function header(title: string, checks: readonly ShownCheck[], { run, origin, diff }: ReceiptFacts): string[] {
  const { total, succeeded, failed, skipped } = countActions(proposedIn(run));
  const counts = [
    `${total} proposed`,
    ...(succeeded > 0 ? [`${succeeded} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return [
    '<p class="kind">Receipt of a run of teddy</p>',
    `<h1>${showText(title)}</h1>`,
    `<p class="overall ${run.overall.toLowerCase()}">${run.overall}</p>`,
    facts([
      ['Actions', counts.join(', ')],
      ...(run.refused ? [] : [['Verified', countChecks(checks)] as const]),
      ['Run', run.id],
      ['Root', run.root],
      ['Started', run.startedAt],
      ['Ended', run.endedAt],
      ['Record', RECORDS[origin]],
      ...(run.interrupted === null ? [] : [['Interrupted', run.interrupted] as const]),
      ...(diff.undone ? [['Undone', 'yes'] as const] : []),
    ]),
  ];
}

/** One action: what was proposed, who decided what and why, and what happened. */
function showAction(
  action: ActionRecord,
  number: number,
  proposed: ReceiptPlan['actions'][number] | undefined,
): string {
  const { type, metadata, decision, outcome } = action;
  const isDone = outcome.status !== 'not-run';
  const state = isDone ? STATES[outcome.status] : decision.status === 'skipped' ? 'Skipped' : 'Not run';
  const label = proposed?.label ?? describeSubject(action);
  const isLabel = (value: string) => (readLink(value)?.text ?? value) === label;
  const description = metadata.Description;
  return block(outcome.status, [
    `<h3><span class="muted">${number} ${type}</span> <code>${showText(label)}</code> <span class="state">${state}</span></h3>`,
    ...(description === undefined || isLabel(description) ? [] : [`<p>${showText(description)}</p>`]),
    facts([
      ...(proposed === undefined ? Object.entries(metadata).filter(([, value]) => !isLabel(value)) : []),
      ...decisionFacts(decision),
      ...(isDone ? [['Outcome', outcome.summary] as const, ...listFacts(outcome)] : []),
    ]),
    ...(proposed === undefined ? [] : [details('As proposed', proposed.source)]),
    ...(isDone ? outcomeTexts(outcome) : []),
  ]);
}

const STATES = { success: 'Done', failure: 'Failed' } as const;

function showStateChange({ section, changes, decision, notApplied }: StateChangeRecord): string {
  const missed = notApplied.map((line) => ['Not applied', line] as const);
  return block('', [`<h3>${section}</h3>`, facts([...decisionFacts(decision), ...missed]), pre(changes)]);
}

/** Who decided, and why. */
function decisionFacts(decision: Decision): Pair[] {
  return [
    ['Decision', `${decision.status} by ${DECIDERS[decision.by]}`],
    ...(decision.status === 'skipped' && decision.reason !== null
      ? [['Reason', decision.reason] as const]
      : []),
    ...(decision.comments ?? []).map(
      ({ line, text }) => [line === null ? 'Comment' : `Comment on line ${line}`, text] as const,
    ),
  ];
}

const DECIDERS: Record<Decision['by'], string> = {
  person: 'the user',
  rest: 'the user, for all the rest',
  yes: '--yes',
  decisions: 'a decisions file',
  policy: 'the policy',
  teddy: 'teddy',
};

function outcomeTexts({ output, error, reply, ranAs, kept }: Facts): string[] {
  const texts = [
    ['As you edited it', ranAs],
    ['Output', output?.text],
    ['Errors', error?.text],
    ['Reply', reply],
    ['Dropped changes', kept?.dropped.map(({ change }) => change).join('\n') || undefined],
  ] as const;
  return texts.flatMap(([name, text]) => (text === undefined ? [] : [details(name, text)]));
}

function showFile(
  path: string,
  file: RunDiff['files'][number] | undefined,
  hashes: FileHashes | undefined,
): string {
  const reason = file?.reason ?? null;
  return block('', [
    `<h3><code>${showText(path)}</code>${file === undefined ? '' : ` <span class="state">${file.change}</span>`}</h3>`,
    ...(hashes === undefined
      ? []
      : [
          facts(
            [
              ['Before', hashes.before ?? 'no file'],
              ['After', hashes.after ?? 'no file'],
            ],
            'hash',
          ),
        ]),
    ...(reason === null ? [] : [`<p>${showText(reason)}</p>`]),
    ...(file?.diff == null ? [] : [pre(file.diff, kindOfDiffLine)]),
  ]);
}

function issueList(issues: readonly Issue[]): string {
  return facts(issues.map(({ line, message }) => [line === undefined ? 'Plan' : `Line ${line}`, message]));
}
