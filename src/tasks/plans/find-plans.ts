import { type Components, matchComponents, type PathGlob } from '../../core/glob.js';
import { readRootPath } from '../../core/path.js';
import { phaseOf, planIdOf } from '../../core/task-plan/frontmatter.js';
import { parseTaskPlan } from '../../core/task-plan/parse.js';
import type { TaskPlan } from '../../core/task-plan/types.js';
import { compareText } from '../../core/text.js';
import { UserError } from '../../node/errors.js';
import { decodeText, MB } from '../../node/files.js';
import type { View } from '../../workspace/view.js';
import { type CaptureProject, readTextAt } from '../project.js';
import type { FoundPlan, UnreadablePlan } from '../types.js';

const PLAN_LIMIT = 10 * MB;

/** Folders that contain no plans of this project, whatever a glob says. */
const PASSED_OVER = new Set(['.git', 'node_modules']);

export interface FoundPlans {
  /** In the order of their ids. */
  plans: FoundPlan[];
  /** In the order of their paths. */
  unreadable: UnreadablePlan[];
}

/** Every PLAN.md that the globs name. */
export function findPlans(view: View, project: CaptureProject): FoundPlans {
  const found = planPaths(view, project).map((path) => readFound(view, path));
  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
  return {
    plans: found
      .filter((each) => 'plan' in each)
      .sort((one, other) => compareIds(one.id, other.id) || byPath(one, other)),
    unreadable: found.filter((each) => 'reason' in each).sort(byPath),
  };
}

function readFound(view: View, path: string): FoundPlan | UnreadablePlan {
  const text = readPlanText(view, path);
  if (text.status === 'text') return asPlan(path, text.text);
  const id = planIdOf(path);
  return { path, reason: text.reason, id, phase: phaseOf(id) };
}

/** One unreadable plan does not stop the others from being read. */
function readPlanText(
  view: View,
  path: string,
): { status: 'text'; text: string } | { status: 'refused'; reason: string } {
  try {
    const read = view.read(path, PLAN_LIMIT);
    if (read.status === 'missing')
      return { status: 'refused', reason: 'does not lead to a file in this project' };
    return read.status === 'bytes' ? decodeText(read.bytes) : read;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { status: 'refused', reason: error.message.replace(`${path} `, '').replace(/\.$/, '') };
  }
}

/** Undefined if there is none. Throws `UserError` if it cannot be read. */
export function readPlanAt(view: View, path: string): FoundPlan | undefined {
  const text = readTextAt(view, path, PLAN_LIMIT);
  return text === undefined ? undefined : asPlan(path, text);
}

/** Every snapshot reads all plans, and most of them have not changed. */
const known = new Map<string, FoundPlan>();
const MOST_KNOWN = 2000;

export function asPlan(path: string, text: string): FoundPlan {
  const before = known.get(path);
  if (before?.plan.text === text) return before;
  const plan = parseTaskPlan(text);
  const id = planIdOf(path, plan);
  return keepKnown({ path, id, phase: phaseOf(id, plan), plan });
}

/** The same plan after an edit of its tasks. */
export function withPlan(found: FoundPlan, plan: TaskPlan): FoundPlan {
  return plan === found.plan ? found : keepKnown({ ...found, plan });
}

function keepKnown(found: FoundPlan): FoundPlan {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(found.path, found);
  return found;
}

/**
 * Finds the plan to work on, by its path from the root or its id. Throws `UserError` with the available plans; also if two
 * plans have this id, because all records of a plan are stored by id.
 */
export function findPlanToChange(view: View, project: CaptureProject, named: string): FoundPlan {
  const found = candidates(view, project, named);
  const plan = found[0]!;
  if (found.some(({ id }) => id !== plan.id)) throw ambiguous(named, found);
  const paths = new Set([...found.map(({ path }) => path), ...pathsOfId(view, project, plan.id)]);
  if (paths.size === 1) return plan;
  const which = [...paths].sort().join(' and ');
  throw new UserError(
    `${which} ${paths.size === 2 ? 'both' : 'all'} have the id ${plan.id}, so their results could be mixed up. Give one of them another id (by its file name or frontmatter), or exclude it with plans.glob in .teddy/config.yaml.`,
  );
}

/** The same for reading only: another plan may have the same id if this one is named by its path. */
export function findPlanToRead(view: View, project: CaptureProject, named: string): FoundPlan {
  const found = candidates(view, project, named);
  if (found.length > 1) throw ambiguous(named, found);
  return found[0]!;
}

