import { join } from 'node:path';
import { Option } from 'commander';
import { EXECUTOR_PRESETS } from '../../../../config/types.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, onSignals } from '../../../../node/terminal/terminal.js';
import { chooseExecutorName } from '../../../../orchestrate/executors/create-executor.js';
import { previewOrchestration, runOrchestration } from '../../../../orchestrate/orchestrate.js';
import type { OrchestrateOptions } from '../../../../orchestrate/orchestration.js';
import { STATE_FOLDER } from '../../../../orchestrate/state-files.js';
import { createOrchestrateFace } from '../../board/face.js';
import { printOverview } from '../../board/overview-lines.js';
import { exitCodeOf } from '../../board/summary-lines.js';
import { TeddyCommand } from '../../command.js';
import type { GlobalOptions } from '../../output.js';
import { findProject, requireTrust, trustAgents } from '../../project.js';
import { openTasks, planFromRoot } from './open.js';

interface OrchestrateWords extends GlobalOptions {
  executor?: string;
  jobs?: string;
  isolation?: 'worktree' | 'none';
  dryRun?: boolean;
  maxAttempts?: string;
  budget?: string;
}

const MOST_JOBS = 64;
const MOST_ATTEMPTS = 20;

export const orchestrateCommand = new TeddyCommand('orchestrate')
  .description('hand tasks to executors, verify every claim, try again, ask, capture')
  .argument('[plan...]', 'paths of PLAN.md files, or ids: 03-01 (default: every plan)')
  .option('--executor <name>', `who works on tasks: ${EXECUTOR_PRESETS.join(', ')}, teddy, human`)
  .option('--jobs <n>', `how many tasks at once, 1 to ${MOST_JOBS}`)
  .addOption(
    new Option('--isolation <how>', 'where attempts work (default: worktree with --jobs > 1)').choices([
      'worktree',
      'none',
    ]),
  )
  .option('--dry-run', 'say what would be done, and do none of it')
  .option('--max-attempts <n>', `how often a task is tried before you are asked, 1 to ${MOST_ATTEMPTS}`)
  .option('--budget <usd>', 'begin nothing more once this much is spent')
  .run(orchestrate)
  .helpText(`Examples:
  teddy orchestrate --dry-run       what would be done, in which order
  teddy orchestrate 03-01           one plan
  teddy orchestrate --executor claude --jobs 4
  teddy orchestrate --executor codex --max-attempts 2 --budget 5
  teddy orchestrate --json          each event as one line of JSON

Another executor is any command that the config names under executors.
No claim counts that its task's <verify> does not bear out. To start is to
approve those commands: they are shown first, and --dry-run shows them all.

Where a task fails too often, is blocked or is for a person, you are asked here,
or answer later: teddy task resolve 03-01:2 retry. Interrupted or killed, it
goes on where it was when it is started again.

Exit codes: 0 everything is done, 1 something failed or waits for a person,
2 misuse (a dependency cycle, an unknown id) or another one works here,
130 interrupted.`);

async function orchestrate(plans: readonly string[], words: OrchestrateWords): Promise<number> {
  const amounts = readAmounts(words);
  refuseEmpty(words.executor, plans);
  const project = await openTasks(findProject(words), words);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const { workspace, config, policy, root, files } = project;
  const { executor, isolation } = words;
  const options: OrchestrateOptions = {
    workspace,
    config,
    policy,
    plans: plans.map((plan) => planFromRoot(root, plan)),
    ...(executor === undefined ? {} : { executor }),
    ...(isolation === undefined ? {} : { isolation }),
    ...amounts,
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
  if (chooseExecutorName(executor, config) === 'teddy') await trustAgents(project, words);
  const forget = onSignals(interrupt);
  const face = createOrchestrateFace({
    root,
    json: words.json === true,
    color: words.color,
    interrupt,
    draftFolder: () => join(root, STATE_FOLDER),
  });
  try {
    return exitCodeOf(await runOrchestration({ ...options, emit: face.listen, person: face.person }));
  } finally {
    face.close();
    forget();
  }
}

function readAmounts({
  jobs,
  maxAttempts,
  budget,
}: OrchestrateWords): Pick<OrchestrateOptions, 'jobs' | 'maxAttempts' | 'budgetUsd'> {
  return {
    ...(jobs === undefined ? {} : { jobs: readCount('--jobs', jobs, MOST_JOBS) }),
    ...(maxAttempts === undefined
      ? {}
      : { maxAttempts: readCount('--max-attempts', maxAttempts, MOST_ATTEMPTS) }),
    ...(budget === undefined ? {} : { budgetUsd: readBudget(budget) }),
  };
}

function readCount(option: string, text: string, most: number): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UserError(
    `${option} ${JSON.stringify(text)} is no such count; write a whole number from 1 to ${most}.`,
  );
}

function readBudget(text: string): number {
  const amount = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw new UserError(
    `--budget ${JSON.stringify(text)} is no amount; write US dollars above 0, such as 0.50.`,
  );
}

/** A variable of a script that is not set comes as an empty word. */
function refuseEmpty(executor: string | undefined, plans: readonly string[]): void {
  if (executor !== undefined && !/\S/.test(executor))
    throw new UserError('--executor is empty; write the name of one, such as claude.');
  if (plans.some((plan) => !/\S/.test(plan)))
    throw new UserError('The name of a plan is empty; write its path or its id, such as 03-01.');
}
