import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listContent, makeFolder } from '../../folder.js';
import { type Ended, execTeddy } from '../execute/program.js';

const IDENTITY = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];

export function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', [...IDENTITY, ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

export function commitAll(cwd: string): void {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'a commit');
}

/** A git repository with these files in its first commit. */
export function makeRepository(files: Record<string, string>): string {
  const cwd = realpathSync(makeFolder(files));
  git(cwd, 'init', '-q', '-b', 'main');
  commitAll(cwd);
  return cwd;
}

export function write(cwd: string, path: string, text: string): void {
  mkdirSync(join(cwd, dirname(path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

export function remove(cwd: string, path: string): void {
  rmSync(join(cwd, path));
}

interface ReportParts {
  agent?: string;
  taskId?: string;
  status?: string;
  level?: string;
  confidence?: number;
  findings?: object;
  [key: string]: unknown;
}

/** A whole report of an investigator that found nothing worth a reference, but for what is given. */
export function reportOf(parts: ReportParts = {}): string {
  const {
    agent = 'investigator',
    taskId = 'auth-1',
    status = 'completed',
    level = 'detailed',
    confidence = 0.9,
    findings = { context_map: [['There is little to see.', null]] },
    ...others
  } = parts;
  const report_metadata = {
    agent_name: agent,
    task_id: taskId,
    status,
    verbosity_level: level,
    confidence_level: confidence,
  };
  return `${JSON.stringify({ report_metadata, findings, ...others }, null, 2)}\n`;
}

/** An implementer's report that claims these changes: `created src/a.ts`. */
export function claimsOf(changes: readonly string[], parts: ReportParts = {}): string {
  const changed_files = changes.map((line) => {
    const [change = '', path = ''] = line.split(' ');
    return { path, change };
  });
  return reportOf({
    agent: 'implementer',
    findings: { summary: 'It is done.', changed_files, new_dependencies: [], verification: [] },
    ...parts,
  });
}

/** What `check --json` prints, as far as the tests look at it. */
interface Checked {
  compliant: boolean;
  route: string;
  issues: { code: string; severity: string; path: string; message: string }[];
  report: unknown;
  references: { uri: string | null; status: string; now: object | null }[];
  measured: Record<string, number | null>;
  claimed: Record<string, number | null>;
  kept: string | null;
}

export interface CheckEnd extends Ended {
  said: Checked;
}

interface Options {
  cwd: string;
  env?: Record<string, string | undefined>;
}

/** Checks a text that comes on standard input, and reads what is said of it. */
export async function checkText(text: string, words: string[], options: Options): Promise<CheckEnd> {
  const end = await execTeddy(['agent', 'check', '-', '--json', ...words], { ...options, input: text });
  if (end.stdout === '') throw new Error(`check ends with ${end.exit}: ${end.stderr}`);
  return { ...end, said: JSON.parse(end.stdout) };
}

/** `code path` of each issue. */
export function codesOf({ said }: CheckEnd): string[] {
  return said.issues.map(({ code, path }) => `${code} ${path}`);
}

export async function brief(words: string[], options: Options): Promise<Ended & { kept: string }> {
  const end = await execTeddy(['agent', 'brief', ...words], options);
  if (end.exit !== 0) throw new Error(`brief ends with ${end.exit}: ${end.stderr}`);
  return { ...end, kept: /Saved in (.*)\.\n$/.exec(end.stderr)?.[1] ?? '' };
}

export function readJsonFile(cwd: string, path: string): unknown {
  return JSON.parse(readFileSync(join(cwd, path), 'utf8'));
}

/** The names in a folder; none where there is no such folder. */
export function namesIn(cwd: string, path: string): string[] {
  return listContent(join(cwd, path)).sort();
}
