import { realpathSync } from 'node:fs';
import { DEFAULTS } from '../../../src/config/config-file.js';
import type { Run } from '../../../src/core/report/record.js';
import { yesReviewer } from '../../../src/review/compose.js';
import type { Reviewer } from '../../../src/review/question.js';
import type { RunEvent } from '../../../src/runs/events.js';
import { executePlan } from '../../../src/runs/execute-plan.js';
import type { Interrupts } from '../../../src/runs/interrupts.js';
import type { RunSettings } from '../../../src/runs/run-context.js';
import { openTree } from '../../../src/workspace/tree.js';
import { Workspace } from '../../../src/workspace/workspace.js';

interface Options {
  reviewer?: Reviewer;
  keepGoing?: boolean;
  environment?: Record<string, string | undefined>;
  execute?: Partial<RunSettings['execute']>;
  interrupts?: Interrupts;
  path?: string | null;
  listen?: (event: RunEvent) => void;
  onUnsaved?: (reason: string) => void;
}

/** Carries a plan out in this process, in a real folder: as the command line does, and with every event kept. */
export async function executeHere(
  root: string,
  text: string,
  options: Options = {},
): Promise<{ run: Run; events: RunEvent[]; workspace: Workspace }> {
  const real = realpathSync(root);
  const workspace = new Workspace(real);
  const events: RunEvent[] = [];
  const run = await executePlan(text, {
    workspace,
    tree: openTree(real),
    path: options.path ?? null,
    reviewer: options.reviewer ?? yesReviewer(),
    settings: {
      execute: { ...DEFAULTS.execute, ...options.execute },
      confine: DEFAULTS.confine,
      read: DEFAULTS.read,
      undo: DEFAULTS.undo,
      research: null,
    },
    keepGoing: options.keepGoing ?? false,
    tip: DEFAULTS.report.tip,
    keep: DEFAULTS.runs.keep,
    environment: options.environment ?? { PATH: process.env.PATH },
    interrupts: options.interrupts ?? (() => () => {}),
    onUnsaved: options.onUnsaved ?? (() => {}),
    emit: (event) => {
      events.push(event);
      options.listen?.(event);
    },
  });
  return { run, events, workspace };
}
