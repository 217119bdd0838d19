import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type FileTree, listTree, type ProcessEnd } from './run-teddy.js';

const SPEC = fileURLToPath(new URL('.', import.meta.url));
const IN_CASE = ['case.yaml', 'stdin', 'stdout', 'stderr', 'input', 'tree'];
const KEYS = 'command why base without now own-runs exit stdout stderr issues removed'.split(' ');
/** Where a case does not say. */
const NOW = '2026-01-02T03:04:05Z';
/** Folders of another kind; the README.md of each says what it is. */
const OTHER_AREAS = ['areas', 'bases', 'clients'];

/** `case.yaml`, as written. Every key is explained in README.md. */
export interface CaseFile {
  command: string;
  why?: string;
  base?: string;
  without?: string[];
  now?: string;
  'own-runs'?: string[];
  exit: number;
  stdout?: string;
  stderr?: string;
  issues?: string[];
  removed?: string[];
}

export interface SpecCase {
  folder: string;
  written: CaseFile;
  words: string[];
  stdin: Buffer | undefined;
  /** What TEDDY_NOW says. */
  now: string;
  /** The runs in the input that are the user's own, in their order. */
  ownRuns: string[];
  end: ProcessEnd;
  /** `severity code line` for each, in order; undefined where the case does not say. */
  issues: string[] | undefined;
}

export function findAreas(): string[] {
  return foldersIn(SPEC).filter((area) => !OTHER_AREAS.includes(area));
}

/** Every case of an area: `tasks/submit-twice`. */
export function findCases(area: string): string[] {
  const cases = foldersIn(join(SPEC, area)).map((name) => `${area}/${name}`);
  if (cases.length === 0) throw new Error(`spec/${area} holds no case.`);
  return cases;
}

/** Throws on anything missing or unknown: a case that asserts less than it seems to is worse than none. */
export function readCase(name: string): SpecCase {
  const folder = join(SPEC, name);
  refuseUnknown(folder, readdirSync(folder), IN_CASE);
  const written = parse(readFileSync(join(folder, 'case.yaml'), 'utf8')) as CaseFile;
  refuseUnknown(join(folder, 'case.yaml'), Object.keys(written), KEYS);
  if (!Number.isInteger(written.exit)) throw new Error(`${name} says no exit code.`);
  const words = splitWords(written.command);
  const stderr = readOutput(folder, written, 'stderr');
  const isSilent = written.exit !== 2 && words.includes('--json');
  return {
    folder,
    written,
    words,
    issues: written.issues,
    stdin: existsSync(join(folder, 'stdin')) ? readFileSync(join(folder, 'stdin')) : undefined,
    now: written.now ?? NOW,
    ownRuns: written['own-runs'] ?? [],
    end: {
      exit: written.exit,
      stdout: readOutput(folder, written, 'stdout'),
      stderr,
      root: isSilent ? null : rootFor(words, stderr),
    },
  };
}

/** In `case.yaml` where it is short, in a file where it is long or not text; in neither where nothing is printed. */
function readOutput(folder: string, written: CaseFile, stream: 'stdout' | 'stderr'): string {
  const path = join(folder, stream);
  if (!existsSync(path)) return written[stream] ?? '';
  if (written[stream] !== undefined) throw new Error(`${folder} says twice what ${stream} is.`);
  return readFileSync(path, 'utf8');
}

/** The root that a command names; null for help, for a command line that is not understood, and where there is none. */
function rootFor(words: readonly string[], stderr: string): string | null {
  const isHelp = words[0] === 'help' || words.includes('--help') || words.includes('--version');
  if (isHelp || NOT_UNDERSTOOD.test(stderr)) return null;
  return words.includes('--root') ? join('ROOT', words[words.indexOf('--root') + 1]!) : 'ROOT';
}

const NOT_UNDERSTOOD =
  /^teddy: .*(?:; see teddy .*--help\.|; did you mean .*\?|--root .* does not exist\.)\n$/;

/** A new folder that holds the case's input: its base, and over it what the case has itself. */
export function copyInput({ folder, written }: SpecCase): string {
  const copy = mkdtempSync(join(tmpdir(), 'teddy-spec-'));
  const copyIn = (from: string) => cpSync(from, copy, { recursive: true, verbatimSymlinks: true });
  if (written.base !== undefined) copyIn(join(SPEC, 'bases', written.base));
  for (const path of written.without ?? []) removeFile(copy, path);
  if (existsSync(join(folder, 'input'))) copyIn(join(folder, 'input'));
  return copy;
}

/** What the folder holds after the command: its input, but for the files in `tree/` and those in `removed`. */
export function expectedTree(spec: SpecCase): FileTree {
  const copy = copyInput(spec);
  try {
    for (const path of spec.written.removed ?? []) removeFile(copy, path);
    const changed = join(spec.folder, 'tree');
    if (existsSync(changed)) cpSync(changed, copy, { recursive: true, verbatimSymlinks: true });
    return listTree(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** With the folders that held nothing else: a case cannot say that a folder is empty. */
function removeFile(root: string, path: string): void {
  rmSync(join(root, path));
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (readdirSync(join(root, folder)).length > 0) return;
    rmSync(join(root, folder), { recursive: true });
  }
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

function refuseUnknown(where: string, found: readonly string[], known: readonly string[]): void {
  const unknown = found.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`${relative(process.cwd(), where)} holds what no case has: ${unknown.join(', ')}.`);
}

/** `teddy validate 'my plan.md'` to words; single quotes are all the quoting there is. */
function splitWords(command: string): string[] {
  const words = [...command.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
  if (command.includes('\n') || words[0] !== 'teddy')
    throw new Error(`A command is one line "teddy …", not: ${command}`);
  return words.slice(1);
}
