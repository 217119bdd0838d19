import { listOf } from '../../../../config/document.js';
import { PROVIDER_NAMES, type ProviderName } from '../../../../config/providers.js';
import { UserError } from '../../../../node/errors.js';
import { environment } from '../../../../node/terminal/terminal.js';
import { type ModelChoice, tryModel } from '../../../../sessions/model/try-model.js';
import { type GlobalOptions, visible } from '../../output.js';

export interface SetupOptions extends GlobalOptions {
  provider?: string;
  model?: string;
  baseUrl?: string;
  keyEnv?: string;
  yes?: boolean;
}

/** The user's choice and the result of the trial. */
export interface SetupChoice {
  choice: ModelChoice;
  /** `reason` is a sentence. */
  trial: { status: 'worked' } | { status: 'failed'; reason: string } | { status: 'skipped' };
}

/** Two sentences: what is missing, and how to set it. */
export function describeMissingKey(keyEnv: string): string {
  return `${keyEnv} is not set. Set it in your shell: export ${keyEnv}=…`;
}

/** Sends one tiny request. */
export async function runTrial(choice: ModelChoice, signal: AbortSignal): Promise<SetupChoice['trial']> {
  const answer = await tryModel(choice, { key: keyFor(choice), signal });
  // A model that thinks first may use up the few tokens of the trial.
  if (answer.status === 'answered' || answer.status === 'cut-off') return { status: 'worked' };
  return { status: 'failed', reason: visible(answer.reason) };
}

export function keyFor({ keyEnv }: ModelChoice): string | null {
  return keyEnv === null ? null : (environment(keyEnv) ?? null);
}

export function readProvider(text: string): ProviderName {
  const name = PROVIDER_NAMES.find((each) => each === text.trim().toLowerCase());
  if (name !== undefined) return name;
  throw new UserError(`${JSON.stringify(text)} is not a provider; write ${listOf(PROVIDER_NAMES)}.`);
}

export function readAddress(text: string): string {
  const address = text.trim().replace(/\/+$/, '');
  if (/^https?:\/\/\S+$/.test(address) && URL.canParse(address)) return address;
  throw new UserError(`${JSON.stringify(text)} is not an address; it must start with http:// or https://.`);
}

export function readVariable(text: string): string {
  const name = text.trim();
  if (/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) return name;
  // It may be the key itself, which must not be shown.
  throw new UserError('That is not the name of a variable. Write a name such as MODEL_API_KEY, not the key.');
}
