import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sealRuns } from './own-runs.js';

/** Made by the test runner: what V8 compiled is shared by all cases. */
const { XDG_CACHE_HOME } = process.env;
const TEDDY = fileURLToPath(new URL('../bin/teddy.cjs', import.meta.url));

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

export interface Invocation {
  words: readonly string[];
  stdin: Buffer | undefined;
  now: string;
  ownRuns: readonly string[];
}

/** Runs the built teddy in a folder that is also its root, with an environment that holds nothing of this machine. */
export function runTeddy({ words, stdin, now, ownRuns }: Invocation, folder: string): ProcessEnd {
  const home = mkdtempSync(join(tmpdir(), 'teddy-home-'));
  const state = join(home, 'state');
  try {
    sealRuns(folder, state, ownRuns);
    const { status, stdout, stderr } = spawnSync(process.execPath, [TEDDY, ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        TMPDIR: tmpdir(),
        HOME: home,
        XDG_CONFIG_HOME: join(folder, '.config'),
        XDG_STATE_HOME: state,
        XDG_CACHE_HOME,
        TEDDY_NOW: now,
      },
      input: stdin ?? '',
      // A session of its own: no terminal of whoever runs the tests is asked.
      detached: true,
    } as SpawnSyncOptionsWithStringEncoding);
    const settle = (text: string) => withoutChance(text, folder);
    return { exit: status, stdout: settle(stdout), ...splitRoot(settle(stderr)) };
  } finally {
    rmSync(home, { recursive: true, force: true });
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
    /^\.teddy(?:$|\/(?:\.gitignore|lock|incoming\.lock|tx|runs|changes|contents|context-maps)(?:$|\/)|\/incoming$)/.test(
      path,
    ) || /^\.teddy\/(?:sessions\/[^/]+\/lock|(?:incoming|reports)\/\.gitignore)$/.test(path)
  );
}
