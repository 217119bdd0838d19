import { codePointName, findHidden } from '../core/hidden-characters.js';
import type { Action } from '../core/plan/types.js';
import type { Preview, Risk } from '../review/question.js';

const LARGE_CHANGE = 200;

/** What a person should notice before saying yes. */
export function findRisks(action: Action, preview: Preview): Risk[] {
  return [...risksOfAction(action, preview), ...risksOfPreview(preview), ...hiddenCharacters(action)];
}

function risksOfAction(action: Action, preview: Preview): Risk[] {
  switch (action.type) {
    case 'CREATE':
      return [
        ...(action.cutOff
          ? [{ kind: 'cut-off' as const, message: 'the answer was cut off: this file has no end' }]
          : []),
        ...(action.overwrite ? [overwrite(preview)] : []),
      ];
    case 'EXECUTE':
      return [
        ...(action.allowFailure
          ? [guard('Allow Failure', 'the agent asks to go on although the command fails')]
          : []),
        ...(action.timeout === null
          ? []
          : [guard('Timeout', `the agent sets the time limit to ${action.timeout} s`)]),
        ...risksOfCommand(action.command),
      ];
    case 'READ':
      return action.resource.kind === 'url'
        ? [{ kind: 'network', message: 'opens a connection to the network' }]
        : [];
    case 'RESEARCH':
      return [{ kind: 'network', message: 'sends its queries to a search service' }];
    case 'EDIT':
    case 'CHAT_WITH_USER':
    case 'INVOKE':
    case 'CONCLUDE':
    case 'PRUNE':
      return [];
  }
}

function overwrite(preview: Preview): Risk {
  if (preview.kind !== 'write' || preview.before === null)
    return guard('Overwrite', 'the agent asks to replace the file if there is one');
  return { kind: 'overwrite', message: 'Overwrite: the agent asks to replace a file that is there' };
}

function guard(label: string, message: string): Risk {
  return { kind: 'agent-guard', message: `${label}: ${message}` };
}

// Words that a glance should not miss. They prove nothing: any command can do anything.
const DELETES =
  /(?:^|[\s;&|(`])(?:rm|rmdir|unlink|shred|truncate|dd|mkfs\S*|git\s+(?:clean|reset|checkout|restore|push|branch\s+-D))(?=\s|$)|\s-(?:delete|exec)\b/;
const NETWORK =
  /(?:^|[\s;&|(`])(?:curl|wget|nc|ncat|ssh|scp|rsync|ftp|telnet|git\s+(?:push|pull|fetch|clone)|(?:npm|pnpm|yarn|pip3?|cargo|gem|go|brew|apt|apt-get|docker)\s+(?:install|i|ci|add|publish|update|upgrade|get|pull|push))(?=\s|$)|\bhttps?:\/\//;
const PROTECTED = /(?:^|[\s/"'=(])\.(?:git|teddy|ultraplan)(?:\/|\b)/i;

function risksOfCommand(command: string): Risk[] {
  const risks: Risk[] = [];
  if (DELETES.test(command)) risks.push({ kind: 'deletes', message: 'may delete or discard something' });
  if (NETWORK.test(command)) risks.push({ kind: 'network', message: 'may use the network' });
  if (PROTECTED.test(command)) {
    risks.push({
      kind: 'protected',
      message: 'names .git, .teddy or .ultraplan, which no other action may change',
    });
  }
  return risks;
}

function risksOfPreview(preview: Preview): Risk[] {
  if (preview.kind !== 'write' || preview.before === null) return [];
  const { before, after } = preview;
  const risks: Risk[] = [];
  const removed = countLines(before) - countLines(after);
  if (after === '') risks.push({ kind: 'deletes', message: 'leaves the file empty' });
  else if (removed >= LARGE_CHANGE / 4 || (removed > 10 && removed * 2 > countLines(before))) {
    risks.push({ kind: 'deletes', message: `the file loses ${removed} of ${countLines(before)} lines` });
  }
  const changed = Math.abs(removed) + changedSpan(before, after);
  if (changed > LARGE_CHANGE) risks.push({ kind: 'large-diff', message: 'a large change' });
  return risks;
}

function hiddenCharacters(action: Action): Risk[] {
  const found = textsOf(action)
    .map(findHidden)
    .find((each) => each !== undefined);
  if (found === undefined) return [];
  return [
    { kind: 'hidden-characters', message: `contains invisible characters, such as ${codePointName(found)}` },
  ];
}

/** What would be done, in the action's own words. */
function textsOf(action: Action): string[] {
  switch (action.type) {
    case 'CREATE':
      return [action.path, action.content];
    case 'EDIT':
      return [action.path, ...action.edits.map(({ replace }) => replace)];
    case 'EXECUTE':
      return [action.command, action.cwd ?? '', ...Object.entries(action.env).flat()];
    case 'READ':
    case 'PRUNE':
      return [action.resource.target];
    case 'RESEARCH':
      return action.queries;
    case 'INVOKE':
      return [action.agent];
    case 'CHAT_WITH_USER':
    case 'CONCLUDE':
      return [];
  }
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Lines between the first and the last that differ. */
function changedSpan(before: string, after: string): number {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return Math.max(old.length, now.length) - head - tail;
}
