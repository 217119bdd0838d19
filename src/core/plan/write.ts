import { fenceFor } from '../markdown/lines.js';
import { ACTIONS } from './actions.js';
import { ACTION_FIELDS } from './metadata.js';
import { writeStateChanges } from './state-changes.js';
import type { Action, Metadata, Plan } from './types.js';

/** Writes a plan in the format's own form: reading it back gives the same plan, without a warning. */
export function writePlan(plan: Plan): string {
  const sections = [
    [`# ${titleText(plan.title)}`, ...metadataLines(plan.metadata)].join('\n'),
    `## Rationale\n${block(plan.rationale, 'text')}`,
    ...writeStateChanges(plan).map(({ section, changes }) => `## ${section}\n${block(changes, '')}`),
    ['## Action Plan', ...plan.actions.map(writeAction)].join('\n\n'),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** One action in the format's own form, without a final newline. */
export function writeAction(action: Action): string {
  const { labels } = ACTIONS[action.type];
  const head = [`### \`${action.type}\``, ...metadataLines(canonicalMetadata(action))].join('\n');
  const body = writeBody(action);
  const isApart = 'edits' in action || ('message' in action && labels.length > 0);
  return body === '' ? head : `${head}${isApart ? '\n\n' : '\n'}${body}`;
}

function writeBody(action: Action): string {
  if ('content' in action) return block(action.content, languageOf(action.path));
  if ('command' in action) return block(action.command, 'shell');
  if ('queries' in action) return action.queries.map((query) => block(`${query}\n`, 'text')).join('\n');
  if ('message' in action) return action.message;
  if (!('edits' in action)) return '';
  const language = languageOf(action.path);
  return action.edits
    .map(
      ({ find, replace }) =>
        `\`FIND:\`\n${block(`${find}\n`, language)}\n\`REPLACE:\`\n${block(replace === '' ? '' : `${replace}\n`, language)}`,
    )
    .join('\n\n');
}

/** The metadata in the plan's own order, each known label with the value that the action really has. */
function canonicalMetadata(action: Action): Metadata {
  const { labels } = ACTIONS[action.type];
  const values = new Map<string, string>();
  for (const label of labels) {
    const { key, write } = ACTION_FIELDS[label];
    const value = write((action as unknown as Record<string, unknown>)[key]);
    if (value !== null) values.set(label, value);
  }
  const written = new Map<string, string>();
  for (const [label, value] of Object.entries(action.metadata)) {
    const name = labels.find((known) => known.toLowerCase() === label.toLowerCase());
    if (!name) written.set(label, value);
    else if (values.has(name) && !written.has(name)) written.set(name, values.get(name)!);
    // Without a label that it knows, a list is no metadata but the message.
    else if ('message' in action) written.set(name, '');
  }
  for (const [label, value] of values) if (!written.has(label)) written.set(label, value);
  return Object.fromEntries(written);
}

function metadataLines(metadata: Metadata): string[] {
  return Object.entries(metadata).map(
    ([label, value]) => `- **${label}:**${/^\s|^$/.test(value) ? '' : ' '}${value}`,
  );
}

function block(content: string, info: string): string {
  const fence = fenceFor(content);
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${fence}${info}\n${content}${end}${fence}`;
}

const LANGUAGES: Record<string, string> = {
  md: 'markdown',
  ts: 'typescript',
  js: 'javascript',
  py: 'python',
  sh: 'shell',
  yml: 'yaml',
  rs: 'rust',
  rb: 'ruby',
};

/** An info string for a block: the file's language as far as its ending shows. */
function languageOf(path: string): string {
  const ending = /\.([A-Za-z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase();
  return ending ? (LANGUAGES[ending] ?? ending) : 'text';
}

/** A title on one line; hashes at its end would be read as the end of the heading. */
function titleText(title: string): string {
  const text = title
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
  return /(?:^|\s)#{1,6}$/.test(text.slice(-8)) ? `${text} #` : text;
}
