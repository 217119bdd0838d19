import type { ComponentChildren } from 'preact';
import type { Action } from '../../../../../core/plan/types.js';
import type { ProposedText } from '../../../../../review/question.js';
import type { ActionDetail, ActionView } from '../../../api.js';
import type { QuestionDraft } from '../../drafts.js';
import { Foreign } from '../../parts/foreign.js';
import { Prose } from '../../parts/prose.js';
import { CommentItem } from '../diff/comments.js';
import type { DiffModel } from '../diff/diff-model.js';
import { PlainLines } from '../diff/diff-row.js';
import { DiffView } from '../diff/diff-view.js';
import { CapturedOutput, RunningOutput } from '../output-view.js';

interface ActionBodyProps {
  run: string;
  view: ActionView;
  detail: ActionDetail;
  /** What the action would make of its file, or has made of it. */
  text: ProposedText | undefined;
  model: DiffModel | undefined;
  draft: QuestionDraft | undefined;
}

/** The change, the command or the message itself, and below it what the command printed. */
export function ActionBody({ run, view, detail, text, model, draft }: ActionBodyProps) {
  const { question, record, output } = detail;
  const action = question?.kind === 'action' ? question.action : detail.action;
  const outcome = record?.outcome;
  return (
    <>
      {text !== undefined && <Change text={text} model={model} draft={draft} />}
      {text === undefined && action !== null && <ActionText action={action} />}
      {text === undefined && action === null && question === null && <PlainLines text={detail.source} />}
      {text === undefined && question?.kind === 'file' && <p class="muted">No line of text changes.</p>}
      {draft !== undefined && <CommentItem draft={draft} line={null} />}
      {view.status === 'running' && <RunningOutput run={run} number={view.number} until={output} />}
      {outcome !== undefined && outcome.status !== 'not-run' && (
        <>
          {outcome.output !== undefined && <CapturedOutput title="Output" captured={outcome.output} />}
          {outcome.error !== undefined && <CapturedOutput title="Errors" captured={outcome.error} />}
        </>
      )}
      {record === null && view.status !== 'running' && output !== null && (
        <CapturedOutput title="Output" captured={output} />
      )}
    </>
  );
}

interface ChangeProps {
  text: ProposedText;
  model: DiffModel | undefined;
  draft: QuestionDraft | undefined;
}

function Change({ text, model, draft }: ChangeProps) {
  if (model === undefined) return <p role="status">Comparing the texts…</p>;
  if (text.before === text.after) return <p class="muted">Nothing would change.</p>;
  return <DiffView path={text.path} isNew={text.before === null} model={model} draft={draft} />;
}

/** What an action says, where it is not a change to a text that can be shown as one. */
function ActionText({ action }: { action: Action }): ComponentChildren {
  if ('content' in action) return <PlainLines text={action.content} />;
  if ('edits' in action) return <Pairs edits={action.edits} />;
  if ('command' in action)
    return (
      <section aria-label="Command" class="command">
        <PlainLines text={action.command} />
      </section>
    );
  if ('queries' in action)
    return (
      <ol class="queries">
        {action.queries.map((query, at) => (
          <li key={at}>
            <Foreign text={query} />
          </li>
        ))}
      </ol>
    );
  if ('message' in action) return <Prose text={action.message} />;
  return null;
}

/** An EDIT that cannot be simulated: what it would look for, and what it would put there. */
function Pairs({ edits }: { edits: readonly { find: string; replace: string }[] }) {
  return (
    <div class="pairs">
      {edits.map(({ find, replace }, at) => (
        <div key={at}>
          <h3>Find</h3>
          <PlainLines text={find} />
          <h3>Replace</h3>
          <PlainLines text={replace} />
        </div>
      ))}
    </div>
  );
}
