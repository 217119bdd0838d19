import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LineComment } from '../../../api.js';
import type { QuestionDraft } from '../../drafts.js';
import { openBox } from '../../keys.js';
import { Button } from '../../parts/controls.js';
import { Foreign } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';

/** Starts a comment on a line, or moves the one that is being written there; `line` null: on the whole action. */
export function openComment(draft: QuestionDraft, line: number | null): void {
  openBox(() => {
    const { comment } = draft.state.peek();
    draft.change({ comment: { line, text: comment?.text ?? '' } });
    if (comment?.line === line) document.querySelector<HTMLElement>('.comment-editor textarea')?.focus();
  });
}

interface CommentItemProps {
  draft: QuestionDraft;
  /** Null: the whole action. */
  line: number | null;
  /** The last line that can have a comment. */
  lastLine?: number;
}

/** The comments on one line, and the one that is being written there. */
export function CommentItem({ draft, line, lastLine = 0 }: CommentItemProps) {
  const { comments, comment } = draft.state.value;
  const here = comments.filter((one) => one.line === line);
  return (
    <div class="comments">
      {here.map((one, at) => (
        <SavedComment key={at} comment={one} draft={draft} />
      ))}
      {comment !== null && comment.line === line && (
        <CommentEditor comment={comment} draft={draft} lastLine={lastLine} />
      )}
    </div>
  );
}

function SavedComment({ comment, draft }: { comment: LineComment; draft: QuestionDraft }) {
  const remove = () =>
    draft.change({ comments: draft.state.peek().comments.filter((one) => one !== comment) });
  return (
    <div class="comment">
      <Icon name="comment" />
      <p>
        <span class="muted">{comment.line === null ? 'On the whole: ' : `Line ${comment.line}: `}</span>
        <Foreign text={comment.text} />
      </p>
      <button type="button" class="button quiet" aria-label="Remove the comment" onClick={remove}>
        <Icon name="cross" />
      </button>
    </div>
  );
}

interface CommentEditorProps {
  comment: LineComment;
  draft: QuestionDraft;
  lastLine: number;
}

function CommentEditor({ comment, draft, lastLine }: CommentEditorProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  // Before anything is painted: a key typed into a box that is shown but not focused would be a shortcut.
  useLayoutEffect(() => {
    if (!draft.isRestored) box.current!.focus();
  }, [comment.line]);
  const close = () => draft.change({ comment: null });
  const move = (by: 1 | -1) => {
    if (comment.line === null) return;
    const line = Math.max(1, Math.min(comment.line + by, lastLine));
    if (line !== comment.line) openComment(draft, line);
  };
  const save = () => {
    const { comments, comment: open } = draft.state.peek();
    if (open === null || open.text.trim() === '') close();
    else draft.change({ comments: [...comments, open], comment: null });
    box.current?.blur();
  };
  return (
    <div class="comment-editor">
      <textarea
        ref={box}
        aria-label={comment.line === null ? 'Comment on the whole action' : `Comment on line ${comment.line}`}
        placeholder="For the agent: it reaches the report"
        value={comment.text}
        onInput={(event) => draft.change({ comment: { ...comment, text: event.currentTarget.value } })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
            event.preventDefault();
            move(event.key === 'ArrowUp' ? -1 : 1);
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
      <div class="comment-buttons">
        {comment.line !== null && (
          <Button kind="quiet" onClick={() => openComment(draft, null)}>
            On the whole instead
          </Button>
        )}
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
        <Button onClick={save}>Add comment</Button>
      </div>
    </div>
  );
}
