import { kindOfDiffLine } from '../../core/changeset/diff-rows.js';
import type { Issue } from '../../core/issue.js';
import { listFacts } from '../../core/report/list-facts.js';
import {
  type ActionRecord,
  countActions,
  type Decision,
  type Facts,
  type Run,
  type StateChangeRecord,
} from '../../core/report/record.js';
import { describeSubject } from '../../core/report/subject.js';
import { splitHidden } from '../../core/text.js';
import { sha256Base64 } from '../../node/ids.js';
import type { RunDiff } from '../../runs/diff/diff-run.js';
import { RECEIPT_STYLE } from './receipt-style.js';

// The receipt of a run: one HTML file that needs no server and no script. Every text in it is escaped, hidden characters
// are shown by number, and its policy lets a browser load nothing at all.

export interface ReceiptFacts {
  run: Run;
  /** Whether this user's seal is on the record. */
  origin: 'own' | 'altered' | 'foreign';
  /** What was proposed, with secrets masked; null where that is not certain, and for an agent's changes. */
  plan: ReceiptPlan | null;
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
  const { run, plan, diff, recordHashes, fileHashes } = receipt;
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
    ...header(title, receipt),
    ...(plan === null || plan.rationale === '' ? [] : [details('Rationale', plan.rationale)]),
    ...(run.refused ? chapter('Why it was refused', [issueList(run.issues)]) : []),
    ...chapter('State changes', run.stateChanges.map(showStateChange)),
    ...chapter(
      'Actions',
      run.actions.map((action, at) => showAction(action, at + 1, plan?.actions[at])),
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
      `<p>The files are in <code>${show(`.teddy/runs/${run.id}`)}</code>.</p>`,
      facts(Object.entries(recordHashes), 'hash'),
    ]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const RECORDS = {
  own: 'sealed by this user, and unchanged',
  altered: 'changed after the run',
  foreign: 'recorded by another user, or with another HOME',
} as const;

function header(title: string, { run, origin, diff }: ReceiptFacts): string[] {
  const { total, succeeded, failed, skipped } = countActions(run.actions);
  const counts = [
    `${total} proposed`,
    ...(succeeded > 0 ? [`${succeeded} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return [
    '<p class="kind">Receipt of a run of teddy</p>',
    `<h1>${show(title)}</h1>`,
    `<p class="overall ${run.overall.toLowerCase()}">${run.overall}</p>`,
    facts([
      ['Actions', counts.join(', ')],
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
  const description = metadata.Description;
  return block(outcome.status, [
    `<h3><span class="muted">${number} ${type}</span> <code>${show(label)}</code> <span class="state">${state}</span></h3>`,
    ...(description === undefined || description === label ? [] : [`<p>${show(description)}</p>`]),
    facts([
      ...(proposed === undefined ? Object.entries(metadata) : []),
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
    `<h3><code>${show(path)}</code>${file === undefined ? '' : ` <span class="state">${file.change}</span>`}</h3>`,
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
    ...(reason === null ? [] : [`<p>${show(reason)}</p>`]),
    ...(file?.diff == null ? [] : [pre(file.diff, kindOfDiffLine)]),
  ]);
}

function issueList(issues: readonly Issue[]): string {
  return facts(issues.map(({ line, message }) => [line === undefined ? 'Plan' : `Line ${line}`, message]));
}

type Pair = readonly [name: string, value: string];

function chapter(title: string, parts: readonly string[], note: string | null = null): string[] {
  if (parts.length === 0 && note === null) return [];
  return [`<h2>${title}</h2>`, ...(note === null ? [] : [`<p>${show(note)}</p>`]), ...parts];
}

function block(look: string, parts: readonly string[]): string {
  return [`<section class="${look}">`, ...parts, '</section>'].join('\n');
}

function facts(pairs: readonly Pair[], look = ''): string {
  const rows = pairs.map(([name, value]) => `<dt>${show(name)}</dt><dd class="${look}">${show(value)}</dd>`);
  return `<dl>${rows.join('\n')}</dl>`;
}

function details(name: string, text: string): string {
  return `<details><summary>${name}</summary>${pre(text)}</details>`;
}

function pre(text: string, lookOf: (line: string) => string = () => ''): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return `<pre>${lines.map((line) => `<span class="${lookOf(line)}">${show(line)}\n</span>`).join('')}</pre>`;
}

/** As text, with hidden characters as `<U+202E>`. */
function show(text: string): string {
  return splitHidden(text)
    .map((part) => (part.hidden ? `<mark>${escapeText(part.text)}</mark>` : escapeText(part.text)))
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  const plain = splitHidden(text).map((part) => part.text);
  return plain.join('').replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
