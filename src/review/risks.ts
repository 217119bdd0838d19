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
  'cut-off': { isGrave: true, heading: 'Text is cut off' },
  deletes: { isGrave: true, heading: 'May delete' },
  overwrite: { isGrave: true, heading: 'Replaces files' },
  protected: { isGrave: true, heading: 'Names protected folders' },
  'hidden-characters': { isGrave: true, heading: 'Hidden characters' },
  'outside-task': { isGrave: true, heading: 'Outside the task' },
  command: { isGrave: false, heading: 'Runs commands' },
  tests: { isGrave: false, heading: 'Changes tests' },
  scripts: { isGrave: false, heading: 'Changes scripts' },
  network: { isGrave: false, heading: 'May use the network' },
  'agent-guard': { isGrave: false, heading: 'Limits set by the agent' },
  'large-diff': { isGrave: false, heading: 'Large changes' },
} satisfies Record<string, RiskLook>;

export type RiskKind = keyof typeof RISKS;

const TESTS = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|spec)\.[\w.]+$/i;
const SCRIPTS =
  /(?:^|\/)(?:package\.json|Makefile|Dockerfile|Jenkinsfile|justfile|\.github\/|\.ci\/|\.gitlab-ci\.yml|scripts?\/|bin\/)|\.(?:sh|bash|zsh|ps1)$/i;

/** What the path of a changed file says. `taskFiles` are those that the task names; null: there is no task, or it names none. */
export function risksOfPath(path: string, taskFiles: readonly string[] | null): Risk[] {
  const risks: Risk[] = [];
  if (taskFiles !== null && !taskFiles.some((file) => covers(file, path)))
    risks.push({ kind: 'outside-task', message: 'is not among the files of the task' });
  if (TESTS.test(path)) risks.push({ kind: 'tests', message: 'changes a test' });
  if (SCRIPTS.test(path)) risks.push({ kind: 'scripts', message: 'changes a script' });
  return risks;
}

/** Whether a file that a task names is the path or a folder above it; of a pattern, the folders before its wildcard count. */
function covers(file: string, path: string): boolean {
  const wildcard = file.search(/[*?{]/);
  const literal = wildcard === -1 ? file : file.slice(0, file.lastIndexOf('/', wildcard) + 1);
  const folder = literal.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '');
  return folder === '' ? wildcard !== -1 : path === folder || path.startsWith(`${folder}/`);
}
