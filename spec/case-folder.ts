import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sealRuns } from './own-runs.js';

const TEDDY = fileURLToPath(new URL('../bin/teddy.cjs', import.meta.url));
const IN_CASE = ['command', 'stdin', 'now', 'own-runs', 'input', 'expected', 'README.md'];
/** Where a case does not say. */
const NOW = '2026-01-02T03:04:05Z';
const IN_EXPECTED = ['stdout', 'stderr', 'exit', 'issues', 'tree'];

/** Path to content; a folder's content is null, a symlink's is its target after an arrow. */
export type FileTree = Record<string, string | null>;

export interface ProcessEnd {
  exit: number | null;
  stdout: string;
  /** Without its last line, where that names the root. */
  stderr: string;
  /** What that line names; null where there is none. */
  root: string | null;
}

export interface SpecCase {
  words: string[];
  stdin: Buffer | undefined;
  /** What TEDDY_NOW says. */
  now: string;
  /** The runs in the input that are the user's own, in their order. */
  ownRuns: string[];
  /** The folder to run in, where the case has one. */
  input: string | undefined;
  end: ProcessEnd;
  /** `severity code line` for each, in order; undefined where the case does not say. */
  issues: string[] | undefined;
  treeAfter: FileTree;
}

/** Areas of another kind; each says in its README.md who runs it. */
const OTHER_AREAS = ['clients'];

/** Every folder of an area, as a path relative to `spec`. */
export function findCases(spec: string): string[] {
  const areas = foldersIn(spec).filter((area) => !OTHER_AREAS.includes(area));
  return areas.flatMap((area) => {
    const cases = foldersIn(join(spec, area)).map((name) => join(area, name));
    if (cases.length === 0) throw new Error(`spec/${area} holds no case.`);
    return cases;
  });
}

/** Throws on anything missing or unknown: a case that asserts less than it seems to is worse than none. */
export function readCase(name: string): SpecCase {
  const folder = fileURLToPath(new URL(`./${name}/`, import.meta.url));
  const expected = join(folder, 'expected');
  refuseUnknown(folder, IN_CASE);
  refuseUnknown(expected, IN_EXPECTED);
  const input = join(folder, 'input');
  const before = existsSync(input) ? input : undefined;
  const after = existsSync(join(expected, 'tree')) ? join(expected, 'tree') : before;
  const issues = readOptional(join(expected, 'issues'));
  const words = splitWords(readFileSync(join(folder, 'command'), 'utf8'));
  const exit = readExit(join(expected, 'exit'));
  const stderr = readOptional(join(expected, 'stderr')) ?? '';
  return {
    words,
    stdin: existsSync(join(folder, 'stdin')) ? readFileSync(join(folder, 'stdin')) : undefined,
    now: readOptional(join(folder, 'now'))?.trim() ?? NOW,
    ownRuns:
      readOptional(join(folder, 'own-runs'))
        ?.split('\n')
        .filter((line) => line !== '') ?? [],
    input: before,
    end: {
      exit,
      stdout: readFileSync(join(expected, 'stdout'), 'utf8'),
      stderr,
      root: exit === 2 || !words.includes('--json') ? rootFor(words, stderr) : null,
    },
    issues: issues?.split('\n').filter((line) => line !== ''),
    treeAfter: after === undefined ? {} : listTree(after),
  };
}

/** The root that a command names; null for help, for a command line that is not understood, and where there is none. */
function rootFor(words: readonly string[], stderr: string): string | null {
  const isHelp = words[0] === 'help' || words.includes('--help') || words.includes('--version');
  if (isHelp || NOT_UNDERSTOOD.test(stderr)) return null;
  return words.includes('--root') ? join('ROOT', words[words.indexOf('--root') + 1]!) : 'ROOT';
}

const NOT_UNDERSTOOD =
  /^teddy: .*(?:; see teddy .*--help\.|; did you mean .*\?|--root .* does not exist\.)\n$/;

