import { join } from 'node:path';
import { Option } from 'commander';
import { BUILT_IN_EXECUTORS } from '../../../../config/types.js';
import { timeAfter } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, exit, onSignals } from '../../../../node/terminal/terminal.js';
import type { OrchestrationOverview } from '../../../../orchestrate/events.js';
import { chooseExecutorName } from '../../../../orchestrate/executors/create-executor.js';
import { previewOrchestration, runOrchestration } from '../../../../orchestrate/orchestrate.js';
import type { AttemptViews, OrchestrateOptions } from '../../../../orchestrate/orchestration.js';
import { STATE_FOLDER } from '../../../../orchestrate/state-files.js';
import { askInInbox } from '../../ask-in-inbox.js';
import { createOrchestrateFace, type StartAnswer } from '../../board/face.js';
import { printOverview } from '../../board/overview-lines.js';
import { exitCodeOf } from '../../board/summary-lines.js';
import { TeddyCommand } from '../../command.js';
import { confirmUnconfined } from '../../confirm-unconfined.js';
import { planFromRoot } from '../../input.js';
import type { GlobalOptions } from '../../output.js';
import { findProject, openTasks, openToPreview, requireTrust, trustAgents } from '../../project.js';

interface OrchestrateWords extends GlobalOptions {
  executor?: string;
  jobs?: string;
  isolation?: 'worktree' | 'none';
  yes?: boolean;
  dryRun?: boolean;
  maxAttempts?: string;
  budget?: string;
  unconfined?: boolean;
  landing?: 'auto' | 'review';
}

const MOST_JOBS = 64;
const MOST_ATTEMPTS = 20;

/** npx and the like pass Ctrl-C on to a program that already got it from the terminal. */
const ONE_REQUEST_MS = 50;

export const orchestrateCommand = new TeddyCommand('orchestrate')
  .description('run tasks with coding agents; verify and retry each one')
  .argument('[plan...]', 'task files, by path or id: 03-01 (default: all)')
  .option('--executor <name>', `who does the work: ${BUILT_IN_EXECUTORS.join(', ')}`)
  .option('--jobs <n>', `run up to this many tasks at once, 1 to ${MOST_JOBS}`)
  .addOption(
    new Option('--isolation <how>', 'where executors work (default: worktree with --jobs > 1)').choices([
      'worktree',
      'none',
    ]),
  )
  .addOption(
    new Option('--landing <how>', 'ask before the changes of a verified task land').choices([
      'auto',
      'review',
    ]),
  )
  .option('--unconfined', 'do not confine executors: they can read and change all that you can')
  .option('-y, --yes', 'start without asking; needed without a terminal')
  .option('--dry-run', 'show what would run, and start nothing')
  .option('--max-attempts <n>', `attempts per task before you are asked, 1 to ${MOST_ATTEMPTS}`)
  .option('--budget <usd>', 'start nothing more once this much is spent')
  .run(orchestrate)
  .helpText(`Examples:
  teddy orchestrate --dry-run       preview: tasks, order, verify commands
  teddy orchestrate 03-01           one task file
  teddy orchestrate --executor claude --jobs 4
  teddy orchestrate --executor codex --max-attempts 2 --budget 5 --yes
  teddy orchestrate --json --yes    each event as one line of JSON

It shows the executor and the verify commands, and asks before it starts. A
task counts as done only if its <verify> command succeeds. Executors are the
ones above, and any command that the config lists under executors. They and the
verify commands are confined: they write in their worktree, or in the project,
and nowhere else, and cannot read your keys (confine in your config).

With --landing review, a verified task waits until you have seen its changes.

If a task fails too often, is blocked or is a checkpoint, you are asked here,
or you answer later: teddy task resolve 03-01:2 retry.

The first Ctrl-C starts nothing new and lets running tasks finish; the second
ends them. Neither counts as a failure: the next start continues.

Exit codes: 0 all done, 1 something failed or needs your answer, 2 could not
start (usage, a dependency cycle, no terminal, already running),
130 interrupted.`);

