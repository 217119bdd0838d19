import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, CreateAction, Plan } from '../../../src/core/plan/types.js';
import type { ActionQuestion, Answer } from '../../../src/review/question.js';
import { makeFolder } from '../../folder.js';
import { bundleFixture } from '../pty/bundle-fixture.js';
import { type TerminalOptions, TestTerminal } from '../pty/terminal.js';
import type { Script } from './fixture.js';

let built: { readonly path: string } = { path: '' };

/** Bundles the fixture program for the tests of one file. */
export function buildFixture(): void {
  built = bundleFixture(import.meta.url);
}

/** The fixture program's command line. */
export function programOf(folder: string): string {
  return [process.execPath, built.path, folder].join(' ');
}

export interface StartOptions extends Partial<TerminalOptions> {
  files?: Record<string, string>;
  /** Wraps the program's command line, as the text of a shell command. */
  shell?: (program: string) => string;
}

export interface Started {
  terminal: TestTerminal;
  folder: string;
  /** What was answered so far. */
  answers(): (Answer | { decision: 'settled'; answer: Answer })[];
  drafts(name: string): string;
}

/** The fixture program in a terminal, with a script to go through. */
export function startReview(script: Script, { files = {}, shell, ...options }: StartOptions = {}): Started {
  const folder = makeFolder({ 'script.json': JSON.stringify(script), ...files });
  const program = programOf(folder);
  const words = shell ? ['/bin/sh', '-c', shell(program)] : program.split(' ');
  const terminal = new TestTerminal(words, { cwd: folder, ...options });
  return {
    terminal,
    folder,
    answers: () => {
      const path = join(folder, 'answers');
      if (!existsSync(path)) return [];
      // The program may be about to write: what has no end yet is no answer yet.
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    },
    drafts: (name) => readFileSync(join(folder, 'drafts', name), 'utf8'),
  };
}

/** Executable scripts for a folder that is first on PATH. */
export function writeTools(tools: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(tools))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}

export const COMMAND: Action = {
  type: 'EXECUTE',
  line: 40,
  metadata: { Description: 'Run the tests.' },
  description: 'Run the tests.',
  expectedOutcome: 'The summary says `# fail 0`.',
  cwd: 'packages/core',
  env: { CI: '1' },
  command: 'npm ci\nnpm test\n',
  timeout: 60,
  allowFailure: false,
};

export const FILE: CreateAction = {
  type: 'CREATE',
  line: 20,
  metadata: { 'File Path': '[src/hello.ts](/src/hello.ts)', Description: 'Greet.' },
  path: 'src/hello.ts',
  description: 'Greet.',
  content: "export const hello = 'hello';\n",
  overwrite: false,
};

/** 10,000 lines. */
export const LONG_FILE: Action = {
  ...FILE,
  content: Array.from({ length: 10_000 }, (_, at) => `line ${at + 1}\n`).join(''),
};

export const CHAT: Action = {
  type: 'CHAT_WITH_USER',
  line: 60,
  metadata: {},
  message: '## Next\n\nShall I **really** change `README.md`?\n\n- yes\n- no\n',
};

export function question(action: Action, more: Partial<ActionQuestion> = {}): ActionQuestion {
  const preview: ActionQuestion['preview'] =
    action.type === 'CREATE'
      ? { kind: 'write', path: action.path, before: null, after: action.content, matched: null }
      : { kind: 'none' };
  return {
    kind: 'action',
    number: 1,
    total: 3,
    action,
    modified: false,
    preview,
    risks: [],
    hash: 'h1',
    ...more,
  };
}

export function plan(actions: Action[], more: Partial<Plan> = {}): Plan {
  return {
    title: 'Say hello',
    metadata: { Status: 'Green 🟢', 'Plan Type': 'Implementation', Agent: 'Developer' },
    rationale: '### 1. Synthesis\nNobody says hello.\n',
    activeContext: [],
    memos: [],
    actions,
    ...more,
  };
}

/** The prompt is there: a key counts from now on. */
export const READY = /n skip.*q quit/s;
