import { ACP_PRESETS, EXECUTOR_PRESETS } from '../../../../config/types.js';
import type { CheckedReport, Measured } from '../../../../core/agent-report/types.js';
import { now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { newRunId } from '../../../../node/ids.js';
import { onSignals, writeError } from '../../../../node/terminal/terminal.js';
import { hasTerminal } from '../../../../node/terminal/tty.js';
import {
  type AgentAttempt,
  type AgentRun,
  type AgentRunEvent,
  runAgent,
} from '../../../../orchestrate/run-agent.js';
import { askInInbox } from '../../ask-in-inbox.js';
import { TeddyCommand } from '../../command.js';
import { confirmUnconfined } from '../../confirm-unconfined.js';
import { printResult, visible, visibleLine } from '../../output.js';
import { openTrusted, trustAgents } from '../../project.js';
import { type ProgressLine, startProgress } from '../../terminal/progress-line.js';
import { plural } from '../../words.js';
import { addBriefOptions, type BriefWords, readBriefOptions, requireOption } from './brief-options.js';
import { LENIENT } from './read-report.js';
import { checkJson, checkLines, measuredWords } from './report-lines.js';

interface RunWords extends BriefWords {
  with?: string;
  retries: string;
  lenient?: boolean;
  unconfined?: boolean;
}

const MOST_RETRIES = 10;

export const runAgentCommand = addBriefOptions(
  new TeddyCommand('run')
    .description('start an agent with its briefing, check its report, and ask again if it is refused')
    .argument('<name>', 'the agent; teddy agent list shows them')
    .option(
      '--with <executor>',
      `required: ${[...EXECUTOR_PRESETS, ...Object.keys(ACP_PRESETS)].join(', ')}, or one of your config`,
    )
    .option('--task-id <id>', 'an id that the report repeats (default: a new one)'),
)
  .option('--retries <n>', `brief it again at most this often, 0 to ${MOST_RETRIES}`, '2')
  .option('--lenient', LENIENT)
  .option('--unconfined', 'do not confine it: it can read and change all that you can')
  .run(run)
  .helpText(`Examples:
  teddy agent run investigator --with claude --goal "Where is login done?"
  teddy agent run implementer --with codex --task-id auth-2 \\
    --goal "Add rate limits" --scope 'src/auth/**'
  teddy agent run reviewer --with gemini --goal "Review the change" --json

The agent works in the project itself, confined: it can change the project, but
not git's data, and cannot read your keys (confine in your config). A report that
breaks the contract goes back with its issues. Briefing, answers, tokens and cost
are saved in .teddy/reports.

Exit codes: 0 compliant and not failed, 1 not compliant or failed, 2 could not
start, 130 interrupted.`);

async function run(agent: string, words: RunWords): Promise<number> {
  const retries = readRetries(words.retries);
  const executor = requireOption(words.with, '--with', 'the agent program that does it', 'run');
  const project = await openTrusted(words);
  const { root, config, policy, workspace } = project;
  const taskId = words.taskId ?? `${agent.toLowerCase()}-${newRunId(now())}`;
  const request = await readBriefOptions(agent, taskId, words, 'run', project);
  await trustAgents(project, words);
  const stopping = new AbortController();
  const forget = onSignals(() => stopping.abort());
  const progress = startProgress(`Starting ${executor}`, words);
  try {
    const done = await runAgent({
      ...request,
      config,
      policy,
      executor,
      retries,
      lenient: words.lenient === true,
      hasUser: hasTerminal(),
      signal: stopping.signal,
      unconfined: words.unconfined === true,
      acceptUnconfined: (why) => confirmUnconfined({ root, why, risk: UNCONFINED, what: 'it' }, words),
      emit: (event) => showEvent(event, taskId, executor, progress),
      askForAgent(asked, until) {
        const title = visibleLine(asked.question.trim().split('\n', 1)[0]!);
        progress.print(`${visibleLine(taskId)} waits for you (teddy inbox): ${title}\n`);
        return askInInbox(workspace, asked, until);
      },
    });
    progress.end();
    printRun(done, taskId, root, config.review.confidence, words);
    if (stopping.signal.aborted) return 130;
    const checked = checkedOf(done.attempts.at(-1));
    return checked?.compliant && checked.route !== 'failed' ? 0 : 1;
  } finally {
    progress.end();
    forget();
  }
}

const UNCONFINED = 'Without confinement it can read and change all that you can.';

function readRetries(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  if (count >= 0 && count <= MOST_RETRIES) return count;
  throw new UserError(`--retries ${JSON.stringify(text)} is not a whole number from 0 to ${MOST_RETRIES}.`);
}

function showEvent(event: AgentRunEvent, taskId: string, executor: string, line: ProgressLine): void {
  if (event.type === 'started') {
    const { attempt, of, confined } = event;
    line.update(`${visibleLine(executor)} is working`);
    if (attempt === 1)
      line.print(
        `${visibleLine(taskId)}: started ${visibleLine(executor)}${confined ? ', confined' : ''}.\n`,
      );
    else line.print(`Asking again (attempt ${attempt} of ${of}).\n`);
  }
  if (event.type === 'ended') line.print(`${describeAttempt(event.attempt)}\n`);
}

function describeAttempt(attempt: AgentAttempt): string {
  if (attempt.status === 'unanswered') return `No report. ${visible(attempt.reason)}`;
  const { checked } = attempt;
  const errors = checked.issues.filter(({ severity }) => severity === 'error').length;
  const verdict = checked.compliant
    ? `Report received, route ${checked.route}`
    : `The report breaks the contract (${plural(errors, 'error')})`;
  const measured = measuredWords(checked.measured);
  return `${verdict}${measured === '' ? '' : `; ${measured}`}.`;
}

/** The last report as `teddy agent check` shows it. */
function printRun(
  { briefing, notes, attempts }: AgentRun,
  taskId: string,
  root: string,
  threshold: number,
  words: RunWords,
): void {
  for (const note of notes) writeError(`${visible(note)}\n`);
  const checked = attempts.findLast(({ status }) => status === 'answered');
  const shown = checkedOf(checked);
  const json = {
    task_id: taskId,
    briefing,
    attempts: attempts.map(attemptJson),
    ...(shown === undefined ? { compliant: false, route: 'failed' } : checkJson(shown)),
  };
  printResult(root, words, json, (paint) => (shown === undefined ? [] : checkLines(shown, threshold, paint)));
  for (const note of shown?.notes ?? []) writeError(`${visible(note)}\n`);
  if (words.json) return;
  writeError(`Saved in ${shown?.kept ?? briefing}.\n`);
}

function attemptJson(attempt: AgentAttempt) {
  if (attempt.status === 'unanswered') {
    const { usage, durationMs } = attempt.end;
    return {
      status: attempt.status,
      reason: attempt.reason,
      measured: { ...usage, durationMs } satisfies Measured,
    };
  }
  const { compliant, route, measured, kept } = attempt.checked;
  return { status: attempt.status, compliant, route, measured, kept };
}

function checkedOf(
  attempt: AgentAttempt | undefined,
): (CheckedReport & { kept: string | null; notes: string[] }) | undefined {
  return attempt?.status === 'answered' ? attempt.checked : undefined;
}
