import type { TextRange } from '../markdown/lines.js';
import { isArranged, NOT_READ_BACK, refuseEdit, type TaskEdit } from './arrange.js';
import { readPlanNumber } from './checkboxes.js';
import { DEPENDS_ON } from './dependencies.js';
import type { PartName } from './elements.js';
import { isSequence } from './order.js';
import { parseTaskPlan, placesOf, type TaskPlace } from './parse.js';
import { referenceSplices } from './references.js';
import { applySplices, replaceAttribute, type Splice } from './splices.js';
import type { TaskPlan } from './types.js';
import { asText, innerIndent, lineEnding, writeFiles } from './write-task.js';

/** What a task says from now on; what is not named stays. */
export interface TaskChange {
  name?: string | undefined;
  files?: readonly string[] | undefined;
  verify?: string | undefined;
  action?: string | undefined;
  done?: string | undefined;
  /** Positions of the tasks that it waits for. */
  after?: readonly number[] | undefined;
}

/** Rewrites elements of one task, in their places. A new name goes into its checkbox and into `depends_on` of others too. */
export function rewriteTask(plan: TaskPlan, index: number, change: TaskChange): TaskEdit {
  const { name, files, verify, action, done, after } = change;
  const { isElement } = plan.tasks[index - 1]!;
  if (!isElement && [files, verify, action, done, after].some((each) => each !== undefined))
    return refuseEdit(
      'The tasks of this file are checkboxes, which have a name only: write it as a <task> element.',
    );
  if (after !== undefined && isSequence(plan))
    return refuseEdit(
      'The tasks of this file are done in their order, so move the task instead: teddy task move',
    );
  const wrong = after?.find((each) => each === index || plan.tasks[each - 1] === undefined);
  if (wrong !== undefined)
    return refuseEdit(
      wrong === index
        ? 'A task cannot wait for itself.'
        : `The task file has no task ${wrong}; it has ${plan.tasks.length}.`,
    );
  const old = plan.tasks[index - 1]!;
  const number = old.named
    ? /^task[\s#-]*\d[\d.]*[a-z]?\s*[:.)\u2013\u2014-]?\s*/i.exec(old.name)?.[0]
    : undefined;
  const full = name && (readPlanNumber(name) || !number ? name : `${number.trimEnd()} ${name}`);
  const steps: ((now: TaskPlan) => readonly Splice[] | undefined)[] = [
    ...(full === undefined ? [] : [(now: TaskPlan) => renameSplices(now, index, full)]),
    ...(files === undefined ? [] : [partStep(index, 'files', writeFiles(files))]),
    ...(action === undefined ? [] : [partStep(index, 'action', action)]),
    ...(verify === undefined ? [] : [partStep(index, 'verify', `<automated>${asText(verify)}</automated>`)]),
    ...(done === undefined ? [] : [partStep(index, 'done', done)]),
    ...(after === undefined ? [] : [(now: TaskPlan) => dependSplices(now, index, after)]),
  ];
  let now = plan;
  for (const step of steps) {
    const splices = step(now);
    if (splices === undefined) return refuseEdit(NOT_READ_BACK);
    now = parseTaskPlan(applySplices(now.text, splices));
    if (now.tasks.length !== plan.tasks.length) return refuseEdit(NOT_READ_BACK);
  }
  const positions = new Map(plan.tasks.map((task) => [task.index, task.index]));
  const isRest = isArranged(plan, now, [...positions.keys()], positions, index);
  const task = now.tasks[index - 1]!;
  const isAsMeant =
    task.name === (full ?? old.name) &&
    task.status === old.status &&
    (files === undefined || task.files.map(({ path }) => path).join('\n') === files.join('\n')) &&
    (task.verify?.command ?? null) === (verify ?? old.verify?.command ?? null) &&
    (action ?? old.action)?.trim() === task.action?.trim() &&
    (done ?? old.done)?.trim() === task.done?.trim() &&
    (task.dependsOn ?? []).join() ===
      (after === undefined ? (old.dependsOn ?? []) : [...new Set(after)].sort((a, b) => a - b)).join();
  if (!isRest || !isAsMeant) return refuseEdit(NOT_READ_BACK);
  return { status: 'edited', plan: now, index, positions };
}

/** In its element or attribute, its checkbox and what depends on it by name. */
function renameSplices(plan: TaskPlan, index: number, name: string): Splice[] | undefined {
  const places = placesOf(plan);
  const { element, item } = places[index - 1]!;
  const names = plan.tasks.map((task) => (task.index === index ? { name, named: true } : task));
  const references = referenceSplices(plan, places, { order: plan.tasks.map((task) => task.index), names });
  if (references === undefined) return undefined;
  const own = element === undefined ? [] : nameSplices(plan.text, places[index - 1]!, name);
  return (
    own && [
      ...own,
      ...(item ? [boxSplice(plan.text, item, element ? name : asText(name))] : []),
      ...references,
    ]
  );
}

function nameSplices(text: string, place: TaskPlace, name: string): Splice[] | undefined {
  const { attributes, body } = place.element!;
  const attribute = attributes.find((each) => each.name === 'name');
  if (body.part('name') === undefined && attribute?.value)
    return [
      replaceAttribute(text, attribute, asText(name).replaceAll('"', '&quot;').replaceAll("'", '&apos;')),
    ];
  return partSplices(text, place, 'name', asText(name));
}

/** The words of a checkbox, over all their lines. */
function boxSplice(
  text: string,
  { tickAt, suffix, end }: NonNullable<TaskPlace['item']>,
  name: string,
): Splice {
  const from = tickAt + 2 + /^[ \t]*/.exec(text.slice(tickAt + 2, end))![0].length;
  return { from, to: Math.max(suffix.from, from), text: name };
}

function dependSplices(plan: TaskPlan, index: number, after: readonly number[]): Splice[] {
  const { tag, attributes } = placesOf(plan)[index - 1]!.element!;
  const value = [...new Set(after)].sort((a, b) => a - b).join(',');
  const written = attributes.find(({ name }) => DEPENDS_ON.has(name));
  if (written) return [replaceAttribute(plan.text, written, value)];
  const end = attributes.at(-1)?.to ?? tag.at + 1 + tag.name.length;
  return [{ from: end, to: end, text: ` depends_on="${value}"` }];
}

function partStep(index: number, name: PartName, value: string) {
  return (plan: TaskPlan) => partSplices(plan.text, placesOf(plan)[index - 1]!, name, value);
}

const PARTS: readonly PartName[] = [
  'name',
  'files',
  'read_first',
  'action',
  'behavior',
  'verify',
  'acceptance_criteria',
  'done',
];

/** Replaces the words of an element, or adds it behind the one that usually comes before it. */
function partSplices(text: string, place: TaskPlace, name: PartName, value: string): Splice[] | undefined {
  const { tag, body } = place.element!;
  const eol = lineEnding(text);
  const written = value.replaceAll(/\r?\n/g, eol);
  const range = body.part(name);
  if (range)
    return [
      {
        ...inkOf(text, innerOf(text, range, name)),
        text: name === 'verify' && innerOf(text, range, name) !== range ? unwrap(written) : written,
      },
    ];
  const before = PARTS.slice(0, PARTS.indexOf(name))
    .toReversed()
    .find((each) => body.part(each));
  const from = before === undefined ? tag.end : afterClosing(text, body.part(before)!.to, before);
  if (from === undefined || tag.isSelfClosing) return undefined;
  return [{ from, to: from, text: `${eol}${innerIndent(text, place)}<${name}>${written}</${name}>` }];
}

/** Of a `<verify>` that is one `<automated>`, that. */
function innerOf(text: string, range: TextRange, name: PartName): TextRange {
  if (name !== 'verify') return range;
  const inner = text.slice(range.from, range.to);
  const [open, close] = ['<automated>', '</automated>'];
  const isOne =
    inner.trim().startsWith(open) && inner.trim().endsWith(close) && inner.split(open).length === 2;
  if (!isOne) return range;
  return { from: range.from + inner.indexOf(open) + open.length, to: range.from + inner.lastIndexOf(close) };
}

function unwrap(automated: string): string {
  return automated.slice('<automated>'.length, -'</automated>'.length);
}

/** Without the white space around it. */
function inkOf(text: string, { from, to }: TextRange): TextRange {
  const inner = text.slice(from, to);
  const start = from + inner.length - inner.trimStart().length;
  return inner.trim() === '' ? { from, to } : { from: start, to: from + inner.trimEnd().length };
}

function afterClosing(text: string, to: number, name: PartName): number | undefined {
  const closing = new RegExp(`^</${name}\\s*>`, 'i').exec(text.slice(to, to + 100));
  return closing ? to + closing[0].length : undefined;
}
