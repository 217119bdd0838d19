import type { InboxQuestion } from '../../api.js';
import { useAnswer } from '../answers.js';
import { draftOf } from '../drafts.js';
import { useKeys } from '../keys.js';
import { Button, Chip, EmptyState, Skeleton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { PageHead } from '../parts/page-head.js';
import { Prose } from '../parts/prose.js';
import { focusReason, ReasonBox } from '../parts/reason-box.js';
import { asPercent } from '../parts/words.js';
import { goTo, linkTo } from '../route.js';
import { inbox } from '../store.js';
import { TaskAnswer } from '../tasks/task-answer.js';

/** A question that has no page of its own: about a task, an agent report, or what an agent has submitted. */
export function QuestionPage({ id }: { id: string }) {
  const question = inbox.value?.questions.find((one) => one.id === id);
  if (inbox.value === null)
    return (
      <div class="column">
        <Skeleton rows={4} />
      </div>
    );
  if (question === undefined)
    return (
      <EmptyState icon="check" title="This question has been answered">
        <p>
          <a href={linkTo('inbox')}>Back to the inbox</a>
        </p>
      </EmptyState>
    );
  return (
    <div class="column">
      <PageHead parent="inbox" title={<Foreign text={question.title} />} />
      {question.kind === 'task' && (
        <>
          <TaskAnswer question={question} onAnswered={() => goTo('inbox')} />
          <p class="below-panel">
            <a href={linkTo('tasks', question.question.id)}>Attempts, claim against fact, and files</a>
          </p>
        </>
      )}
      {question.kind === 'report' && <ReportAnswer question={question} />}
      {(question.kind === 'proposal' || question.kind === 'claim') && <RequestAnswer question={question} />}
      {question.kind === 'question' && <UserReply question={question} />}
    </div>
  );
}

function ReportAnswer({ question }: { question: Extract<InboxQuestion, { kind: 'report' }> }) {
  return (
    <>
      <div class="panel">
        <p>
          <Chip tone={question.confidence < 0.5 ? 'bad' : 'warn'}>
            Confidence {asPercent(question.confidence)}
          </Chip>{' '}
          <span class="muted">
            <Foreign text={question.agent} />, on <Foreign text={question.taskId} />
          </span>
        </p>
        <p>
          <Foreign text={question.why} />
        </p>
        <Prose text={question.summary} />
      </div>
      <ApproveOrSkip question={question} approve="Approve" skip="Skip" />
    </>
  );
}

/** A plan or a result that an agent has submitted. A plan is reviewed on the page of its run. */
function RequestAnswer({ question }: { question: Extract<InboxQuestion, { kind: 'proposal' | 'claim' }> }) {
  const isPlan = question.kind === 'proposal';
  const approve = isPlan ? 'Review' : question.command === null ? 'Accept' : 'Run the command';
  return (
    <>
      <div class="panel">
        <p class="muted">
          From <Foreign text={question.client} />, which gets what you decide.
        </p>
        {isPlan ? (
          <p>You review it action by action. Nothing runs before that.</p>
        ) : (
          <ClaimFacts claim={question} />
        )}
      </div>
      <ApproveOrSkip question={question} approve={approve} skip="Refuse" />
    </>
  );
}

interface ApproveOrSkipProps {
  question: InboxQuestion;
  /** The words on the buttons. */
  approve: string;
  skip: string;
}

function ApproveOrSkip({ question, approve, skip }: ApproveOrSkipProps) {
  const draft = draftOf(question.id);
  const { sending, isNew, answer } = useAnswer(question);
  const decide = async (decision: 'approve' | 'skip') => {
    const { reason } = draft.state.peek();
    if (await answer({ decision, ...(reason === '' ? {} : { reason }) })) goTo('inbox');
  };
  useKeys({ a: () => void decide('approve') }, { s: focusReason });
  return (
    <fieldset class="decision inline" aria-label="Decision" aria-busy={isNew} disabled={sending}>
      <ReasonBox draft={draft} onSkip={() => void decide('skip')} />
      <div class="decision-buttons">
        <Button icon="cross" shortcut="s" onClick={() => void decide('skip')}>
          {skip}
        </Button>
        <Button kind="primary" icon="check" shortcut="a" onClick={() => void decide('approve')}>
          {approve}
        </Button>
      </div>
    </fieldset>
  );
}

function ClaimFacts({ claim }: { claim: Extract<InboxQuestion, { kind: 'claim' }> }) {
  return (
    <>
      {claim.command === null ? (
        <p>This task has no command that could verify it.</p>
      ) : (
        <>
          <p>
            This command verifies it, confined. If you approve it, teddy also runs it for later results here,
            without asking:
          </p>
          <pre class="block">
            <Foreign text={claim.command} />
          </pre>
        </>
      )}
      <details>
        <summary>The result of {claim.task}</summary>
        <pre class="block">
          <Foreign text={claim.text} />
        </pre>
      </details>
    </>
  );
}

/** What an agent asks the user. */
function UserReply({ question }: { question: Extract<InboxQuestion, { kind: 'question' }> }) {
  const draft = draftOf(question.id);
  const text = draft.state.value.reply;
  const { sending, isNew, answer } = useAnswer(question);
  const reply = async (words: string) => {
    if (await answer({ decision: 'reply', text: words })) goTo('inbox');
  };
  const skip = async () => {
    if (await answer({ decision: 'skip' })) goTo('inbox');
  };
  return (
    <div class="panel task-answer" aria-busy={isNew}>
      <p class="muted">
        <Foreign text={question.client} /> asks:
      </p>
      <Prose text={question.question} />
      <textarea
        aria-label="Your reply"
        value={text}
        onInput={(event) => draft.change({ reply: event.currentTarget.value })}
      />
      <div class="answer-buttons">
        {question.options.map((option) => (
          <Button key={option} icon="check" disabled={sending} onClick={() => void reply(option)}>
            <Foreign text={option} />
          </Button>
        ))}
        <Button icon="skip" disabled={sending} onClick={() => void skip()}>
          Skip
        </Button>
        <Button
          kind="primary"
          icon="check"
          disabled={sending || text.trim() === ''}
          onClick={() => void reply(text)}
        >
          Send
        </Button>
      </div>
    </div>
  );
}
