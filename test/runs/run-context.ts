import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor, type Redactor } from '../../src/core/redact/redactor.js';
import { sha256 } from '../../src/node/ids.js';
import type { RunContext, RunSettings } from '../../src/runs/run-context.js';
import { makeFolder } from '../folder.js';

interface Options {
  files?: Record<string, string | Uint8Array>;
  root?: string;
  execute?: Partial<RunSettings['execute']>;
  confine?: Partial<RunSettings['confine']>;
  read?: Partial<RunSettings['read']>;
  research?: RunSettings['research'];
  environment?: RunContext['environment'];
  signal?: AbortSignal;
  redactor?: Redactor;
  onOutput?: RunContext['onOutput'];
}

const NO_CHANGES = { status: 'compared' as const, changes: { changed: [] } };

/** Hands for a new root of its own, as a run would have them. */
export function makeRunContext(options: Options = {}): RunContext {
  const root = realpathSync(options.root ?? makeFolder(options.files));
  const shown = '.teddy/runs/20260126-103045-abcd/output';
  mkdirSync(join(root, shown), { recursive: true });
  return {
    root,
    outputs: { path: join(root, shown), shown },
    listFiles: async () => ({ files: [], note: null }),
    recordState: async () => ({ status: 'recorded', unrestorable: [], compare: async () => NO_CHANGES }),
    settings: {
      execute: { timeoutMs: 60_000, sandbox: false, network: true, outputLines: 400, ...options.execute },
      confine: { write: [], hide: [], ...options.confine },
      undo: { maxFile: 50 * 1024 * 1024, maxTotal: 1024 ** 3 },
      read: { allowPrivate: true, maxBytes: 10 * 1024 * 1024, ...options.read },
      research: options.research ?? null,
    },
    environment: options.environment ?? { PATH: process.env.PATH, HOME: process.env.HOME },
    redactor: options.redactor ?? createRedactor({ hash: sha256 }),
    signal: options.signal ?? new AbortController().signal,
    onOutput: options.onOutput ?? (() => {}),
  };
}
