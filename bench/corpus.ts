import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hunk, historyHunks } from '../test/corpus/hunks.js';
import { fencedFiles, isMarkdown, type MarkdownFile } from '../test/corpus/markdown-files.js';

/** Packages that ship many documents. Fetched once, by the npm client and its own settings. */
const PACKAGES = [
  ['markdownlint', '0.40.0'],
  ['eslint-plugin-jsx-a11y', '6.10.2'],
  ['eslint-plugin-import', '2.32.0'],
  ['ai', '6.0.326'],
  ['@typescript-eslint/eslint-plugin', '5.62.0'],
  ['stylelint-scss', '3.21.0'],
  ['stylelint', '13.13.1'],
] as const;

const FOLDER = join('bench', '.corpus');

export interface Corpus {
  files: MarkdownFile[];
  /** The packages that could not be fetched. */
  missing: string[];
}

/** The fenced Markdown files at hand: those of the installed packages and those of the fetched ones. */
export function corpus(): Corpus {
  const found = within('installed', 'node_modules');
  const missing: string[] = [];
  for (const [name, version] of PACKAGES) {
    const folder = fetched(name, version);
    if (folder === null) missing.push(name);
    else found.push(...within(name, folder));
  }
  const seen = new Set<string>();
  const files = found.filter(({ lines }) => {
    const text = lines.join('\n');
    return seen.has(text) ? false : seen.add(text);
  });
  return { files, missing };
}

function within(prefix: string, folder: string): MarkdownFile[] {
  return fencedFiles(folder).map((file) => ({ ...file, name: `${prefix}/${file.name}` }));
}

/** The folder with the package's documents, or null with a line that says why not. */
function fetched(name: string, version: string): string | null {
  const slug = `${name.replace('@', '').replace('/', '-')}-${version}`;
  const folder = join(FOLDER, slug);
  if (existsSync(folder)) return folder;
  mkdirSync(FOLDER, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'teddy-corpus-'));
  try {
    run('npm', ['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], work);
    run('tar', ['-xzf', `${slug}.tgz`], work);
    const wanted = (path: string) => statSync(path).isDirectory() || isMarkdown(path);
    cpSync(work, folder, { recursive: true, filter: wanted });
    return folder;
  } catch (error) {
    console.log(`not in the corpus: ${name}@${version} (${reasonOf(error)})`);
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], cwd: string): void {
  const shell = process.platform === 'win32';
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', shell });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}

const reasonOf = (error: unknown): string => String(error).trim().split('\n').at(-1)!;

/** Markdown hunks from the project's own history and from TEDDY_BENCH_REPOS (paths with colons between). */
export function histories(): Hunk[] {
  const repositories = ['.', ...(process.env.TEDDY_BENCH_REPOS ?? '').split(':').filter(Boolean)];
  return repositories.flatMap((repository) => {
    try {
      return historyHunks(repository);
    } catch (error) {
      console.log(`no history from ${repository}: ${reasonOf(error)}`);
      return [];
    }
  });
}