async function orchestrate(plans: readonly string[], words: OrchestrateWords): Promise<number> {
  const amounts = readAmounts(words);
  const { executor, isolation, landing } = words;
  refuseEmpty(executor, plans);
  const choices = (root: string) => ({
    plans: plans.map((plan) => planFromRoot(root, plan)),
    ...(executor === undefined ? {} : { executor }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(landing === undefined ? {} : { landing }),
    ...amounts,
  });
  if (words.dryRun) {
    const { root, ...project } = await openToPreview(words);
    printOverview(await previewOrchestration({ ...project, ...choices(root) }), { ...words, root });
    return 0;
  }
  const project = await openTasks(findProject(words), words);
  const stopping = new Stopping();
  const { workspace, config, policy, root, files } = project;
  const options: OrchestrateOptions = {
    workspace,
    config,
    policy,
    ...choices(root),
    environment: environmentVariables(),
    signal: stopping.end.signal,
    drain: stopping.drain.signal,
    emit: () => {},
    unconfined: words.unconfined === true,
    acceptUnconfined: (why) => confirmUnconfined({ root, why, risk: UNCONFINED, what: 'them' }, words),
    async approvePrograms(programs) {
      if (!words.trust) await requireTrust({ root, files: [...files, programs] }, words);
    },
  };
  if (chooseExecutorName(executor, config) === 'teddy') await trustAgents(project, words);
  let views: AttemptViews | undefined;
  const onOpen = (opened: AttemptViews) => {
    views = opened;
  };
  const face = createOrchestrateFace({
    root,
    json: words.json === true,
    color: words.color,
    interrupt: () => stopping.request(),
    views: () => views,
    draftFolder: () => join(root, STATE_FOLDER),
  });
  let forget = () => {};
  const approve = async (overview: OrchestrationOverview) => {
    if (!words.yes) requireApproval(await face.approve(overview));
    forget = onSignals((signal) => (signal === 'SIGINT' ? stopping.request() : stopping.end.abort()));
  };
  try {
    const summary = await runOrchestration({
      ...options,
      onOpen,
      approve,
      emit: face.listen,
      person: face.person,
      askForAgent: (asked, until) => askInInbox(workspace, asked, until),
    });
    return exitCodeOf(summary);
  } finally {
    face.close();
    forget();
  }
}

const UNCONFINED = 'Without confinement they can read and change all that you can.';

/** The first request stops gently; the second ends what is running. */
class Stopping {
  readonly drain = new AbortController();
  readonly end = new AbortController();
  private isNew = () => true;

  request(): void {
    if (!this.isNew()) return;
    if (this.drain.signal.aborted) this.end.abort();
    else this.drain.abort();
    this.isNew = timeAfter(ONE_REQUEST_MS);
  }
}

function requireApproval(answer: StartAnswer): void {
  if (answer === 'yes') return;
  if (answer === 'interrupted') exit(130);
  throw new UserError(
    answer === 'no'
      ? 'Nothing was started.'
      : 'Approval needed to start, but there is no terminal. Check what would run with --dry-run, then use --yes.',
  );
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
  throw new UserError(`${option} ${JSON.stringify(text)} is not a whole number from 1 to ${most}.`);
}

function readBudget(text: string): number {
  const amount = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw new UserError(
    `--budget ${JSON.stringify(text)} is not an amount in US dollars above 0, such as 0.50.`,
  );
}

/** An unset variable in a script arrives as an empty word. */
function refuseEmpty(executor: string | undefined, plans: readonly string[]): void {
  if (executor !== undefined && !/\S/.test(executor))
    throw new UserError('--executor is empty. Name one, such as claude.');
  if (plans.some((plan) => !/\S/.test(plan)))
    throw new UserError('The name of a task file is empty. Give its path or its id, such as 03-01.');
}
