import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeFolder, readTree } from '../../folder.js';
import { leaveOutRoot, TEDDY } from '../teddy.js';

export interface Ended {
  exit: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface SiteOptions {
  /** `http://127.0.0.1:PORT/v1`; without one the config names no model. */
  url?: string;
  /** Lines for the end of the config's `model`. */
  model?: string[];
  env?: Record<string, string>;
}

export const KEY = 'larder-key-0123456789abcdef';

/** A clipboard made of a file: small programs with the names that the clipboard library calls. */
const CLIPBOARD = {
  'clipboard/text': '',
  'clipboard/bin/xsel':
    '#!/bin/sh\ncase "$*" in *--input*) cat > "$CLIPBOARD";; *) cat "$CLIPBOARD";; esac\n',
  'clipboard/bin/pbcopy': '#!/bin/sh\ncat > "$CLIPBOARD"\n',
  'clipboard/bin/pbpaste': '#!/bin/sh\ncat "$CLIPBOARD"\n',
};

/** A project in a git repository, with a home, a state and a clipboard of its own beside it. */
export class Site {
  readonly base: string;
  readonly root: string;
  readonly env: Record<string, string>;

  constructor(files: Record<string, string>, { url, model = [], env = {} }: SiteOptions = {}) {
    this.base = makeFolder(CLIPBOARD);
    this.root = join(this.base, 'larder');
    for (const name of ['xsel', 'pbcopy', 'pbpaste'])
      chmodSync(join(this.base, 'clipboard/bin', name), 0o755);
    this.env = {
      PATH: `${join(this.base, 'clipboard/bin')}:${process.env.PATH}`,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME!,
      HOME: this.base,
      XDG_STATE_HOME: join(this.base, 'state'),
      CLIPBOARD: join(this.base, 'clipboard/text'),
      MODEL_API_KEY: KEY,
      ...env,
    };
    mkdirSync(this.root);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    for (const words of [
      ['init', '-q'],
      ['add', '.'],
      [...AS_SOMEBODY, 'commit', '-q', '-m', 'Begin'],
    ])
      this.git(...words);
    if (url !== undefined) this.write('.teddy/config.yaml', configFor(url, model));
  }

  write(path: string, text: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** Every file of the sessions, but for locks. */
  sessions(): Record<string, string> {
    const tree = readTree(join(this.root, '.teddy/sessions'));
    return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/lock')));
  }

  get clipboard(): string {
    return readFileSync(this.env.CLIPBOARD!, 'utf8');
  }

  set clipboard(text: string) {
    writeFileSync(this.env.CLIPBOARD!, text);
  }

  /** `teddy` at work, which the test may kill. */
  start(words: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, [TEDDY, ...words, '--trust'], {
      cwd: this.root,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own: no terminal of whoever runs the tests is asked.
      detached: true,
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  }

  /** Runs `teddy` to its end; a model server of this process can answer meanwhile. */
  async run(words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return endOf(this.start(words, env));
  }

  private git(...words: string[]): void {
    const { status, stderr } = spawnSync('git', words, { cwd: this.root, env: this.env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${words[0]}: ${stderr}`);
  }
}

const AS_SOMEBODY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

function configFor(url: string, model: readonly string[] = []): string {
  const lines = [
    'provider: openai-compatible',
    `baseURL: ${url}`,
    'name: test-model',
    'keyEnv: MODEL_API_KEY',
    ...model,
  ];
  return `model:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

export function endOf(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit, signal) =>
      resolve({ exit, signal, ...texts, stderr: leaveOutRoot(texts.stderr) }),
    );
    // A command that outlives a killed teddy keeps the pipes open.
    child.on('exit', (exit, signal) => {
      if (signal !== null) resolve({ exit, signal, ...texts });
    });
  });
}

/** Waits until it holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It never came to be that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
