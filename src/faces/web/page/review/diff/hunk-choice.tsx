import type { QuestionDraft } from '../../drafts.js';
import { Segments } from '../../parts/controls.js';

interface HunkLineProps {
  /** 0-based. */
  number: number;
  total: number;
  id: string;
  draft: QuestionDraft;
  isCurrent: boolean;
  onSelect(): void;
}

/** Keeps or drops one change of several; a dropped one may have a reason. */
export function HunkLine({ number, total, id, draft, isCurrent, onSelect }: HunkLineProps) {
  const { dropped } = draft.state.value;
  const isDropped = id in dropped;
  const choose = (choice: 'keep' | 'drop') => {
    onSelect();
    const { [id]: _, ...others } = draft.state.peek().dropped;
    draft.change({ dropped: choice === 'keep' ? others : { ...others, [id]: dropped[id] ?? '' } });
  };
  return (
    <div class={`hunk-choice ${isCurrent ? 'current-hunk' : ''} ${isDropped ? 'dropped' : ''}`}>
      <span class="hunk-name">
        Change {number + 1} of {total}
      </span>
      <Segments
        label={`Change ${number + 1}`}
        value={isDropped ? 'drop' : 'keep'}
        options={[
          { value: 'keep', label: 'Keep' },
          { value: 'drop', label: 'Drop' },
        ]}
        onChange={choose}
      />
      {isDropped && (
        <input
          type="text"
          aria-label={`Why drop change ${number + 1}`}
          placeholder="Why (optional)"
          value={dropped[id]}
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
          }}
          onInput={(event) =>
            draft.change({ dropped: { ...draft.state.peek().dropped, [id]: event.currentTarget.value } })
          }
        />
      )}
    </div>
  );
}
