import { readSimpleCommand } from '../../config/command.js';
import {
  ACP_PRESETS,
  BUILT_IN_EXECUTORS,
  type Config,
  EXECUTOR_PRESETS,
  type ExecutorConfig,
  OWN_EXECUTORS,
} from '../../config/types.js';
import { agentEnvironment, agentOf } from '../../confine/agents.js';
import { CLIENT_DEFINITIONS } from '../../core/agent-report/clients/clients.js';
import { JSON_CLIENTS } from '../../core/agent-report/types.js';
import { monotonicMs } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { userId } from '../../node/terminal/terminal.js';
import { createCommandExecutor, createPresetExecutor } from './command.js';
import {
  type Executor,
  type ExecutorIO,
  type ExecutorOutcome,
  NOTHING_USED,
  type TaskAssignment,
} from './types.js';

export interface OwnExecutors {
  human: PersonChannel;
  /** Called only if `teddy` is the executor. Throws `UserError` if it cannot work, such as without a model. */
  createTeddy(): Promise<Executor>;
}

type Executors = Pick<Config, 'executors' | 'orchestrate'>;

/** The executor of that name: from the config, otherwise a preset, `teddy` or `human`. */
export async function createExecutor(
  name: string,
  { executors }: Pick<Config, 'executors'>,
  own: OwnExecutors,
): Promise<Executor> {
  const program = createClientExecutor(name, { executors });
  if (program !== undefined) return program;
  if (name === 'teddy') return own.createTeddy();
  return createHumanExecutor(own.human);
}

/** An executor that is a program, and answers any prompt; undefined for teddy itself and for people. */
export function createClientExecutor(
  name: string,
  { executors }: Pick<Config, 'executors'>,
): Executor | undefined {
  const written = findWritten(name, executors);
  if (written && 'command' in written) return createCommandExecutor(name, written.command);
  if (written && 'acp' in written) return createAcpExecutor(name, written.acp);
  if (written) return createPresetExecutor(name, written.preset, written.args);
  if (OWN_EXECUTORS.some((own) => own === name)) return undefined;
  throw unknown(name, executors);
}

/** Throws `UserError` if this executor is known not to work here. */
export function requireUsable(
  name: string,
  { executors }: Pick<Config, 'executors'>,
  environment: ExecutorIO['environment'],
  confined: boolean,
): void {
  const written = findWritten(name, executors);
  if (written === undefined || !('preset' in written)) return;
  const { preset } = written;
  const variables = confined ? agentEnvironment(environment, preset) : environment;
  const refusal = CLIENT_DEFINITIONS[preset].executor.findUserRefusal?.(variables, userId());
  if (refusal !== undefined) throw new UserError(`Nothing was started: ${refusal}`);
}

/** The config's executor of that name, otherwise the preset. */
function findWritten(name: string, executors: Config['executors']): ExecutorConfig | undefined {
  if (Object.hasOwn(executors, name)) return executors[name];
  if (Object.hasOwn(ACP_PRESETS, name)) return { acp: ACP_PRESETS[name as keyof typeof ACP_PRESETS] };
  const preset = EXECUTOR_PRESETS.find((each) => each === name);
  return preset && { preset };
}

/** Its own sandbox cannot work inside another. */
const CODEX_CONFINED = { INITIAL_AGENT_MODE: 'agent-full-access' };

/** An agent that speaks the Agent Client Protocol. The protocol is loaded with its first attempt. */
function createAcpExecutor(name: string, command: string): Executor {
  const [file, ...args] = readSimpleCommand(command) ?? [];
  const agent = agentOf([file ?? '']);
  const known = JSON_CLIENTS.find((client) => client === agent);
  const own = known && CLIENT_DEFINITIONS[known].executor.environment;
  const describe = (confined: boolean) => ({
    // A program that is started directly is found by the confinement, wherever it is installed.
    command: () => (file === undefined ? { shell: command } : { file, args }),
    agent,
    environment: { ...own, ...(confined && agent === 'codex' && CODEX_CONFINED) },
  });
  return {
    name,
    kind: 'machine',
    async run(assignment, io) {
      const { runAcp } = await import('./acp/run-acp.js');
      return runAcp(name, describe(io.confinement !== null), assignment, io);
    },
  };
}

function unknown(name: string, executors: Config['executors']): UserError {
  return new UserError(`Unknown executor ${JSON.stringify(name)}. Available: ${listNames(executors)}.`);
}

function isKnown(name: string, executors: Config['executors']): boolean {
  return findWritten(name, executors) !== undefined || OWN_EXECUTORS.some((own) => own === name);
}

/** `--executor`, otherwise the config's choice, otherwise the only one in the config. */
export function chooseExecutorName(named: string | undefined, { executors, orchestrate }: Executors): string {
  const [only, ...others] = Object.keys(executors);
  const chosen = named ?? orchestrate.executor ?? (others.length === 0 ? only : undefined);
  if (chosen !== undefined && isKnown(chosen, executors)) return chosen;
  if (chosen !== undefined) throw unknown(chosen, executors);
  throw new UserError(
    `No executor is chosen. Use --executor NAME, or set orchestrate: {executor: NAME} in .teddy/config.yaml. Available: ${listNames(executors)}.`,
  );
}

function listNames(executors: Config['executors']): string {
  const names = [...new Set([...Object.keys(executors), ...BUILT_IN_EXECUTORS])];
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** How a person gets a task, and how we learn that it is done. */
interface PersonChannel {
  /** Shows the task. */
  onAssigned(assignment: TaskAssignment): void;
  /** Waits until a result of this task is recorded, or `signal` aborts. */
  submitted(taskId: string, signal: AbortSignal): Promise<void>;
}

/** A person, who submits the result with `teddy result submit`. */
export function createHumanExecutor(channel: PersonChannel): Executor {
  return {
    name: 'human',
    kind: 'person',
    async run(assignment, { signal }) {
      const started = monotonicMs();
      const outcome = await waitFor(channel, assignment, signal);
      return { ...outcome, durationMs: Math.round(monotonicMs() - started), usage: NOTHING_USED };
    },
  };
}

async function waitFor(
  channel: PersonChannel,
  assignment: TaskAssignment,
  signal: AbortSignal,
): Promise<ExecutorOutcome> {
  try {
    if (signal.aborted) return { status: 'cancelled' };
    channel.onAssigned(assignment);
    await channel.submitted(assignment.taskId, signal);
    return { status: signal.aborted ? 'cancelled' : 'submitted' };
  } catch (error) {
    if (signal.aborted) return { status: 'cancelled' };
    return { status: 'crashed', reason: `Waiting for the result failed (${error}).`, limited: false };
  }
}
