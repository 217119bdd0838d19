import { type Config, EXECUTOR_PRESETS, type ExecutorPreset, OWN_EXECUTORS } from '../../config/types.js';
import { userId } from '../../node/terminal/terminal.js';
import { UserError } from '../../node/user-error.js';
import { createCommandExecutor } from './command.js';
import { createHumanExecutor, type HumanDesk } from './human.js';
import { createPresetExecutor, findRootRefusal } from './presets.js';
import type { Executor, ExecutorIO } from './types.js';

export interface ExecutorParts {
  human: HumanDesk;
  /** Called only where `teddy` is the executor. Throws `UserError` where it cannot work, as without a model. */
  createTeddy(): Executor;
}

type Executors = Pick<Config, 'executors' | 'orchestrate'>;

/** The executor of that name: what the config calls so, else a preset, `teddy` or `human`. */
export function createExecutor(
  name: string,
  { executors }: Pick<Config, 'executors'>,
  parts: ExecutorParts,
): Executor {
  const written = Object.hasOwn(executors, name) ? executors[name] : undefined;
  if (written !== undefined) {
    return 'command' in written
      ? createCommandExecutor(name, written.command)
      : createPresetExecutor(name, written.preset);
  }
  if (isPreset(name)) return createPresetExecutor(name, name);
  if (name === 'teddy') return parts.createTeddy();
  if (name === 'human') return createHumanExecutor(parts.human);
  throw unknown(name, executors);
}

/** Throws `UserError` where it is known before the start that this executor does not work here. */
export function requireUsable(
  name: string,
  { executors }: Pick<Config, 'executors'>,
  environment: ExecutorIO['environment'],
): void {
  const written = Object.hasOwn(executors, name) ? executors[name] : undefined;
  const preset = written === undefined ? name : 'preset' in written ? written.preset : '';
  const refusal = isPreset(preset) ? findRootRefusal(preset, environment, userId()) : undefined;
  if (refusal !== undefined) throw new UserError(`Nothing was started: ${refusal}`);
}

function unknown(name: string, executors: Config['executors']): UserError {
  return new UserError(`There is no executor ${JSON.stringify(name)}. There is ${listNames(executors)}.`);
}

function isKnown(name: string, executors: Config['executors']): boolean {
  return Object.hasOwn(executors, name) || isPreset(name) || OWN_EXECUTORS.some((own) => own === name);
}

/** `--executor`, else the config's word, else the only one that the config has. */
export function chooseExecutorName(named: string | undefined, { executors, orchestrate }: Executors): string {
  const [only, ...others] = Object.keys(executors);
  const chosen = named ?? orchestrate.executor ?? (others.length === 0 ? only : undefined);
  if (chosen !== undefined && isKnown(chosen, executors)) return chosen;
  if (chosen !== undefined) throw unknown(chosen, executors);
  throw new UserError(
    `Nobody has said who is to work on the tasks. Say --executor NAME, or write "orchestrate: {executor: NAME}" in .teddy/config.yaml; there is ${listNames(executors)}.`,
  );
}

function isPreset(name: string): name is ExecutorPreset {
  return EXECUTOR_PRESETS.some((preset) => preset === name);
}

function listNames(executors: Config['executors']): string {
  const names = [...new Set([...Object.keys(executors), ...EXECUTOR_PRESETS, ...OWN_EXECUTORS])];
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
