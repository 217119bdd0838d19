import type { Shown } from '../core/plan/simulate.js';
import type { Plan } from '../core/plan/types.js';
import { createRedactor, type Redactor, secretValues } from '../core/redact/redactor.js';
import { sign } from '../node/ids.js';
import { userKey } from '../node/user-folders.js';
import type { Config } from './types.js';

/**
 * Masks what looks like a secret, and the secrets that the environment or the plan's own commands hold. `keyNames` are
 * variables that hold a key, whatever their name says.
 */
export function redactorFor(
  plan: Plan | null,
  environment: Readonly<Record<string, string | undefined>>,
  keyNames: readonly string[] = [],
): Redactor {
  const inPlan = (plan?.actions ?? []).flatMap((action) =>
    action.type === 'EXECUTE' ? secretValues(action.env) : [],
  );
  // Only a secret needs the key, which is created on first use: looking at a project writes nothing.
  const hash = (text: string) => sign(text, userKey());
  return createRedactor({ hash, secrets: [...knownSecrets(environment, keyNames), ...inPlan] });
}

/** How a file's text may be shown to others: with its secrets masked. */
export function maskerFor(
  plan: Plan | null,
  environment: Readonly<Record<string, string | undefined>>,
): Shown {
  const redactor = redactorFor(plan, environment);
  return (text) => redactor.mask(text);
}

/** What masks the secrets of an environment, and the keys that a config names. */
export function redactorOf(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Redactor {
  return redactorFor(null, environment, keyNames(config));
}

/** How texts around the project's model are masked. */
export function masksFor(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): ModelMasks {
  return modelMasks(environment, keyNames(config));
}

function knownSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  keyNames: readonly string[],
): string[] {
  const keys = keyNames.flatMap((name) => secretValues({ API_KEY: environment[name] }));
  return [...secretValues(environment), ...keys];
}

/** How texts around a model are masked. */
export interface ModelMasks {
  /** For text that goes to the model: masks whatever looks like a secret, too. */
  mask(text: string): string;
  /** For what it wrote, which has to stay as it is: only what is known to be one. */
  maskKnown(text: string): string;
  /** The same for what it writes, as it comes: what may be the beginning of a secret is held back. */
  streamKnown(): { push(piece: string): string; end(): string };
}

export function modelMasks(
  environment: Readonly<Record<string, string | undefined>>,
  keyNames: readonly string[],
): ModelMasks {
  const known = knownSecrets(environment, keyNames);
  const redactor = redactorFor(null, environment, keyNames);
  const maskKnown = (text: string) =>
    known.reduce((rest, secret) => rest.replaceAll(secret, () => redactor.mask(secret)), text);
  return {
    mask: (text) => redactor.mask(text),
    maskKnown,
    streamKnown() {
      let held = '';
      return {
        push(piece) {
          const text = maskKnown(held + piece);
          const open = Math.max(0, ...known.map((secret) => lengthOfBeginning(text, secret)));
          held = text.slice(text.length - open);
          return text.slice(0, text.length - open);
        },
        // All but the end of a secret is no better than the whole.
        end: () =>
          held.length < SHORTEST_PART
            ? held
            : redactor.mask(known.find((secret) => secret.startsWith(held))!),
      };
    },
  };
}

const SHORTEST_PART = 8;

/** How much of the text's end may be the beginning of the secret. */
function lengthOfBeginning(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (secret.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/** The environment variables that hold a key, by the config's word: secret, whatever their names say. */
export function keyNames({ model, research }: Pick<Config, 'model' | 'research'>): string[] {
  const names = [model?.keyEnv, research?.provider === 'searxng' ? null : research?.keyEnv];
  return names.flatMap((name) => name ?? []);
}
