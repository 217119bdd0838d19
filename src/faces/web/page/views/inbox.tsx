import { useRef } from 'preact/hooks';
import type { InboxQuestion, RunItem } from '../../api.js';
import { moveFocus, useKeys } from '../keys.js';
import { CommandLine, EmptyState, Skeleton } from '../parts/controls.js';
import { Foreign, ForeignLine } from '../parts/foreign.js';
import { Icon, type IconName } from '../parts/icons.js';
import { PageHead } from '../parts/page-head.js';
import { countNoun, timeAgo } from '../parts/words.js';
import { linkTo } from '../route.js';
import { inbox, useLoaded } from '../store.js';
import { AgentWork } from './agent-work.js';
import { RunStatusChip } from './run-status.js';

const KINDS: Record<InboxQuestion['kind'], { icon: IconName; label: string }> = {
  action: { icon: 'file', label: 'Review' },
  state: { icon: 'file', label: 'Review' },
  file: { icon: 'file', label: 'Review' },
  rerun: { icon: 'terminal', label: 'Command failed' },
  task: { icon: 'tasks', label: 'Task' },
  report: { icon: 'agent', label: 'Agent report' },
  message: { icon: 'sessions', label: 'Message' },
  plan: { icon: 'sessions', label: 'Plan to review' },
  changes: { icon: 'agent', label: 'Changes to review' },
  budget: { icon: 'sessions', label: 'Budget' },
  proposal: { icon: 'agent', label: 'Plan to review' },
  claim: { icon: 'tasks', label: 'Result' },
  question: { icon: 'agent', label: 'Question' },
};

/** Everything that waits for the user, and below it what runs or ran. */
export function InboxPage() {
  const list = useRef<HTMLUListElement>(null);
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) });
  const questions = inbox.value?.questions;
  return (
    <div class="column">
      <PageHead title="Inbox">
        {questions !== undefined && questions.length > 0 && (
          <p class="muted">{countNoun(questions.length, 'open question')}, oldest first</p>
        )}
      </PageHead>
      {questions === undefined && <Skeleton />}
      <ActiveRun />
      {questions?.length === 0 && <NothingWaiting />}
      <ul class="cards" aria-label="Inbox" ref={list}>
        {questions?.map((question) => (
          <li key={question.id}>
            <QuestionRow question={question} />
          </li>
        ))}
      </ul>
      <AgentWork />
      <RecentRuns />
    </div>
  );
}

function QuestionRow({ question }: { question: InboxQuestion }) {
  const { icon, label } = KINDS[question.kind];
  return (
    <a class="row-link" href={linkOf(question)}>
      <span class={`kind-icon ${question.kind}`}>
        <Icon name={icon} />
      </span>
      <span class="row-main">
        <span class="row-title">
          <ForeignLine text={question.title} />
        </span>
        <span class={'run' in question ? 'row-subject mono' : 'row-subject'}>
          <ForeignLine text={question.subject} />
        </span>
      </span>
      <span class="row-side">
        <span class="row-kind">
          {label}
          {'number' in question && (
            <span class="muted">
              {' '}
              {question.number} of {question.total}
            </span>
          )}
        </span>
        <time class="muted" dateTime={question.askedAt}>
          {timeAgo(question.askedAt)}
        </time>
      </span>
      <Icon name="right" />
    </a>
  );
}

function linkOf(question: InboxQuestion): string {
  if (question.kind === 'action' || question.kind === 'file' || question.kind === 'rerun')
    return linkTo('runs', question.run, question.number);
  if (question.kind === 'state') return linkTo('runs', question.run);
  if (question.kind === 'changes') return linkTo('changes', question.work);
  if ('session' in question) return linkTo('sessions', question.session);
  return linkTo('questions', question.id);
}

function NothingWaiting() {
  return (
    <EmptyState icon="check" title="Nothing is waiting for you">
      <p>
        Questions from reviews, sessions, tasks and agents appear here as they are asked. To review a plan on
        this page:
      </p>
      <CommandLine command="teddy execute plan.md --web" />
    </EmptyState>
  );
}

/** Above everything else: it may be what the user came for. */
function ActiveRun() {
  const { value } = useLoaded<RunItem[]>('/api/runs');
  const active = value?.find(({ status }) => status === 'running');
  if (active === undefined) return null;
  return (
    <p class="active-run" role="status">
      <span class="spinner" aria-hidden="true" />
      <span>
        A run is active:{' '}
        <a href={linkTo('runs', active.id)}>
          <Foreign text={active.title ?? active.id} />
        </a>
        . You can watch or stop it there.
      </span>
    </p>
  );
}

const RECENT = 6;

function RecentRuns() {
  const { value } = useLoaded<RunItem[]>('/api/runs');
  if (value === null || value.length === 0) return null;
  return (
    <section aria-labelledby="recent" class="recent">
      <h2 id="recent">Recent runs</h2>
      <ul class="lines">
        {value.slice(0, RECENT).map((run) => (
          <li key={run.id}>
            <RunRow run={run} />
          </li>
        ))}
      </ul>
      {value.length > RECENT && <a href={linkTo('runs')}>All {value.length.toLocaleString('en')} runs</a>}
    </section>
  );
}

export function RunRow({ run }: { run: RunItem }) {
  return (
    <a class="line-link" href={linkTo('runs', run.id)}>
      <RunStatusChip run={run} />
      <span class="line-title">
        {run.title === null ? 'A plan without a title' : <Foreign text={run.title} />}
      </span>
      <span class="mono muted run-id">{run.id}</span>
      <time class="muted" dateTime={run.startedAt}>
        {timeAgo(run.startedAt)}
      </time>
    </a>
  );
}
