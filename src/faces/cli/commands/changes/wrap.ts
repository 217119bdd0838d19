import type { Config } from '../../../../config/types.js';
import { AGENTS, agentOf } from '../../../../confine/agents.js';
import { checkConfinement } from '../../../../confine/check.js';
import type { ConfinementTools } from '../../../../confine/types.js';
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
import { commandOfAgent } from '../../../../runs/agent-commands.js';
import { runWrapped, type WrapStart } from '../../../../runs/wrap.js';
import { listWork, openWork, startWork, type Work } from '../../../../workspace/copy/work.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { confirmUnconfined } from '../../confirm-unconfined.js';
import { type GlobalOptions, paintFor, resultJson, visibleLine } from '../../output.js';
import { openTrusted } from '../../project.js';
import { describeWrapEnd, describeWrapStart, wrapJson } from './wrap-lines.js';

interface Options extends GlobalOptions {
  agent?: string;
  verify?: string;
  unconfined?: boolean;
  again?: string | true;
}

export const wrapCommand = new TeddyCommand('wrap')
  .description('run any agent in a copy of this project, confined; you decide on its changes')
  .usage('[options] [-- command...]')
  .argument('[command...]', 'the agent, as you would start it')
  .option('--agent <name>', `start this agent: ${Object.keys(AGENTS).slice(0, 5).join(', ')} …`)
  .option('--verify <command>', 'the command that must succeed before its changes are kept')
  .option('--unconfined', 'do not confine it: it can read and change all that you can')
  .option('--again [id]', 'continue in the copy of earlier work (default: the newest)')
  .run(wrap)
  .helpText(`Examples:
  teddy wrap -- claude              work with claude as usual, in the copy
  teddy wrap --agent codex          the same, without questions: it is confined
  teddy wrap -- claude -p "fix #12" one task, also in a script or a pipe
  teddy wrap --again                continue where the last one ended

The agent sees the project at its usual path and can use git, tests and tools,
but its changes stay in the copy until you keep them. Ignored folders such as
node_modules are lent; what it writes there is not kept. It cannot read your keys
or ignored files with secrets (.env); confine in your config changes that.

The exit code is the agent's; 2 if it could not start.`);

async function wrap(words: readonly string[], options: Options): Promise<number> {
  if (options.agent !== undefined && !Object.hasOwn(AGENTS, options.agent))
    throw new UserError(
      `Unknown agent ${visibleLine(options.agent)}. Known are ${Object.keys(AGENTS).join(', ')}; start any other with: teddy wrap -- COMMAND`,
    );
  const { root, workspace, config } = await openTrusted(options);
  const earlier = options.again === undefined ? undefined : findEarlier(workspace, options.again);
  const requested = requestCommand(words, options, earlier?.record);
  requireProgram(requested.program);
  const tools = await requireConfinement(root, config.confine, options);
  const command = requested.make(tools !== undefined);
  const facts = {
    command,
    ...requested.facts,
    ...(options.verify !== undefined && { verify: options.verify }),
  };
  const work =
    earlier === undefined
      ? await begin(workspace, { ...facts, bring: config.confine.bring })
      : await reopen(workspace, earlier.record.id, facts);
  const paint = paintFor('stderr', options);
  const say = (lines: readonly string[]) => writeError(lines.map((line) => `${line}\n`).join(''));
  const start = (started: WrapStart) =>
    say(
      describeWrapStart(
        work,
        started,
        { confined: tools !== undefined, network: config.confine.network },
        paint,
      ),
    );
  try {
    const end = await runWrapped({
      ...{
        work,
        isNew: earlier === undefined,
        tools,
        environment: environmentVariables(),
        settings: config.confine,
      },
      cwd: realPath(currentFolder()) ?? root,
      atTerminal: !options.json && isTerminal('stdin') && isTerminal('stdout'),
      printsToError: options.json === true,
      ...(requested.feedback !== undefined && { set: { TEDDY_FEEDBACK: requested.feedback } }),
      onStart: start,
    });
    if (options.json) writeOutput(resultJson(root, wrapJson(work, end)));
    else say(describeWrapEnd(work, end, paint));
    return end.exitCode;
  } finally {
    work.close();
  }
}

interface Requested {
  program: string;
  make(confined: boolean): readonly string[];
  facts: { agent?: string };
  /** For a program that cannot be told on its command line. */
  feedback?: string;
}

/** The command line says it, else the agent's name, else what was started before. */
function requestCommand(
  words: readonly string[],
  options: Options,
  earlier: { command: readonly string[]; agent?: string; feedback?: string } | undefined,
): Requested {
  const message = earlier?.feedback;
  const told = message === undefined ? {} : { feedback: message };
  if (words.length > 0) {
    const agent = options.agent ?? agentOf(words);
    return { program: words[0]!, make: () => words, facts: agent === undefined ? {} : { agent }, ...told };
  }
  const agent = options.agent ?? earlier?.agent;
  if (agent !== undefined)
    return {
      program: agent,
      make: (confined) => commandOfAgent(agent, { confined, message }).command,
      facts: { agent },
      ...told,
    };
  if (earlier !== undefined)
    return { program: earlier.command[0]!, make: () => earlier.command, facts: {}, ...told };
  throw new UserError('Name the agent to start: teddy wrap -- claude, or teddy wrap --agent claude.');
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

function findEarlier(workspace: Workspace, id: string | true) {
  const works = listWork(workspace);
  const found = id === true ? works.at(-1) : works.find(({ record }) => record.id === id);
  if (found !== undefined) return found;
  throw new UserError(
    id === true
      ? 'There is no earlier work to continue in.'
      : `There is no work ${visibleLine(id)}. teddy changes lists what is there.`,
  );
}

async function reopen(
  workspace: Workspace,
  id: string,
  facts: { command: readonly string[]; agent?: string; verify?: string },
): Promise<Work> {
  const opened = await openWork(workspace, id);
  if (opened.status === 'busy')
    throw new UserError(`${id} is in use: its agent is running, or it is reviewed.`);
  if (opened.status === 'unknown') throw new UserError(`There is no work ${id} any more.`);
  if (opened.status === 'failed') throw new UserError(opened.reason);
  opened.work.restart(facts);
  return opened.work;
}
