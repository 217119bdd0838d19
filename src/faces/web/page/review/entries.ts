import type { ActionView, RunView, StateView } from '../../api.js';

/** What can be decided in a run, in its order: changes to context and memos, then actions. */
export type ReviewEntry = { key: string; name: string; question: string | null } & (
  | { kind: 'action'; view: ActionView }
  | { kind: 'state'; view: StateView }
);

export function entriesOf(run: RunView): ReviewEntry[] {
  return [
    ...run.stateChanges.map(
      (view): ReviewEntry => ({
        kind: 'state',
        key: view.section,
        name: view.section,
        question: view.open?.id ?? null,
        view,
      }),
    ),
    ...run.actions.map(
      (view): ReviewEntry => ({
        kind: 'action',
        key: String(view.number),
        name: `Action ${view.number}`,
        question: view.question,
        view,
      }),
    ),
  ];
}

export function isDecided(entry: ReviewEntry): boolean {
  if (entry.kind === 'state') return entry.view.record !== null;
  return !['planned', 'asked', 'will-fail'].includes(entry.view.status);
}
