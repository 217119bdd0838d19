import type { QuestionDraft } from '../drafts.js';

/** For `s`. */
export function focusReason(): void {
  document.querySelector<HTMLElement>('.decision [aria-label="Reason"]')?.focus();
}

/** Why an action is skipped; Enter skips it. */
export function ReasonBox({ draft, onSkip }: { draft: QuestionDraft; onSkip(): void }) {
  return (
    <input
      type="text"
      aria-label="Reason"
      placeholder="Reason (optional)"
      value={draft.state.value.reason}
      onInput={(event) => draft.change({ reason: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSkip();
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
