// What a person should notice before saying yes, for every face and for everything that can be approved.

export interface Risk {
  kind: RiskKind;
  /** A few words, for one line. */
  message: string;
}

interface RiskLook {
  /** It can destroy something, or is not what it seems. */
  isGrave: boolean;
  /** For all changes that have it. */
  heading: string;
}

/** The gravest first. */
export const RISKS = {
  conflict: { isGrave: true, heading: 'Conflicts' },
  'cut-off': { isGrave: true, heading: 'Text is cut off' },
  deletes: { isGrave: true, heading: 'May delete' },
  overwrite: { isGrave: true, heading: 'Replaces files' },
  protected: { isGrave: true, heading: 'Names protected folders' },
  'hidden-characters': { isGrave: true, heading: 'Hidden characters' },
  'outside-task': { isGrave: true, heading: 'Outside the task' },
  'weaker-tests': { isGrave: true, heading: 'Weakens tests' },
  verification: { isGrave: true, heading: 'Changes what the verification uses' },
  secrets: { isGrave: true, heading: 'Adds secrets' },
  'link-out': { isGrave: true, heading: 'Links that lead out of the project' },
  unrestorable: { isGrave: false, heading: 'Cannot be undone' },
  command: { isGrave: false, heading: 'Runs commands' },
  tests: { isGrave: false, heading: 'Changes tests' },
  scripts: { isGrave: false, heading: 'Changes scripts' },
  'lock-file': { isGrave: false, heading: 'Changes lock files' },
  executable: { isGrave: false, heading: 'Makes files executable' },
  network: { isGrave: false, heading: 'May use the network' },
  'agent-guard': { isGrave: false, heading: 'Limits set by the agent' },
  'large-diff': { isGrave: false, heading: 'Large changes' },
} satisfies Record<string, RiskLook>;

export type RiskKind = keyof typeof RISKS;

const ORDER = Object.keys(RISKS);

/** The smaller, the graver. */
function gravity(kind: RiskKind): number {
  return ORDER.indexOf(kind);
}

/** What has risks, the gravest first, and what has none. Either is left out if it is empty. */
export function listByRisk<T extends { risks: readonly Risk[] }>(items: readonly T[]): T[][] {
  const gravest = ({ risks }: T) => Math.min(...risks.map(({ kind }) => gravity(kind)));
  const risky = items
    .filter(({ risks }) => risks.length > 0)
    .sort((one, other) => gravest(one) - gravest(other));
  return [risky, items.filter(({ risks }) => risks.length === 0)].filter((part) => part.length > 0);
}

const TESTS = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|spec)\.[\w.]+$/i;
const SCRIPTS =
  /(?:^|\/)(?:package\.json|Makefile|Dockerfile|Jenkinsfile|justfile|\.github\/|\.ci\/|\.gitlab-ci\.yml|scripts?\/|bin\/)|\.(?:sh|bash|zsh|ps1)$/i;

/** Files by which editors, agents, shells and hooks run commands as soon as someone opens the project or works in it. */
const OBEYED =
  /(?:^|\/)(?:\.(?:husky|githooks|circleci|buildkite|vscode|idea|zed|devcontainer|claude|codex|gemini|cursor|windsurf|opencode|qwen)\/|\.(?:envrc|npmrc|yarnrc(?:\.yml)?|mcp\.json|pre-commit-config\.yaml|gitmodules|exrc|n?vimrc|nvim\.lua|gdbinit|dir-locals\.el|aider\.conf\.yml)$|\.?mise\.toml$|(?:lefthook|azure-pipelines)\.ya?ml$)/i;

/** What the path of a changed file says. `taskFiles` are those that the task names; null: there is no task, or it names none. */
export function risksOfPath(path: string, taskFiles: readonly string[] | null): Risk[] {
  const risks: Risk[] = [];
  if (taskFiles !== null && !taskFiles.some((file) => covers(file, path)))
    risks.push({ kind: 'outside-task', message: 'is not among the files of the task' });
  if (TESTS.test(path)) risks.push({ kind: 'tests', message: 'changes a test' });
  if (SCRIPTS.test(path)) risks.push({ kind: 'scripts', message: 'changes a script' });
  else if (OBEYED.test(path)) risks.push({ kind: 'scripts', message: 'can make tools run commands' });
  return risks;
}

/** Whether a file that a task names is the path or a folder above it; of a pattern, the folders before its wildcard count. */
function covers(file: string, path: string): boolean {
  const wildcard = file.search(/[*?{]/);
  const literal = wildcard === -1 ? file : file.slice(0, file.lastIndexOf('/', wildcard) + 1);
  const folder = literal.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '');
  return folder === '' ? wildcard !== -1 : path === folder || path.startsWith(`${folder}/`);
}

