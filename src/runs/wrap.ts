import { join, relative } from 'node:path';
import { agentEnvironment } from '../confine/agents.js';
import { confine } from '../confine/confine.js';
import { lendFolders } from '../confine/lend.js';
import { linkFolders, unlinkFolders } from '../confine/link-folders.js';
import type { ConfinementTools } from '../confine/types.js';
import { type ChangedFile, diffTrees } from '../core/changeset/changeset.js';
import { isoUtc, now } from '../node/clock.js';
import { lookAtFile } from '../node/files.js';
import { askToEnd } from '../node/process/ask-to-end.js';
import { endProcesses } from '../node/process/end.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { underJobControl } from '../node/process/pseudo-terminal.js';
import { onceReady } from '../node/process/run.js';
import { runAttached } from '../node/process/run-attached.js';
import { runAtTerminal } from '../node/terminal/relay.js';
import { findIgnoredWrites, readCopy } from '../workspace/copy/read-copy.js';
import { dropWork, type Work } from '../workspace/copy/work.js';

// An agent's program at the user's terminal, in a copy of the project: lend folders → confine → run → end → changes.

export interface WrapOptions {
  /** Has the command, and the copy that it works in. */
  work: Work;
  /** Nothing was started in it before. */
  isNew: boolean;
  /** Undefined: it is not confined, and sees the copy where that is. */
  tools: ConfinementTools | undefined;
  /** The user's folder in the project, absolute and real. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  settings: { network: boolean; write: readonly string[]; hide: readonly string[] };
  /** Whether standard input and output are a terminal: then the program gets one of its own. */
  atTerminal: boolean;
  /** What it prints goes to standard error; not at a terminal. */
  printsToError?: boolean;
  /** Set for the program alone: no secrets. */
  set?: Readonly<Record<string, string>>;
  /** Called before the program starts. */
  onStart(start: WrapStart): void;
}

export interface WrapStart {
  /** How it has the folders that the copy does not have, such as dependencies; undefined where there are none. */
  lending: 'overlay' | 'read-only' | 'linked' | undefined;
}

export interface WrapEnd {
  /** 128 and the number of a signal that ended it. */
  exitCode: number;
  changes: WrapChanges;
}

type WrapChanges =
  /** The copy is removed. `ignored`: what git ignores, and is gone with it. */
  | { status: 'none'; ignored: readonly string[] }
  | {
      status: 'some';
      files: readonly ChangedFile[];
      /** Completes the sentence "<path> …". */
      skipped: readonly { path: string; reason: string }[];
      ignored: readonly string[];
    }
  /** The copy is kept. `reason` is a whole sentence. */
  | { status: 'unreadable'; reason: string };

/**
 * Runs the program of a work. The work is still the caller's, unless nothing changed. Throws `UserError`; a new work
 * whose program could not start is dropped then.
 */
export async function runWrapped(options: WrapOptions): Promise<WrapEnd> {
  const { work } = options;
  const exitCode = await runProgram(options).catch((error) => {
    if (options.isNew && work.record.processes === undefined) dropWork(work);
    throw error;
  });
  work.update({ end: { exitCode, at: isoUtc(now()) } });
  return { exitCode, changes: await readChanges(work) };
}

async function runProgram(options: WrapOptions): Promise<number> {
  const { work, atTerminal } = options;
  let mark: ProcessMark | undefined;
  const note = (started: ProcessMark) => {
    mark = started;
    work.update({ processes: started });
  };
  try {
    const command = await prepare(options);
    const { exitCode } = atTerminal
      ? await runAtTerminal(command, { onStart: note, onEnded: (ended) => askToEnd(ended, 'SIGHUP') })
      : await runAttached(command, { onStart: note, printsToError: options.printsToError ?? false });
    return exitCode;
  } finally {
    if (mark) await endProcesses([mark], 0);
  }
}

async function prepare(options: WrapOptions) {
  const { work, tools, environment, settings, atTerminal, onStart } = options;
  const { root, copy } = work.copy;
  const { agent } = work.record;
  const [program = '', ...args] = work.record.command;
  const at = findFolder(options);
  const startedBy = atTerminal ? underJobControl : onceReady;
  unlinkFolders(work.copy);
  if (tools === undefined) {
    const isLinked = linkFolders(work.copy);
    onStart({ lending: isLinked ? 'linked' : undefined });
    const [file, ...words] = startedBy(program, args);
    return { program: file, args: words, cwd: join(copy, at), env: { ...environment, ...options.set } };
  }
  const { lent, how } = await lendFolders(work.copy, tools, environment);
  onStart({ lending: lent.some(({ path }) => !path.startsWith('.git/')) ? how : undefined });
  const env = agentEnvironment(environment, agent);
  const confined = confine(
    { program, args, start: startedBy, cwd: join(root, at), env, ...(options.set && { set: options.set }) },
    { ...settings, root, copy, lent, home: 'private', terminal: atTerminal, ...(agent && { agent }) },
    tools,
  );
  return { ...confined, cwd: '/' };
}

/** From the root: where the user is, if the copy has it. */
function findFolder({ work, cwd }: WrapOptions): string {
  const path = relative(work.copy.root, cwd);
  if (path.startsWith('..')) return '';
  return lookAtFile(join(work.copy.copy, path)) === 'folder' ? path : '';
}

/** Drops a work in which nothing changed. */
export async function readChanges(work: Work): Promise<WrapChanges> {
  const read = await readCopy(work.copy);
  if (read.status === 'failed') return { status: 'unreadable', reason: read.reason };
  const files = diffTrees(read.base, read.folder);
  const ignored = await findIgnoredWrites(work.copy);
  if (files.length > 0 || read.skipped.length > 0)
    return { status: 'some', files, skipped: read.skipped, ignored };
  dropWork(work);
  return { status: 'none', ignored };
}
