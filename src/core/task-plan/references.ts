import { IssueCollector } from '../issue.js';
import { DEPENDS_ON, DependencyReader, type NamedDependency } from './dependencies.js';
import type { TaskPlace } from './parse.js';
import { replaceAttribute, type Splice } from './splices.js';
import { type Attribute, attributeValue } from './tags.js';
import { type Task, type TaskPlan, taskPlanIssue } from './types.js';

/** The tasks of a file after an edit: which of the old ones each is, and its name. */
export interface Arrangement {
  /** By new position from 0: the old position from 1, or undefined for a new task. */
  order: readonly (number | undefined)[];
  /** By new position from 0. */
  names: readonly Pick<Task, 'name' | 'named'>[];
}

/** The new position of each old task; a removed one has none. */
export function newPositions({ order }: Arrangement): Map<number, number> {
  return new Map(order.flatMap((old, i): [number, number][] => (old === undefined ? [] : [[old, i + 1]])));
}

/**
 * What each task depends on afterwards, by its old position. What depended on a removed task depends on what that one did.
 */
export function wantedDependencies(plan: TaskPlan, positions: ReadonlyMap<number, number>) {
  const inherit = (index: number, seen: Set<number>): number[] => {
    const now = positions.get(index);
    if (now !== undefined) return [now];
    if (seen.has(index)) return [];
    seen.add(index);
    return (plan.tasks[index - 1]!.dependsOn ?? []).flatMap((other) => inherit(other, seen));
  };
  return new Map(
    plan.tasks.flatMap(({ index, dependsOn }): [number, number[]][] => {
      const own = positions.get(index);
      if (dependsOn === null || own === undefined) return [];
      const wanted = new Set(dependsOn.flatMap((other) => inherit(other, new Set())));
      wanted.delete(own);
      return [[index, [...wanted].sort((a, b) => a - b)]];
    }),
  );
}

/** Rewrites each `depends_on` that would mean other tasks than before; undefined if one cannot be written. */
export function referenceSplices(
  plan: TaskPlan,
  places: readonly TaskPlace[],
  arrangement: Arrangement,
): Splice[] | undefined {
  const positions = newPositions(arrangement);
  const wanted = wantedDependencies(plan, positions);
  if (wanted.size === 0) return [];
  const ids = arrangement.order.map((old) => {
    const element = old === undefined ? undefined : places[old - 1]!.element;
    return element ? attributeValue(element.attributes, 'id') : null;
  });
  const known: NamedDependency[] = arrangement.names.map((each, i) => ({ ...each, id: ids[i]! }));
  const reader = new DependencyReader(known, silentLog());
  const splices: Splice[] = [];
  for (const [index, wantedOnes] of wanted) {
    const { attributes } = places[index - 1]!.element!;
    const { dependsOnUnknown } = plan.tasks[index - 1]!;
    const means = (candidate: readonly Attribute[]) => {
      const read = reader.read(candidate, positions.get(index)!, 0);
      return sameList(read.dependsOn ?? [], wantedOnes) && sameList(read.dependsOnUnknown, dependsOnUnknown);
    };
    if (means(attributes)) continue;
    const written = attributes.find(({ name }) => DEPENDS_ON.has(name))!;
    const candidates = [
      mapNumbers(written.value ?? '', positions),
      [...wantedOnes, ...dependsOnUnknown].join(','),
    ];
    const value = candidates.find((each) =>
      means(attributes.map((other) => (other === written ? { ...other, value: each } : other))),
    );
    if (value === undefined) return undefined;
    splices.push(replaceAttribute(plan.text, written, value));
  }
  return splices;
}

/** Positions that stand alone: `1, 2`, not those in ranges, ids and names. */
const LONE_NUMBER = /(?<=^|[\s,;[(#'"])0*([1-9]\d{0,8})(?=$|[\s,;\])'"])/g;

function mapNumbers(value: string, positions: ReadonlyMap<number, number>): string {
  return value.replace(LONE_NUMBER, (whole, digits: string) =>
    String(positions.get(Number(digits)) ?? whole),
  );
}

function sameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((each, i) => each === other[i]);
}

function silentLog(): ConstructorParameters<typeof DependencyReader>[1] {
  return new IssueCollector((code, _, message) => taskPlanIssue(code, message, {}), 0);
}
