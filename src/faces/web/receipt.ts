import type { ActionRecord, Decision, Facts, Run, StateChangeRecord } from '../../core/report/record.js';
import { splitHidden } from '../../core/text.js';
import { sha256Base64 } from '../../node/ids.js';
import type { RunDiff } from '../../runs/diff/diff-run.js';

// The receipt of a run: one HTML file that needs no server and no script. Every text in it is escaped, hidden characters
// are shown by number, and its policy lets a browser load nothing at all.

export interface ReceiptFacts {
  run: Run;
  /** Whether this user's seal is on the record. */
  origin: 'own' | 'altered' | 'foreign';
  diff: RunDiff;
  /** SHA-256 of the files that record the run, by their path in its folder. */
  recordHashes: Readonly<Record<string, string>>;
  /** SHA-256 of each file that the run changed, as its journal has it; null for no file. */
  fileHashes: readonly { path: string; before: string | null; after: string | null }[];
}

export function renderReceipt({ run, origin, diff, recordHashes, fileHashes }: ReceiptFacts): string {
  const title = run.plan.title ?? 'Unreadable plan';
  const policy = `default-src 'none'; style-src 'sha256-${sha256Base64(STYLE)}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${show(title)}</h1>`,
    facts([
      ['Result', run.overall],
      ['Run', run.id],
      ['Root', run.root],
      ['Started', run.startedAt],
      ['Ended', run.endedAt],
      ['Record', RECORDS[origin]],
      ...(run.interrupted === null ? [] : [['Interrupted', run.interrupted] as const]),
      ...(diff.undone ? [['Undone', 'yes'] as const] : []),
    ]),
    ...section(
      'Problems',
      run.issues.map(({ line, message }) => item(`${line === undefined ? '' : `Line ${line}: `}${message}`)),
    ),
    ...section('State changes', run.stateChanges.map(showStateChange)),
    ...section('Actions', run.actions.map(showAction)),
    ...section('Changes to files', diff.files.map(showFile), diff.reason),
    ...section(
      'Hashes of changed files (SHA-256)',
      fileHashes.map(({ path, before, after }) =>
        block(path, [
          facts([
            ['Before', before ?? 'no file'],
            ['After', after ?? 'no file'],
          ]),
        ]),
      ),
    ),
    `<h2>Hashes of the record (SHA-256)</h2>`,
    `<p>The files are in <code>${show(`.teddy/runs/${run.id}`)}</code>.</p>`,
    facts(Object.entries(recordHashes)),
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

function showAction(action: ActionRecord, at: number): string {
  const { type, metadata, decision, outcome } = action;
  const isDone = outcome.status !== 'not-run';
  return block(`${at + 1}. ${type}`, [
    facts([
      ...Object.entries(metadata),
      ...decisionFacts(decision),
      ['Outcome', isDone ? `${outcome.status}: ${outcome.summary}` : 'not run'],
      ...(isDone ? outcomeFacts(outcome) : []),
    ]),
    ...(isDone ? outcomeTexts(outcome) : []),
  ]);
}

function showStateChange({ section: name, changes, decision, notApplied }: StateChangeRecord): string {
  const missed = notApplied.map((line) => ['Not applied', line] as const);
  return block(name, [facts([...decisionFacts(decision), ...missed]), pre(changes)]);
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

function outcomeFacts({ exitCode, ended, expectedOutcome, attempts, kept, notes = [] }: Facts): Pair[] {
  const dropped = kept?.dropped.map(
    ({ id, reason }) => ['Dropped', reason === null ? id : `${id}: ${reason}`] as const,
  );
  return [
    ...(exitCode === undefined ? [] : [['Exit code', String(exitCode)] as const]),
    ...(ended === undefined ? [] : [['Ended', ended] as const]),
    ...(expectedOutcome === undefined
      ? []
      : [['Expected outcome', expectedOutcome.met ? 'met' : 'not met'] as const]),
    ...(attempts === undefined ? [] : [['Attempts', String(attempts)] as const]),
    ...(dropped ?? []),
    ...notes.map((note) => ['Note', note] as const),
  ];
}

function outcomeTexts({ output, error, reply, ranAs }: Facts): string[] {
  const texts = [
    ['Ran as', ranAs],
    ['Output', output?.text],
    ['Error', error?.text],
    ['Reply', reply],
  ] as const;
  return texts.flatMap(([name, text]) => (text === undefined ? [] : [details(name, text)]));
}

function showFile({ path, change, diff, reason }: RunDiff['files'][number]): string {
  return block(`${path} (${change})`, [
    ...(reason === null ? [] : [`<p>${show(reason)}</p>`]),
    ...(diff === null ? [] : [pre(diff)]),
  ]);
}

type Pair = readonly [name: string, value: string];

function section(title: string, parts: readonly string[], note: string | null = null): string[] {
  if (parts.length === 0 && note === null) return [];
  return [`<h2>${title}</h2>`, ...(note === null ? [] : [`<p>${show(note)}</p>`]), ...parts];
}

function block(title: string, parts: readonly string[]): string {
  return ['<section>', `<h3>${show(title)}</h3>`, ...parts, '</section>'].join('\n');
}

function facts(pairs: readonly Pair[]): string {
  const rows = pairs.map(([name, value]) => `<dt>${show(name)}</dt><dd>${show(value)}</dd>`);
  return `<dl>${rows.join('\n')}</dl>`;
}

function details(name: string, text: string): string {
  return `<details><summary>${show(name)}</summary>${pre(text)}</details>`;
}

function item(text: string): string {
  return `<p>${show(text)}</p>`;
}

function pre(text: string): string {
  return `<pre>${show(text)}</pre>`;
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

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
section { border-top: 1px solid #8888; }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content 1fr; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { border: 1px solid #8888; overflow-x: auto; padding: 0.5rem; }
mark { background: #b00; color: #fff; }
`;