function ambiguous(named: string, found: readonly FoundPlan[]): UserError {
  return new UserError(`${named} could be ${found.map(({ path }) => path).join(' and ')}. Use the path.`);
}

/** At least one. */
function candidates(view: View, project: CaptureProject, named: string): FoundPlan[] {
  if (named.startsWith('/')) throw new UserError(`${named} is outside this project.`);
  const read = readRootPath(named);
  const path = read.status === 'ok' ? read.path : named;
  const byPath = view.look(path) === 'file' ? readPlanAt(view, path) : undefined;
  if (byPath) return [byPath];
  const { plans, unreadable } = findPlans(view, project);
  const bare = named.replace(/(?:-PLAN)?(?:\.md)?$/i, '');
  const isNamed = (plan: FoundPlan | UnreadablePlan) =>
    plan.path === named ||
    plan.path.endsWith(`/${named}`) ||
    // A missing path never matches another file of the same name.
    (!named.includes('/') && (plan.id === named || plan.id === bare));
  const found = plans.filter(isNamed);
  if (found.length > 0) return found;
  const unread = unreadable.find(isNamed);
  if (unread) throw new UserError(`${unread.path} ${unread.reason}.`);
  throw new UserError(
    `No task file ${JSON.stringify(named)} in this project. ${describeIds(plans, project)}`,
  );
}

/** Most file names contain the id; then only matching files are read. */
function pathsOfId(view: View, project: CaptureProject, id: string): string[] {
  return planPaths(view, project).filter((path) => {
    const inName = planIdOf(path);
    if (inName !== id && isNumbered(inName)) return false;
    const found = readFound(view, path);
    return 'plan' in found && found.id === id;
  });
}

/** An id in the file's name has priority. */
function isNumbered(id: string): boolean {
  return /^\d[\d.]*-\d+$/.test(id);
}

function describeIds(plans: readonly FoundPlan[], project: CaptureProject): string {
  if (plans.length === 0) {
    return `No task file found at ${project.plans.map(({ text }) => text).join(', ')}. Use the path of one.`;
  }
  const ids = plans.map(({ id }) => id);
  const shown = ids.slice(0, 8).join(', ');
  return `Available: ${shown}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}.`;
}

/** Compares numbers by value and the rest as text: `9-1` before `10-1`. */
export function compareIds(one: string, other: string): number {
  const ones = one.split(/(\d{1,15})/);
  const others = other.split(/(\d{1,15})/);
  for (let i = 0; i < Math.min(ones.length, others.length); i++) {
    const [a, b] = [ones[i]!, others[i]!];
    const difference = i % 2 === 1 ? Number(a) - Number(b) : compareText(a, b);
    if (difference !== 0) return difference;
  }
  return ones.length - others.length || compareText(one, other);
}

/** A view belongs to one project, and its folders do not change while it is open. */
const listed = new WeakMap<View, readonly string[]>();

function planPaths(view: View, { plans }: CaptureProject): readonly string[] {
  const before = listed.get(view);
  if (before) return before;
  const found = new Set<string>();
  for (const glob of plans) for (const path of walk(view, glob)) found.add(path);
  listed.set(view, [...found]);
  return [...found];
}

/** Descends only where the glob leads. */
function walk(view: View, { components }: PathGlob): string[] {
  const found: string[] = [];
  const visit = (folder: string, names: readonly string[]) => {
    for (const name of view.list(folder)) {
      const here = [...names, name];
      if (matchComponents(components, here)) found.push(here.join('/'));
      else if (leadsOn(components, here) && !PASSED_OVER.has(name) && view.isFolder(folder, name)) {
        visit(here.join('/'), here);
      }
    }
  };
  const literal = literalStart(components);
  visit(literal.join('/'), literal);
  return found;
}

/** The literal folders of a glob, before the first one with a star. */
function literalStart(components: Components): string[] {
  const names: string[] = [];
  for (const component of components.slice(0, -1)) {
    if (component === '**' || component.length > 1) break;
    names.push(component[0]!);
  }
  return names;
}

/** Whether something in this folder can match: up to a `**`, component by component. */
function leadsOn(components: Components, names: readonly string[]): boolean {
  const star = components.indexOf('**');
  if (star !== -1 && names.length > star) return matchComponents(components.slice(0, star + 1), names);
  return names.length < components.length && matchComponents(components.slice(0, names.length), names);
}
