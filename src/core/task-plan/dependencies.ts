import { foldText, shorten } from '../text.js';
import { foldsEqual, readPlanNumber } from './checkboxes.js';
import { type Attribute, resolveEntities } from './tags.js';
import type { Task, TaskPlanIssueLog } from './types.js';

/** Limits the positions that ranges in one plan expand to; hostile text could ask for a square of its length. */
const MOST_FROM_RANGES = 100_000;

/** How many commas a task's name may contain. */
const MOST_PARTS_OF_NAME = 8;

/** The attribute, as people write it. */
export const DEPENDS_ON: ReadonlySet<string> = new Set(['depends_on', 'depends-on', 'dependson']);
const NOTHING = new Set(['', 'none', 'null', '-', 'n/a']);
const RANGE = /^(?:tasks? ?)?([1-9]\d{0,8}) ?(?:-|\u2013|\u2014|\.\.|to|through) ?([1-9]\d{0,8})$/i;
const NUMBER = /^(?:tasks?[ #_-]*|#)?0*(\d{1,9})$/i;

type Dependencies = Pick<Task, 'dependsOn' | 'dependsOnUnknown' | 'dependsOnItself'>;

/** For a task without the attribute. */
export const NO_DEPENDENCIES: Dependencies = { dependsOn: null, dependsOnUnknown: [], dependsOnItself: [] };

/** A task that others may depend on. */
export interface NamedDependency {
  name: string;
  named: boolean;
  id: string | null;
}

/**
 * Reads `depends_on` of the tasks of one plan: positions, ranges, ids and whole names, however they are strung together.
 * An id goes before a position, and in `Task 2` the number of a name does.
 */
export class DependencyReader {
  private readonly ids = new Map<string, number>();
  private readonly names = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private longestName = 0;
  private left = MOST_FROM_RANGES;

  constructor(
    private readonly tasks: readonly NamedDependency[],
    private readonly log: TaskPlanIssueLog,
  ) {
    tasks.forEach(({ name, named, id }, i) => {
      if (id) addOnce(this.ids, foldText(id), i + 1);
      if (!named) return;
      addOnce(this.names, name.toLowerCase(), i + 1);
      this.longestName = Math.max(this.longestName, name.length);
      const number = readPlanNumber(name)?.number;
      if (number !== undefined) addOnce(this.numbers, number, i + 1);
    });
  }

  read(attributes: readonly Attribute[], index: number, at: number): Dependencies {
    const written = writtenIn(attributes);
    if (written === undefined) return NO_DEPENDENCIES;
    const found = new Set<number>();
    const unknown = new Set<string>();
    const itself = new Set<string>();
    for (const piece of written.flatMap((value) => this.pieces(value))) {
      const positions = this.resolve(piece) ?? this.resolveAll(piece);
      if (positions?.includes(index)) itself.add(piece);
      if (!positions || itself.has(piece)) unknown.add(piece);
      for (const position of positions ?? []) if (position !== index) found.add(position);
    }
    for (const piece of unknown) this.report(piece, at);
    return {
      dependsOn: [...found].sort((a, b) => a - b),
      dependsOnUnknown: [...unknown],
      dependsOnItself: [...itself],
    };
  }

  private report(piece: string, at: number): void {
    const isOfPlan = /^[\w.-]+:\d+$/.test(piece);
    this.log.add(
      'dependency-unknown',
      at,
      isOfPlan
        ? `depends_on names "${shorten(piece, 40)}" in another task file; here only tasks of the same file count.`
        : `depends_on names "${shorten(piece, 40)}", which is not another task of this file; the task waits for it.`,
      `Write positions of tasks, from 1 to ${this.tasks.length}, separated by commas.`,
    );
  }

  /** The parts between commas; a name may contain commas too. */
  private pieces(value: string): string[] {
    const whole = unwrap(foldText(resolveEntities(value)));
    const parts = whole.split(/[,;]/);
    const pieces: string[] = [];
    let at = 0;
    for (let i = 0; i < parts.length; ) {
      const count = this.nameLength(whole, at, parts, i);
      const length = lengthOf(parts, i, count);
      const piece = unwrap(whole.slice(at, at + length).replace(/^ ?and /i, ''));
      if (!NOTHING.has(piece.toLowerCase())) pieces.push(piece);
      at += length + 1;
      i += count;
    }
    return pieces;
  }

  /** How many parts from one on are the name of a task together; 1 where they are none. */
  private nameLength(whole: string, at: number, parts: readonly string[], from: number): number {
    for (let count = Math.min(MOST_PARTS_OF_NAME, parts.length - from); count > 1; count--) {
      const length = lengthOf(parts, from, count);
      if (length > this.longestName + 2) continue;
      const piece = whole.slice(at, at + length).trim();
      if (this.names.get(piece.toLowerCase())) return count;
    }
    return 1;
  }

  private resolve(piece: string): number[] | undefined {
    const known = this.ids.get(piece) ?? this.names.get(piece.toLowerCase());
    if (known !== undefined) return known > 0 ? [known] : undefined;
    const range = RANGE.exec(piece);
    if (range) return this.range(Number(range[1]), Number(range[2]));
    const found = /^task/i.test(piece) ? this.byWord(piece) : this.byPosition(piece);
    return found ? [found] : undefined;
  }

  /** `2` */
  private byPosition(piece: string): number | undefined {
    const position = Number(NUMBER.exec(piece)?.[1] ?? 0);
    return position <= this.tasks.length ? position : this.numbers.get(String(position));
  }

  /** `Task 2`, or the whole name in other spacing. A number is a position only if no name contradicts that. */
  private byWord(piece: string): number | undefined {
    const position = this.byNumber(piece);
    if (position !== undefined) return position;
    const place = this.byPosition(piece);
    const task = place ? this.tasks[place - 1] : undefined;
    return task && !(task.named && readPlanNumber(task.name)) ? place : undefined;
  }

  private byNumber(piece: string): number | undefined {
    const written = readPlanNumber(piece.replace(/^tasks?_?/i, 'task '));
    const position = written && this.numbers.get(written.number);
    if (!position || written.rest.trim() === '') return position;
    const { name } = this.tasks[position - 1]!;
    return foldsEqual(readPlanNumber(name)?.rest ?? name, written.rest) ? position : undefined;
  }

  private range(from: number, to: number): number[] | undefined {
    const count = to - from + 1;
    if (count < 1 || to > this.tasks.length || count > this.left) return undefined;
    this.left -= count;
    return Array.from({ length: count }, (_, i) => from + i);
  }

  /** `1 and 2`, `Task 1 Task 2`, `1 2`: only where every part is known. */
  private resolveAll(piece: string): number[] | undefined {
    const parts = piece.split(/ (?:and|[&+]) /i).map((part) => this.resolve(part) ?? this.resolveWords(part));
    return parts.includes(undefined) ? undefined : parts.flatMap((positions) => positions!);
  }

  private resolveWords(part: string): number[] | undefined {
    const words = part.replace(/\btasks? (?=\d)/gi, 'task-').split(' ');
    const positions = words.map((word) => this.resolve(word));
    return positions.includes(undefined) ? undefined : positions.flatMap((some) => some!);
  }
}

/** The values of the attribute; undefined if it is not there. Without quotes, what follows may belong to it. */
function writtenIn(attributes: readonly Attribute[]): string[] | undefined {
  const values: string[] = [];
  let isOpen = false;
  for (const { name, value, to, valueTo } of attributes) {
    if (DEPENDS_ON.has(name)) {
      values.push(value ?? '');
      isOpen = value !== null && to === valueTo;
    } else if (isOpen && value === null && /^(?:[\d,;&#[\]-]+|and|tasks?)$/.test(name)) {
      values.push(`${values.pop()} ${name}`);
    } else {
      isOpen = false;
    }
  }
  return values.length > 0 ? values : undefined;
}

/** Without brackets around it, and then without quotes. */
function unwrap(written: string): string {
  const text = written.trim();
  const inner = /^\[[^[\]]*\]$|^\([^()]*\)$/.test(text) ? text.slice(1, -1).trim() : text;
  return /^"[^"]*"$|^'[^']*'$|^`[^`]*`$/.test(inner) ? inner.slice(1, -1).trim() : inner;
}

function lengthOf(parts: readonly string[], from: number, count: number): number {
  let length = count - 1;
  for (let i = from; i < from + count; i++) length += parts[i]!.length;
  return length;
}

/** A key shared by two tasks is ambiguous: 0. */
function addOnce(map: Map<string, number>, key: string, value: number): void {
  map.set(key, map.has(key) ? 0 : value);
}
