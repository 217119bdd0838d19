import { createHmac } from 'node:crypto';
import type { Plan } from '../formats/plan/index.js';
import { createRedactor, type Redactor, secretValues } from '../formats/redact/index.js';
import { userKey } from '../platform/index.js';

/** Masks what looks like a secret, and the secrets that the environment or the plan's own commands hold. */
export function redactorFor(
  plan: Plan | null,
  environment: Readonly<Record<string, string | undefined>>,
): Redactor {
  const inPlan = (plan?.actions ?? []).flatMap((action) =>
    action.type === 'EXECUTE' ? secretValues(action.env) : [],
  );
  const key = userKey();
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  return createRedactor({ hash, secrets: [...secretValues(environment), ...inPlan] });
}
