import { emptyCounters } from './counters.js';

const STATUSES = ['success', 'failure', 'blocked'];

/**
 * What stands in the lists and maps of records, by their key, as an example: a set holds the words that may stand there,
 * and a key that ends in `?` may be missing.
 */
const ITEMS: Readonly<Record<string, { list?: unknown; map?: unknown }>> = {
  tasks: {
    list: {
      task_id: '',
      task_name: '',
      status: new Set([...STATUSES, 'in_progress', 'abandoned']),
      attempts: 0,
      'started_at?': '',
      'completed_at?': '',
      'ended_at?': '',
      'duration_ms?': 0,
    },
    map: {
      name: '',
      ...emptyCounters(),
      first_attempt_success: false,
      last_status: new Set(STATUSES),
      last_at: '',
      last_attempt: null,
      'superseded?': 0,
      'behind?': [],
    },
  },
  behind: { list: '' },
  ids: { map: { log: '', text: '' } },
  started: { map: { at: '', name: '' } },
  executors: { map: { results: 0, succeeded: 0, verified: 0, false_claims: 0 } },
  by_plan: { map: { tasks: 0, succeeded: 0, failed: 0, 'blocked?': 0, duration_ms: 0 } },
};

/**
 * Whether a JSON value is what teddy writes, as far down as it is used: it has at least the keys of `like`, with values
 * of their kinds. Where `like` has null, a number may stand too.
 */
export function isLike<T extends object>(value: unknown, like: T): value is T {
  return fits(value, { ...like, ...ADDED }, '');
}

/** What records have besides, where there is something to say. */
const ADDED = { 'executors?': {} };

function fits(value: unknown, example: unknown, key: string): boolean {
  if (example === null) return value === null || Number.isFinite(value);
  if (typeof example === 'number') return Number.isFinite(value);
  if (typeof example !== 'object') return typeof value === typeof example;
  if (example instanceof Set) return example.has(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(example))
    return false;
  const item = Object.hasOwn(ITEMS, key) ? ITEMS[key]![Array.isArray(example) ? 'list' : 'map'] : undefined;
  if (item !== undefined) return Object.values(value).every((each) => fits(each, item, ''));
  return Object.entries(example).every(([name, inside]) => {
    const bare = name.replace(/\?$/, '');
    const found = Object.hasOwn(value, bare) ? (value as Record<string, unknown>)[bare] : undefined;
    return (found === undefined && bare !== name) || fits(found, inside, bare);
  });
}
