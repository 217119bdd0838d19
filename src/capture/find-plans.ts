import { type Components, matchComponents, type PathGlob } from '../config/index.js';
import { parseTaskPlan, phaseOf, planIdOf } from '../formats/task-plan/index.js';
import { decodeText, MB, Unusable } from '../platform/index.js';
import type { View } from '../workspace/index.js';
import { type CaptureProject, readTextAt } from './project.js';
import type { FoundPlan } from './types.js';

const PLAN_LIMIT = 10 * MB;

/** No plan of this project lies there, whatever a glob says. */
const PASSED_OVER = new Set(['.git', 'node_modules']);

/** Every PLAN.md that the globs name, in the order of their ids. One that is no text, or leads out, is left out. */
export function findPlans(view: View, project: CaptureProject): FoundPlan[] {
  return planPaths(view, project)
    .flatMap((path) => {
      const read = view.read(path, PLAN_LIMIT);
      const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
      return text.status === 'text' ? asPlan(path, text.text) : [];
    })
    .sort((one, other) => compareIds(one.id, other.id) || (one.path < other.path ? -1 : 1));
}

/** Undefined where there is none. Throws `Unusable` where it cannot be read. */
export function readPlanAt(view: View, path: string): FoundPlan | undefined {
  const text = readTextAt(view, path, PLAN_LIMIT);
  return text === undefined ? undefined : asPlan(path, text);
}

/** Every look reads all plans, and mostly they are as they were. */
const known = new Map<string, FoundPlan>();
const MOST_KNOWN = 2000;

export function asPlan(path: string, text: string): FoundPlan {
  const before = known.get(path);
  if (before?.plan.text === text) return before;
  const plan = parseTaskPlan(text);
  const id = planIdOf(path, plan);
  const found = { path, id, phase: phaseOf(id, plan), plan };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, found);
  return found;
}

/** The plan that a person names, by its path from the root or by its id. Throws `Unusable` with what there is instead. */
export function findPlan(view: View, project: CaptureProject, named: string): FoundPlan {
  const byPath = view.look(named) === 'file' ? readPlanAt(view, named) : undefined;
  if (byPath) return byPath;
  const plans = findPlans(view, project);
  const wanted = named.replace(/^.*\//, '').replace(/(?:-PLAN)?(?:\.md)?$/i, '');
  const found = plans.filter(({ id, path }) => id === named || id === wanted || path.endsWith(`/${named}`));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const which = found.map(({ path }) => path).join(' and ');
    throw new Unusable(`${named} could be ${which}; name the path.`);
  }
  throw new Unusable(`There is no plan ${JSON.stringify(named)} here. ${describeIds(plans, project)}`);
}

function describeIds(plans: readonly FoundPlan[], project: CaptureProject): string {
  if (plans.length === 0) {
    return `No plan was found at ${project.plans.map(({ text }) => text).join(', ')}; name the path of a PLAN.md.`;
  }
  const ids = plans.map(({ id }) => id);
  const shown = ids.slice(0, 8).join(', ');
  return `There ${ids.length === 1 ? 'is' : 'are'} ${shown}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}.`;
}

/** Numbers by their value, and all else by its characters: `9-1` before `10-1`. */
export function compareIds(one: string, other: string): number {
  const ones = one.split(/(\d{1,15})/);
  const others = other.split(/(\d{1,15})/);
  for (let i = 0; i < Math.min(ones.length, others.length); i++) {
    const [a, b] = [ones[i]!, others[i]!];
    const difference = i % 2 === 1 ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
    if (difference !== 0) return difference;
  }
  return ones.length - others.length || (one < other ? -1 : one > other ? 1 : 0);
}

function planPaths(view: View, { plans }: CaptureProject): string[] {
  const found = new Set<string>();
  for (const glob of plans) for (const path of walk(view, glob)) found.add(path);
  return [...found];
}

/** Goes only where the glob leads. */
function walk(view: View, { components }: PathGlob): string[] {
  const found: string[] = [];
  const visit = (folder: string, depth: number, names: readonly string[]) => {
    for (const name of view.list(folder)) {
      const here = [...names, name];
      if (matchComponents(components, here) && !view.isFolder(folder, name)) found.push(here.join('/'));
      else if (leadsOn(components, here) && !PASSED_OVER.has(name) && view.isFolder(folder, name)) {
        visit(here.join('/'), depth + 1, here);
      }
    }
  };
  const literal = literalStart(components);
  visit(literal.join('/'), 0, literal);
  return found;
}

/** The folders that a glob names outright, before the first that holds a star. */
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
