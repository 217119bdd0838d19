import { join } from 'node:path';
import type { OrchestrateOptions } from '../../orchestrate/intent.js';
import { previewOrchestration, orchestrate as runOrchestration } from '../../orchestrate/orchestrate.js';
import { environmentVariables, onSignals } from '../../platform/terminal.js';
import type { GlobalOptions } from '../options.js';
import { findPlace } from '../place.js';
import { requireTrust } from '../project.js';
import { openTasks, planFromRoot } from '../tasks/open.js';
import { createOrchestrateFace } from './face.js';
import { printOverview } from './print-overview.js';
import { exitCodeOf } from './words.js';

export interface OrchestrateWords extends GlobalOptions {
  executor?: string;
  jobs?: number;
  isolation?: 'worktree' | 'none';
  dryRun?: boolean;
  maxAttempts?: number;
  budgetUsd?: number;
}

/** Is there once a run has begun, and is nobody's but this program's. */
const DRAFTS = '.ultraplan/state';

export async function orchestrate(plans: readonly string[], words: OrchestrateWords): Promise<number> {
  const project = await openTasks(findPlace(words), words);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const { workspace, config, policy, root, files } = project;
  const { executor, jobs, isolation, maxAttempts, budgetUsd } = words;
  const options: OrchestrateOptions = {
    workspace,
    config,
    policy,
    plans: plans.map((plan) => planFromRoot(root, plan)),
    ...(executor === undefined ? {} : { executor }),
    ...(jobs === undefined ? {} : { jobs }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    environment: environmentVariables(),
    signal: interruption.signal,
    emit: () => {},
    async approvePrograms(programs) {
      if (!words.trust) await requireTrust({ root, files: [...files, programs] }, words);
    },
  };
  if (words.dryRun) {
    printOverview(await previewOrchestration(options), { ...words, root });
    return 0;
  }
  const forget = onSignals(interrupt);
  const face = createOrchestrateFace({
    root,
    json: words.json === true,
    color: words.color,
    interrupt,
    draftFolder: () => join(root, DRAFTS),
  });
  try {
    return exitCodeOf(await runOrchestration({ ...options, emit: face.listen, person: face.person }));
  } finally {
    face.close();
    forget();
  }
}
