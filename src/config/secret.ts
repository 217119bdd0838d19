import { createRedactor, type Redactor } from '../core/redact/redactor.js';

let redactor: Redactor | undefined;

/** Whether a text holds what looks like a key or a password: what a report would mask. */
export function holdsSecret(text: string): boolean {
  redactor ??= createRedactor({ hash: () => '00000000' });
  return redactor.mask(text) !== text;
}

/** Whether a key's own name says that its value would be a secret. */
export function namesSecret(key: string): boolean {
  const folded = key.toLowerCase().replace(/[-_ ]/g, '');
  return (
    /apikey|secret|password|passwd|passphrase|credential|bearer|privatekey|accesskey/.test(folded) ||
    /^(?:key|token|auth|authorization|pass|pwd)$|token$/.test(folded)
  );
}

export const FROM_ENVIRONMENT =
  'keys come from the environment, never from this file: put the key in a variable, and write keyEnv with its name';
