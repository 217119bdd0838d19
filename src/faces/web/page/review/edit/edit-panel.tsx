import { useEffect, useRef, useState } from 'preact/hooks';
import { proposedText } from '../../../../../review/question.js';
import type { ActionDetail, QuestionRef } from '../../../api.js';
import { remarksOf, useAnswer } from '../../answers.js';
import type { QuestionDraft } from '../../drafts.js';
import { Button, Segments, Skeleton } from '../../parts/controls.js';
import { notice } from '../../store.js';
import type { TextEditor } from './text-editor.js';

interface EditPanelProps {
  open: QuestionRef;
  question: NonNullable<ActionDetail['question']>;
  /** The action in the plan's format. */
  source: string;
  draft: QuestionDraft;
  onClose(): void;
}

/** Edits the file that would be written, or the action. What is sent becomes a new question. */
export function EditPanel({ open, question, source, draft, onClose }: EditPanelProps) {
  const file = proposedText(question);
  const isAction = question.kind === 'action';
  /** Where two versions could not be merged, both are in it. */
  const result = (question.kind === 'file' ? question.conflict?.marked : null) ?? file?.after;
  const saved = draft.state.peek().edit;
  const [edits, setEdits] = useState<'result' | 'action'>(
    saved?.edits ?? (isAction && file === undefined ? 'action' : 'result'),
  );
  const { sending, isNew, answer } = useAnswer(open);
  const text = draft.state.value.edit?.text ?? null;

  const choose = (next: 'result' | 'action') => {
    draft.change({ edit: null });
    setEdits(next);
  };
  const close = () => {
    draft.change({ edit: null });
    onClose();
  };
  const send = async () => {
    if (text === null) return;
    if (await answer({ decision: 'edit', text, edits, ...remarksOf(draft.state.peek()) })) close();
  };
  return (
    <section class="edit-panel" aria-label="Edit" aria-busy={isNew}>
      <div class="edit-head">
        {isAction && file !== undefined && (
          <Segments
            label="What to edit"
            value={edits}
            options={[
              { value: 'result', label: 'Resulting file' },
              { value: 'action', label: 'Action' },
            ]}
            onChange={choose}
          />
        )}
        <p class="muted">Your edit is shown again before anything is written.</p>
      </div>
      <EditorFrame
        key={edits}
        path={edits === 'result' ? (file?.path ?? '') : 'action.md'}
        original={edits === 'result' ? (file?.before ?? null) : null}
        text={edits === 'result' ? (result ?? '') : source}
        draft={saved?.edits === edits ? saved.text : null}
        onChange={(changed) => draft.change({ edit: { edits, text: changed } })}
        onFailure={onClose}
      />
      <div class="edit-buttons">
        <Button onClick={close}>Cancel</Button>
        <Button kind="primary" icon="check" disabled={text === null || sending} onClick={() => void send()}>
          Use this edit
        </Button>
      </div>
    </section>
  );
}

interface EditorFrameProps {
  path: string;
  /** What the text is compared with while it is edited; null: nothing. */
  original: string | null;
  text: string;
  /** An earlier edit of it that was not sent. */
  draft: string | null;
  /** The text with the user's changes, every other byte as it was; null where there is none. */
  onChange(text: string | null): void;
  onFailure(): void;
}

function EditorFrame({ path, original, text, draft, onChange, onFailure }: EditorFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let editor: TextEditor | undefined;
    let isClosed = false;
    const open = ({ openTextEditor }: typeof import('./text-editor.js')) => {
      if (isClosed) return;
      editor = openTextEditor(frame.current!, { path, original, text, draft, onChange });
      setReady(true);
    };
    const fail = () => {
      notice.value = 'The editor could not be loaded. Reload the page, then try again.';
      onFailure();
    };
    import('./text-editor.js').then(open, fail);
    return () => {
      isClosed = true;
      editor?.close();
    };
  }, []);
  return (
    <>
      {!ready && <Skeleton rows={4} />}
      <div ref={frame} class="editor" />
    </>
  );
}