const LOCK_FILES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|flake\.lock)$/;
const ASSERTION =
  /\b(?:expect|assert\w*|should)\b|\b(?:it|test|describe)\s*\(|\bdef test_|\bfunc Test|#\[test\]|@Test\b/;
const DISABLED =
  /\b(?:it|test|describe)\.(?:skip|todo|only)\b|\bx(?:it|describe)\s*\(|@(?:Disabled|Ignore)\b|\bt\.Skip\(|pytest\.mark\.skip|#\[ignore\]/;
const RUNNERS: readonly (readonly [command: RegExp, file: RegExp])[] = [
  [
    /\b(?:npm|npx|pnpm|yarn|bun)\b/,
    /(?:^|\/)package\.json$|(?:^|\/)(?:vite|vitest|jest|eslint|tsconfig)[\w.-]*$/,
  ],
  [/\bmake\b/, /(?:^|\/)(?:GNU)?[Mm]akefile$/],
  [/\bcargo\b/, /(?:^|\/)(?:Cargo\.toml|build\.rs)$/],
  [
    /\b(?:pytest|tox|python3?)\b/,
    /(?:^|\/)(?:pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|conftest\.py)$/,
  ],
  [/\bjust\b/, /(?:^|\/)justfile$/],
];

/** What a file of a changeset is, as far as its risks go. */
export interface RiskyFile {
  path: string;
  isDeleted: boolean;
  conflict: string | null;
  added: readonly string[];
  removed: readonly string[];
  /** Of a link that is new or led elsewhere. */
  target: string | null;
  becomesExecutable: boolean;
  hasSecret: boolean;
}

/**
 * What to notice about a file that an agent changed, the gravest first. `verify` is the command that checks the result;
 * `taskFiles` are those that the task names, null where there is none.
 */
export function risksOfFile(
  file: RiskyFile,
  { verify, taskFiles }: { verify: string | null; taskFiles: readonly string[] | null },
): Risk[] {
  const { path, added, removed } = file;
  const isTest = TESTS.test(path);
  const count = (lines: readonly string[], pattern: RegExp) =>
    lines.filter((line) => pattern.test(line)).length;
  const fewer = count(removed, ASSERTION) - count(added, ASSERTION);
  const disabled = count(added, DISABLED) - count(removed, DISABLED);
  const risks: Risk[] = [];
  const add = (kind: RiskKind, message: string) => void risks.push({ kind, message });
  if (file.conflict !== null) add('conflict', file.conflict);
  if (file.isDeleted) add('deletes', isTest ? 'deletes a test' : 'deletes the file');
  if (isTest && !file.isDeleted && (fewer > 0 || disabled > 0))
    add(
      'weaker-tests',
      disabled > 0
        ? 'skips or focuses tests'
        : fewer === 1
          ? 'removes a line that tests something'
          : `removes ${fewer} lines that test something`,
    );
  if (verify !== null && isReadBy(verify, path, isTest))
    add('verification', `the verification uses it: ${verify}`);
  if (file.hasSecret) add('secrets', 'adds what looks like a secret');
  if (file.target !== null && leadsOut(path, file.target)) add('link-out', `links to ${file.target}`);
  if ([path, ...added, ...removed].some((line) => HIDDEN.test(line)))
    add('hidden-characters', 'has hidden characters');
  // A deleted test is named already.
  risks.push(...risksOfPath(path, taskFiles).filter(({ kind }) => !file.isDeleted || kind !== 'tests'));
  if (LOCK_FILES.test(path)) add('lock-file', 'changes a lock file');
  if (file.becomesExecutable) add('executable', 'can be executed afterwards');
  if (added.length + removed.length > LARGE)
    add('large-diff', `changes ${added.length + removed.length} lines`);
  return risks.sort((one, other) => gravity(one.kind) - gravity(other.kind));
}

const LARGE = 400;
/** Bidirectional and zero-width characters, and controls. */
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![\t\n\r])\p{Cc}/u;

/** A file that the command names, that its runner reads, or a test that it runs. */
function isReadBy(command: string, path: string, isTest: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const words = command.split(/[\s'"=;|&()]+/);
  if (words.some((word) => word === path || word === `./${path}` || word === name)) return true;
  if (isTest && /test|spec|check|verify/i.test(command)) return true;
  return RUNNERS.some(([runner, file]) => runner.test(command) && file.test(path));
}

/** Whether a link goes up past the root, starts from the root of the disk, or goes up from what may be a link itself. */
function leadsOut(path: string, target: string): boolean {
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const down = names.findIndex((name) => name !== '..');
  const up = down === -1 ? names.length : down;
  return target.startsWith('/') || names.lastIndexOf('..') >= up || up >= path.split('/').length;
}
