import type { FoundPlan } from '../types.js';

/** What names a plan, whether or not it can be read. */
type NamedPlan = Pick<FoundPlan, 'path' | 'id' | 'phase'>;

/**
 * The plans that `plan` may mean by what it has written: an id, the name of a file or the end of its path, with or
 * without `-PLAN` and `.md`, a number of its own phase, or anything that begins with an id, such as `03-01-database`.
 * More than one may be meant. Case and leading zeros do not matter.
 */
export function fitPlans<Plan extends NamedPlan>(
  written: string,
  plan: NamedPlan,
  all: readonly Plan[],
): Plan[] {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const name = plainName(parts.pop() ?? '');
  const known = indexOf(all).byName;
  const isNumber = /^\d+$/.test(name) && plan.phase !== null;
  const sibling = isNumber ? known.get(plainName(`${plan.phase}-${name}`)) : undefined;
  const found = sibling ?? known.get(name) ?? known.get(ID_FIRST.exec(name)?.[1] ?? '') ?? [];
  const folders = `/${parts.join('/')}`;
  return found.filter(({ path }) => parts.length === 0 || folderOf(path).endsWith(folders));
}

/** No blank may follow: `03-01 and 03-02` is more than `03-01`. */
const ID_FIRST = /^(\d{1,9}(?:\.\d{1,9})*-\d{1,9})[-_:]\S*$/;

/** `3-1-database` of `03-01-Database-PLAN.md`. */
function plainName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\.md$/, '')
    .replace(/-plan$/, '')
    .replace(/(?<!\d)0+(?=\d)/g, '');
}

function folderOf(path: string): string {
  return `/${path.slice(0, Math.max(0, path.lastIndexOf('/')))}`;
}

/** Every plan that has this id. */
export function plansOf<Plan extends NamedPlan>(id: string, all: readonly Plan[]): readonly Plan[] {
  return indexOf(all).byId.get(id) ?? [];
}

/** Every plan of this phase. */
export function plansOfPhase<Plan extends NamedPlan>(
  phase: string | null,
  all: readonly Plan[],
): readonly Plan[] {
  return indexOf(all).byPhase.get(phase) ?? [];
}

type Plans<Key, Plan> = Map<Key, Plan[]>;

/** Of each list of plans: whoever asks once asks for every plan in it. */
const indexes = new WeakMap<readonly NamedPlan[], Index<NamedPlan>>();

interface Index<Plan> {
  byId: Plans<string, Plan>;
  byName: Plans<string, Plan>;
  byPhase: Plans<string | null, Plan>;
}

function indexOf<Plan extends NamedPlan>(all: readonly Plan[]): Index<Plan> {
  const before = indexes.get(all) as Index<Plan> | undefined;
  if (before) return before;
  const index: Index<Plan> = { byId: new Map(), byName: new Map(), byPhase: new Map() };
  for (const plan of all) {
    const file = plan.path.slice(plan.path.lastIndexOf('/') + 1);
    add(index.byId, plan.id, plan);
    add(index.byPhase, plan.phase, plan);
    for (const name of new Set([plainName(plan.id), plainName(file)])) add(index.byName, name, plan);
  }
  indexes.set(all, index);
  return index;
}

function add<Key, Plan>(plans: Plans<Key, Plan>, key: Key, plan: Plan): void {
  const same = plans.get(key);
  if (same) same.push(plan);
  else plans.set(key, [plan]);
}