/** A new folder that holds the case's input. */
export function copyInput({ input }: SpecCase): string {
  const folder = mkdtempSync(join(tmpdir(), 'teddy-spec-'));
  if (input !== undefined) cpSync(input, folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** Runs the built teddy in a folder that is also its root, with an environment that holds nothing of this machine. */
export function runTeddy(
  words: readonly string[],
  folder: string,
  stdin: Buffer | undefined,
  now = NOW,
  ownRuns: readonly string[] = [],
): ProcessEnd {
  const state = mkdtempSync(join(tmpdir(), 'teddy-state-'));
  try {
    sealRuns(folder, state, ownRuns);
    const { status, stdout, stderr } = spawnSync(process.execPath, [TEDDY, ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_STATE_HOME: state,
        TEDDY_NOW: now,
      },
      input: stdin ?? '',
      timeout: 30_000,
      // A session of its own: no terminal of whoever runs the tests is asked.
      detached: true,
    } as SpawnSyncOptionsWithStringEncoding);
    const settle = (text: string) => withoutChance(text, folder);
    return { exit: status, stdout: settle(stdout), ...splitRoot(settle(stderr)) };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

function splitRoot(stderr: string): Pick<ProcessEnd, 'stderr' | 'root'> {
  const [line, root = null] = /(?:^|(?<=\n))Root: (.*)\n$/.exec(stderr) ?? [''];
  return { stderr: stderr.slice(0, stderr.length - line.length), root };
}

/** What differs from run to run: names made up on the way, how long it took, and where the case was copied to. */
function withoutChance(text: string, folder: string): string {
  return text
    .replaceAll(realpathSync(folder), 'ROOT')
    .replace(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, 'RUN')
    .replace(KEPT, '$1KEPT')
    .replace(/("durationMs": )\d+/g, '$10')
    .replace(/(Duration:\*\* )[\d.]+ seconds/g, '$10.00 seconds');
}

/** The name of a text that was handed over and not captured. */
const KEPT = /(\.teddy\/incoming\/)[a-z0-9]+-\d+-\d+\b/g;

export function listTree(folder: string): FileTree {
  const tree: FileTree = {};
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (isMachinery(entry)) continue;
    const path = join(folder, entry);
    const name = entry.replace(KEPT, '$1KEPT');
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) tree[name] = `→ ${readlinkSync(path)}`;
    // Bytes as Latin-1, so that content that is not UTF-8 is compared exactly too.
    else tree[name] = stats.isDirectory() ? null : settleFile(name, readFileSync(path, 'latin1'));
  }
  return tree;
}

/** Records carry a seal that each user's key makes another one; of a system prompt only whose it is counts. */
function settleFile(name: string, content: string): string {
  if (name.startsWith('.teddy/reports/'))
    return content.replace(/^( {2}"seal": ")[0-9a-f]{64}"$/m, '$1SEAL"');
  return /^\.teddy\/sessions\/[^/]+\/\d+\/system_prompt\.md$/.test(name) ? content.split('\n')[0]! : content;
}

/** What teddy keeps for itself. Memos, context, config and policy are the user's, and count. */
function isMachinery(path: string): boolean {
  return (
    /^\.teddy(?:$|\/(?:\.gitignore|lock|incoming\.lock|tx|runs|context-maps)(?:$|\/)|\/incoming$)/.test(
      path,
    ) || /^\.teddy\/(?:sessions\/[^/]+\/lock|(?:incoming|reports)\/\.gitignore)$/.test(path)
  );
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function refuseUnknown(folder: string, known: readonly string[]): void {
  const unknown = readdirSync(folder).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`${relative(process.cwd(), folder)} holds what no case has: ${unknown.join(', ')}.`);
  }
}

function readOptional(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function readExit(path: string): number {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^\d+$/.test(text)) throw new Error(`${relative(process.cwd(), path)} is not an exit code.`);
  return Number(text);
}

/** `teddy validate 'my plan.md'` to words; single quotes are all the quoting there is. */
function splitWords(command: string): string[] {
  const line = command.replace(/\n$/, '');
  const words = [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
  if (line.includes('\n') || words[0] !== 'teddy')
    throw new Error(`A command is one line "teddy …", not: ${line}`);
  return words.slice(1);
}
