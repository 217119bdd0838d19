import { useEffect, useRef } from 'preact/hooks';
import type { InboxQuestion, SessionView, TurnView } from '../../api.js';
import { useAnswer } from '../answers.js';
import { send } from '../client.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { NotLoaded, PageHead } from '../parts/page-head.js';
import { Prose } from '../parts/prose.js';
import { inDollars } from '../parts/words.js';
import { linkTo } from '../route.js';
import { attempt, inbox, planning, useLoaded } from '../store.js';
import { MessageBox } from './message-box.js';
import { RunStatusChip } from './run-status.js';
import { UnifiedDiff } from './unified-diff.js';

/** A session as a conversation: messages, plans, their runs, and the next message. */
export function SessionPage({ name }: { name: string }) {
  const { value: session, failure } = useLoaded<SessionView>(`/api/sessions/${encodeURIComponent(name)}`);
  const end = useRef<HTMLDivElement>(null);
  const turns = session?.conversation.length ?? 0;
  useEffect(() => {
    if (turns > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [turns]);
  if (session === null) return <NotLoaded failure={failure} icon="sessions" what="This session" />;
  const question = inbox.value?.questions.find((one) => 'session' in one && one.session === name);
  return (
    <div class="column conversation">
      <PageHead parent="sessions" title={<Foreign text={session.name} />}>
        {session.agent !== null && (
          <p class="muted">
            with <Foreign text={session.agent} />
          </p>
        )}
        <Totals turns={session.conversation} />
      </PageHead>
      <ol class="turns" aria-label="Turns">
        {session.conversation.map((turn) => (
          <li key={turn.turn}>
            <Turn turn={turn} />
          </li>
        ))}
      </ol>
      <Planning session={name} line={planning.value[name]} />
      {session.reviewing !== null && (
        <p>
          <a href={linkTo('runs', session.reviewing)}>Review the plan</a>
        </p>
      )}
      {session.problem !== null && planning.value[name] === undefined && (
        <p class="problem" role="status">
          <Icon name="warning" />
          <Foreign text={session.problem} />
        </p>
      )}
      {question?.kind === 'budget' && <BudgetAnswer question={question} />}
      <MessageBox key={name} session={session} />
      <div ref={end} />
    </div>
  );
}

/** The message is saved, and the model was not asked. */
function BudgetAnswer({ question }: { question: Extract<InboxQuestion, { kind: 'budget' }> }) {
  const { sending, isNew, answer } = useAnswer(question);
  const decide = (decision: 'approve' | 'skip') => void answer({ decision });
  useKeys({ a: () => decide('approve'), s: () => decide('skip') });
  return (
    <fieldset class="decision inline" aria-label="Budget" aria-busy={isNew} disabled={sending}>
      <p>
        <Foreign text={question.message} /> To raise it for good, change model.budget in config.yaml.
      </p>
      <div class="decision-buttons">
        <Button icon="cross" shortcut="s" onClick={() => decide('skip')}>
          Stop here
        </Button>
        <Button kind="primary" icon="check" shortcut="a" onClick={() => decide('approve')}>
          Continue this turn
        </Button>
      </div>
    </fieldset>
  );
}

function Planning({ session, line }: { session: string; line: string | undefined }) {
  if (line === undefined) return null;
  const stop = () => attempt(() => send('POST', `/api/sessions/${encodeURIComponent(session)}/stop`, {}));
  return (
    <div class="planning muted">
      <p role="status">
        <span class="spinner" aria-hidden="true" />
        <Foreign text={line} />
      </p>
      <Button onClick={() => void stop()}>Stop</Button>
    </div>
  );
}

function Totals({ turns }: { turns: readonly TurnView[] }) {
  const cost = turns.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const tokens = turns.reduce((sum, turn) => sum + (turn.inputTokens ?? 0) + (turn.outputTokens ?? 0), 0);
  if (tokens === 0) return null;
  return (
    <p class="muted totals">
      {tokens.toLocaleString('en')} tokens{cost > 0 && `, ${inDollars(cost)}`}
    </p>
  );
}

function Turn({ turn }: { turn: TurnView }) {
  return (
    <>
      {turn.message !== null && (
        <div class="bubble user">
          <Prose text={turn.message} />
        </div>
      )}
      <div class="bubble agent">
        {turn.prose !== null && <Prose text={turn.prose} />}
        {turn.planTitle !== null && <PlanCard turn={turn} />}
        <p class="turn-facts muted">
          Turn {turn.turn}
          {turn.inputTokens !== null && ` · ${turn.inputTokens.toLocaleString('en')} tokens in`}
          {turn.outputTokens !== null && `, ${turn.outputTokens.toLocaleString('en')} out`}
          {turn.costUsd !== null && ` · ${inDollars(turn.costUsd)}`}
        </p>
      </div>
    </>
  );
}

function PlanCard({ turn }: { turn: TurnView }) {
  return (
    <div class="plan-card">
      <div class="plan-card-head">
        <Icon name="file" />
        <strong>
          {turn.run === null ? (
            <Foreign text={turn.planTitle!} />
          ) : (
            <a href={linkTo('runs', turn.run)}>
              <Foreign text={turn.planTitle!} />
            </a>
          )}
        </strong>
        {turn.run !== null && (
          <RunStatusChip
            run={{
              status: turn.overall === null ? 'waiting' : 'ended',
              overall: turn.overall,
              undone: false,
            }}
          />
        )}
      </div>
      {turn.planDiff !== null && (
        <details>
          <summary>Changes since the previous plan</summary>
          <UnifiedDiff text={turn.planDiff} />
        </details>
      )}
    </div>
  );
}
