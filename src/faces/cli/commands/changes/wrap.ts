import type { Config } from '../../../../config/types.js';
import { AGENTS, agentOf } from '../../../../confine/agents.js';
import { checkConfinement } from '../../../../confine/check.js';
import type { ConfinementTools } from '../../../../confine/types.js';
import { takeWork } from '../../../../inbox/changes-questions.js';
import { UserError } from '../../../../node/errors.js';
import { realPath } from '../../../../node/files.js';
import { findProgram } from '../../../../node/find-program.js';
import {
  currentFolder,
  environment,
  environmentVariables,
  isTerminal,
  writeError,
  writeOutput,
} from '../../../../node/terminal/terminal.js';
import { type AgentStart, commandOfAgent } from '../../../../runs/agent-commands.js';
import { taskIn } from '../../../../runs/execute-plan.js';
import { runWrapped } from '../../../../runs/wrap.js';
import { startWork, type Work } from '../../../../workspace/copy/work.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { confirmUnconfined } from '../../confirm-unconfined.js';
import { copyText } from '../../deliver.js';
import { paintFor, resultJson, visibleLine } from '../../output.js';
import { openTrusted } from '../../project.js';
import { findWork } from './find-work.js';
import { endReview, landingOption, type ReviewChoices, requireVerify, reviewWork } from './review-work.js';
import { describeWrapEnd, describeWrapStart, wrapJson } from './wrap-lines.js';

interface Options extends ReviewChoices {
  agent?: string;
  again?: string | true;
  copy: boolean;
}

export const wrapCommand = new TeddyCommand('wrap')
  .description('run any agent in a copy of this project, confined; you decide on its changes')
  .usage('[options] [-- command...]')
  .argument('[command...]', 'the agent, as you would start it')
  .option('--agent <name>', `start this agent: ${Object.keys(AGENTS).slice(0, 5).join(', ')} …`)
  .option('--again [id]', 'continue in the copy of earlier work (default: the newest)')
  .option('--verify <command>', 'the command that must succeed before anything lands')
  .addOption(landingOption())
  .option(
    '-y, --yes',
    'land everything without asking, unless the agent fails; conflicts and denied files are left out',
  )
  .option('--unconfined', 'do not confine it: it can read and change all that you can')
  .option('--no-copy', 'do not copy the feedback for the agent to the clipboard')
  .run(wrap)
  .helpText(`Examples:
  teddy wrap -- claude              work with claude as usual, in the copy
  teddy wrap --agent codex          the same, without questions: it is confined
  teddy wrap --landing auto --verify "npm test" -- claude -p "fix #12"
  teddy wrap --again                continue where the last one ended

The agent sees the project at its usual path and can use git, tests and tools,
but its changes stay in the copy until you keep them. Ignored folders such as
node_modules are lent; what it writes there is not kept. It cannot read your keys
or ignored files with secrets (.env); confine in your config changes that.

When the agent has ended, you review its changes, file by file. Without a
terminal, they wait: teddy changes review. With --again, what you dropped and
why is the agent's next prompt, or in $TEDDY_FEEDBACK if you name a command.

The exit code is the agent's. If that is 0, but the changes failed to land, it
is 1; if the agent could not start, 2.`);

async function wrap(words: readonly string[], options: Options): Promise<number> {
  if (options.agent !== undefined && !Object.hasOwn(AGENTS, options.agent))
    throw new UserError(
      `Unknown agent ${visibleLine(options.agent)}. Known are ${Object.keys(AGENTS).join(', ')}; start any other with: teddy wrap -- COMMAND`,
    );
  const project = await openTrusted(options);
  const { root, workspace, config } = project;
  const earlier =
    options.again === undefined
      ? undefined
      : findWork(workspace, options.again === true ? undefined : options.again);
  const requested = requestCommand(words, options, earlier?.record);
  const verify = options.verify ?? earlier?.record.verify;
  requireVerify(options, verify);
  requireProgram(requested.program);
  const tools = await requireConfinement(root, config.confine, options);
  const isConfined = tools !== undefined;
  const start = requested.make(isConfined);
  const { feedback } = requested;
  const facts = {
    command: start.command,
    ...requested.facts,
    ...(verify !== undefined && { verify }),
    ...taskIn(environmentVariables()),
  };
  const work =
    earlier === undefined
      ? await begin(workspace, { ...facts, bring: config.confine.bring })
      : await takeWork(workspace, earlier.record.id);
  const paint = paintFor('stderr', options);
  const say = (lines: readonly string[]) => writeError(lines.map((line) => `${line}\n`).join(''));
  const atTerminal = !options.json && isTerminal('stdin') && isTerminal('stdout');
  const { network } = config.confine;
  try {
    if (earlier !== undefined) work.restart(facts);
    if (feedback !== undefined) say([await passFeedback(feedback, start, options)]);
    const end = await runWrapped({
      work,
      isNew: earlier === undefined,
      tools,
      atTerminal,
      settings: config.confine,
      environment: environmentVariables(),
      cwd: realPath(currentFolder()) ?? root,
      printsToError: options.json === true,
      ...(feedback !== undefined && { set: { TEDDY_FEEDBACK: feedback } }),
      onStart: (started) => say(describeWrapStart(work, started, { confined: isConfined, network }, paint)),
    });
    // What an agent left that failed is not landed unseen.
    const choices: Landing =
      end.exitCode === 0
        ? chooseLanding(options, verify, config.landing)
        : { landing: 'review', yes: false, isAutomatic: false };
    const isReviewed = end.changes.status === 'some' && (choices.isAutomatic || atTerminal);
    if (!options.json) say(describeWrapEnd(work, end, isReviewed, paint));
    const review = isReviewed
      ? await reviewWork(work, project, { ...options, ...choices, unconfined: !isConfined })
      : undefined;
    const code =
      review && (await endReview(work.id, review, config.report, { ...options, json: false, print: false }));
    if (options.json) writeOutput(resultJson(root, wrapJson(work, end, review?.reviewed)));
    return end.exitCode || (code ?? 0);
  } finally {
    work.close();
  }
}

