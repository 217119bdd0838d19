import { needsLink, writePathLink } from '../markdown/inline.js';
import { fenceFor } from '../markdown/lines.js';
import { ACTIONS } from './grammar.js';
import { writeChange } from './simulate.js';
import type { Action, Metadata, Plan, Resource } from './types.js';

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

/** The changes of state that a plan proposes, in its order; `changes` are its lines, each with its newline. */
export function writeStateChanges(plan: Plan): { section: 'Active Context' | 'Memos'; changes: string }[] {
  const context = plan.activeContext.map(({ op, path, comment }) => ({ op, text: plainPath(path), comment }));
  return [
    { section: 'Active Context' as const, changes: changeLines(context) },
    { section: 'Memos' as const, changes: changeLines(plan.memos) },
  ].filter(({ changes }) => changes !== '');
}

function changeLines(changes: readonly { op: string; text: string; comment: string | null }[]): string {
  return changes.map(({ op, text, comment }) => `[${op}] ${writeChange(text, comment)}\n`).join('');
}

/** One action in the format's own form, without a final newline. */
export function writeAction(action: Action): string {
  const heading = `### \`${action.type}\``;
  const body = writeBody(action);
  const lines = [heading, ...metadataLines(canonicalMetadata(action))].join('\n');
  if (body === '') return lines;
  return `${lines}${action.type === 'CHAT_WITH_USER' || !isProse(action) ? '\n' : '\n\n'}${body}`;
}

function isProse(action: Action): boolean {
  return ACTIONS[action.type].slot === 'message' || action.type === 'EDIT';
}

function writeBody(action: Action): string {
  switch (action.type) {
    case 'CREATE':
      return block(action.content, languageOf(action.path));
    case 'EXECUTE':
      return block(action.command, 'shell');
    case 'EDIT':
      return action.edits
        .map(({ find, replace }) => {
          const language = languageOf(action.path);
          return `\`FIND:\`\n${block(`${find}\n`, language)}\n\`REPLACE:\`\n${block(replace === '' ? '' : `${replace}\n`, language)}`;
        })
        .join('\n\n');
    case 'RESEARCH':
      return action.queries.map((query) => block(`${query}\n`, 'text')).join('\n');
    case 'CHAT_WITH_USER':
    case 'INVOKE':
    case 'CONCLUDE':
      return action.message;
    case 'READ':
    case 'PRUNE':
      return '';
  }
}

/** The metadata in the plan's own order, each known label with the value that the action really has. */
function canonicalMetadata(action: Action): Metadata {
  const { labels } = ACTIONS[action.type];
  const values = knownValues(action);
  const written = new Map<string, string>();
  for (const [label, value] of Object.entries(action.metadata)) {
    const name = labels.find((known) => known.toLowerCase() === label.toLowerCase());
    if (!name) written.set(label, value);
    else if (values.has(name) && !written.has(name)) written.set(name, values.get(name)!);
    // Without a label that it knows, a list is no metadata but the message.
    else if (ACTIONS[action.type].slot === 'message') written.set(name, '');
  }
  for (const label of labels)
    if (values.has(label) && !written.has(label)) written.set(label, values.get(label)!);
  return Object.fromEntries(written);
}

function knownValues(action: Action): Map<string, string> {
  const values = new Map<string, string>();
  const set = (label: string, value: string | null | false | undefined) => {
    if (value !== null && value !== false && value !== undefined) values.set(label, value);
  };
  if ('path' in action) set('File Path', writePathLink(action.path));
  if ('resource' in action) set('Resource', resourceLink(action.resource));
  if ('description' in action) set('Description', indented(action.description));
  switch (action.type) {
    case 'CREATE':
      set('Overwrite', action.overwrite && 'true');
      break;
    case 'READ':
      set('Lines', action.lines && `${action.lines.from}-${action.lines.to}`);
      break;
    case 'EXECUTE':
      set('Expected Outcome', indented(action.expectedOutcome));
      set('cwd', action.cwd && plainPath(action.cwd));
      if (Object.keys(action.env).length > 0) {
        set(
          'env',
          Object.entries(action.env)
            .map(([name, value]) => `\n    - \`${name}\`: "${value}"`)
            .join(''),
        );
      }
      set('Timeout', action.timeout === null ? null : `${action.timeout}s`);
      set('Allow Failure', action.allowFailure && 'true');
      break;
    case 'INVOKE':
    case 'CONCLUDE':
      if (action.type === 'INVOKE') set('Agent', indented(action.agent));
      if (action.handoffResources.length > 0) {
        set(
          'Handoff Resources',
          action.handoffResources.map((resource) => `\n  - ${resourceLink(resource)}`).join(''),
        );
      }
      break;
    case 'EDIT':
    case 'RESEARCH':
    case 'CHAT_WITH_USER':
    case 'PRUNE':
      break;
  }
  return values;
}

function metadataLines(metadata: Metadata): string[] {
  return Object.entries(metadata).map(
    ([label, value]) => `- **${label}:**${/^\s|^$/.test(value) ? '' : ' '}${value}`,
  );
}

/** A working directory or a line of the context: plain, where that can be read back. */
function plainPath(path: string): string {
  return needsLink(path) && !/^https?:\/\//i.test(path) ? writePathLink(path) : path;
}

function resourceLink(resource: Resource): string {
  return resource.kind === 'url'
    ? `[${resource.target}](${resource.target})`
    : writePathLink(resource.target);
}

/** The lines of a value, so far in that none of them begins a list or a heading. */
function indented(value: string | null): string | null {
  return value === null ? null : value.replaceAll('\n', '\n      ');
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

/** An info string for a block: the file's language as far as its ending tells. */
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
