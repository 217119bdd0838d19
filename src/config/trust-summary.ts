import { isJsonObject } from '../core/json/values.js';
import { openDocument } from './document.js';
import { CONFIG_FILE, POLICY_FILE, type ProjectFile } from './types.js';

/** What matters in a file before the user trusts it. */
export interface TrustSummary {
  /** The settings that can make teddy act, a line each: `executors.mine.command: npm run agent`. */
  acts: string[];
  /** How many other settings there are. */
  plain: number;
}

/** Settings that only limit, place or show things. All others count as acting, whatever is added later. */
const PLAIN = new Set([
  ...[
    'execute.timeout',
    'execute.outputLines',
    'read.maxBytes',
    'runs.keep',
    'undo.maxFile',
    'undo.maxTotal',
    'web.port',
    'replan.limit',
  ],
  ...['report.format', 'report.tip.lines', 'report.tip.characters', 'review.confidence', 'review.reads'],
  ...['model.maxOutputTokens', 'model.timeout', 'model.idle', 'model.inputPrice', 'model.outputPrice'],
  ...['model.budget', 'context.budget', 'plans.glob', 'capture.dir', 'capture.state'],
  ...['orchestrate.jobs', 'orchestrate.maxAttempts', 'orchestrate.taskTime', 'orchestrate.time'],
  ...['orchestrate.taskBudget', 'orchestrate.budget'],
  // A project can only make these stricter.
  ...['confine.on', 'confine.network', 'confine.write', 'confine.hide', 'confine.bring', 'landing'],
]);

/** Undefined for a file that has to be seen whole. */
export async function summarizeForTrust({ path, text }: ProjectFile): Promise<TrustSummary | undefined> {
  if (path !== CONFIG_FILE && path !== POLICY_FILE) return undefined;
  const opened = await openDocument(path, text);
  if (opened.status === 'refused') return undefined;
  const settings = path === CONFIG_FILE ? listSettings(opened.value) : listRules(opened.value);
  if (settings === undefined) return undefined;
  const acts = settings.filter(({ isPlain }) => !isPlain).map(({ line }) => line);
  return { acts, plain: settings.length - acts.length };
}

interface ShownSetting {
  line: string;
  isPlain: boolean;
}

function listSettings(value: unknown, path: readonly string[] = []): ShownSetting[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, item]) => listSettings(item, [...path, key]));
  }
  const key = path.join('.');
  return [{ line: `${key}: ${showValue(value)}`, isPlain: PLAIN.has(key) }];
}

/** Of a policy, what it allows without asking. Undefined where it is not a list of rules. */
function listRules(value: unknown): ShownSetting[] | undefined {
  const rules = isJsonObject(value) ? (value.rules ?? []) : [];
  if (!Array.isArray(rules) || !rules.every(isJsonObject)) return undefined;
  return rules.map((rule) => ({
    line: Object.entries(rule)
      .map(([key, item]) => `${key}: ${showValue(item)}`)
      .join(', '),
    isPlain: !('allow' in rule),
  }));
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