interface Landing {
  landing: 'review' | 'auto';
  yes: boolean;
  /** Nobody is asked. */
  isAutomatic: boolean;
}

/** The config never makes a landing without a verification automatic. */
function chooseLanding(
  { yes = false, landing }: Options,
  verify: string | undefined,
  usual: Config['landing'],
): Landing {
  const chosen = landing ?? (verify === undefined ? 'review' : (usual ?? 'review'));
  return { landing: chosen, yes, isAutomatic: yes || chosen === 'auto' };
}

interface Requested {
  program: string;
  make(confined: boolean): AgentStart;
  facts: { agent?: string };
  /** What the last review says to the agent. */
  feedback?: string | undefined;
}

/** The command line says it, else the agent's name, else what was started before. */
function requestCommand(
  words: readonly string[],
  options: Options,
  earlier: { command: readonly string[]; agent?: string; feedback?: string } | undefined,
): Requested {
  const feedback = earlier?.feedback;
  const asTyped = (command: readonly string[]) => ({
    program: command[0]!,
    make: () => ({ command, hasMessage: false }),
    feedback,
  });
  if (words[0]) {
    const agent = options.agent ?? agentOf(words);
    return { ...asTyped(words), facts: agent === undefined ? {} : { agent } };
  }
  const agent = options.agent ?? earlier?.agent;
  if (agent !== undefined && (options.agent !== undefined || feedback !== undefined))
    return {
      program: agent,
      make: (confined) => commandOfAgent(agent, { confined, message: feedback }),
      facts: { agent },
      feedback,
    };
  if (earlier !== undefined) return { ...asTyped(earlier.command), facts: {} };
  throw new UserError('Name the agent to start: teddy wrap -- claude, or teddy wrap --agent claude.');
}

/** How the agent gets the feedback. */
async function passFeedback(feedback: string, { hasMessage }: AgentStart, options: Options): Promise<string> {
  if (hasMessage) return 'It starts with the feedback of your review.';
  const place = 'The feedback of your review is in $TEDDY_FEEDBACK.';
  const isAsked = options.copy && !options.json && isTerminal('stdout');
  const copied = isAsked ? await copyText(feedback, 'it') : undefined;
  return copied?.words === undefined ? place : `${place} ${copied.words}`;
}

/** A path means a file of the copy, which may come from a build: whether it is there, its start shows. */
function requireProgram(program: string): void {
  if (program.includes('/')) return;
  const found = findProgram(program, environment('PATH') ?? '', []);
  if (found.status === 'missing') throw new UserError(`${visibleLine(program)} was not found on PATH.`);
}

async function requireConfinement(
  root: string,
  { on }: Config['confine'],
  options: Options,
): Promise<ConfinementTools | undefined> {
  if (options.unconfined || !on) return undefined;
  const checked = await checkConfinement({ root, environment: environmentVariables() });
  if (checked.available) return checked.tools;
  const why = `The agent cannot be confined: ${checked.cause}. ${checked.remedy}.`;
  const risk = 'Without confinement it works in a copy, but can read and change all that you can.';
  await confirmUnconfined({ root, why, risk, what: 'it' }, options);
  return undefined;
}

async function begin(workspace: Workspace, start: Parameters<typeof startWork>[1]): Promise<Work> {
  const started = await startWork(workspace, start);
  if (started.status === 'failed') throw new UserError(started.reason);
  return started.work;
}
