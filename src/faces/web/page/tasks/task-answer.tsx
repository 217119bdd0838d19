import { useRef } from 'preact/hooks';
import type { InboxQuestion } from '../../api.js';
import { useAnswer } from '../answers.js';
import { draftOf } from '../drafts.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import type { IconName } from '../parts/icons.js';
import { Prose } from '../parts/prose.js';
import { countNoun } from '../parts/words.js';

type OpenTaskQuestion = Extract<InboxQuestion, { kind: 'task' }>;
type Word = OpenTaskQuestion['question']['answers'][number];

/** `text`: the answer carries what the user typed. */
const ANSWERS: Record<Word, { label: string; icon: IconName; does: string; text: boolean }> = {
  retry: { label: 'Retry', icon: 'undo', does: 'tries again', text: false },
  fix: {
    label: 'Retry with this instruction',
    icon: 'pencil',
    does: 'tries again with your words',
    text: true,
  },
  done: { label: 'Done', icon: 'check', does: 'you did it yourself', text: false },
  back: { label: 'Send back', icon: 'left', does: 'returns it with your feedback', text: true },
  land: { label: 'Land', icon: 'check', does: 'takes all changes', text: false },
  drop: {
    label: 'Land without these changes',
    icon: 'pencil',
    does: 'leaves out changes: one id per line, then the reason',
    text: true,
  },
  skip: { label: 'Skip', icon: 'skip', does: 'continues without it', text: false },
  abort: { label: 'Abort', icon: 'cross', does: 'marks it failed', text: false },
};

interface TaskAnswerProps {
  question: OpenTaskQuestion;
  onAnswered?(): void;
}

/** A question about a task, with the answers that make sense. */
export function TaskAnswer({ question, onAnswered }: TaskAnswerProps) {
  const { message, detail, answers, blocks, outputs } = question.question;
  const draft = draftOf(question.id);
  const text = draft.state.value.reply;
  const { sending, isNew, answer } = useAnswer(question);
  const reply = async (word: Word) => {
    const words = ANSWERS[word].text ? `${word}: ${text}` : word;
    if (await answer({ decision: 'reply', text: words })) onAnswered?.();
  };
  const takesText = answers.some((word) => ANSWERS[word].text);
  const box = useRef<HTMLTextAreaElement>(null);
  useKeys({}, takesText ? { c: () => box.current?.focus() } : {});
  return (
    <div class="panel task-answer" aria-busy={isNew}>
      <Prose text={message} />
      {detail !== '' && (
        <details>
          <summary>{question.question.why === 'review' ? 'Its changes' : 'The task as written'}</summary>
          <pre class="block">
            <Foreign text={detail} />
          </pre>
        </details>
      )}
      {blocks.length > 0 && (
        <p class="muted">
          {countNoun(blocks.length, 'task')} waiting for it: <Foreign text={blocks.join(', ')} />
        </p>
      )}
      {outputs.length > 0 && (
        <p class="muted">
          Output: <Foreign text={outputs.join(', ')} />
        </p>
      )}
      {takesText && (
        <textarea
          ref={box}
          aria-label="Instruction"
          aria-keyshortcuts="c"
          placeholder="An instruction or feedback for the next attempt"
          value={text}
          onInput={(event) => draft.change({ reply: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      )}
      <div class="answer-buttons">
        {answers.map((word) => {
          const { label, icon, does, text: needsText } = ANSWERS[word];
          return (
            <Button
              key={word}
              icon={icon}
              kind={word === 'abort' ? 'danger' : 'plain'}
              title={does}
              disabled={sending || (needsText && text.trim() === '')}
              onClick={() => void reply(word)}
            >
              {label}
            </Button>
          );
        })}
      </div>
    </div>
  );
}
