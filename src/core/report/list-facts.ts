import { CHANGE_LABELS, describeKept } from './markdown.js';
import type { Facts } from './record.js';

/** What is known of an outcome, each in one line, for faces that show names and values; texts of their own are not among it. */
export function listFacts(done: Facts): (readonly [name: string, value: string])[] {
  const { exitCode, expectedOutcome, kept, changed = [], unrestorable = [], moved = [], notes = [] } = done;
  const one = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [[name, String(value)] as const];
  return [
    ...one('Exit code', exitCode),
    ...one('Ended', done.ended),
    ...one('Expected outcome', expectedOutcome && (expectedOutcome.met ? 'met' : 'not met')),
    ...(expectedOutcome?.missing ?? []).flatMap((text) => one('Missing', text)),
    ...one('Attempts', done.attempts),
    ...one('Done in run', done.doneIn),
    ...one('Matched', done.matched),
    ...one('Unchanged', done.unchanged),
    ...one('Interrupted', done.interrupted),
    ...one('Kept', kept && describeKept(kept)),
    ...(kept?.dropped ?? []).flatMap(({ id, reason }) => one('Dropped', reason ?? id)),
    ...changed.flatMap(({ path, change }) => one(CHANGE_LABELS[change], path)),
    ...unrestorable.flatMap(({ path, reason }) => one('Not restorable', `${path}: it ${reason}`)),
    ...moved.flatMap(({ name, revert }) => one('Moved in git', `${name}; to move it back: ${revert}`)),
    ...notes.flatMap((note) => one('Note', note)),
  ];
}
