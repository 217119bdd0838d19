import { useRef } from 'preact/hooks';
import type { SessionItem } from '../../api.js';
import { moveFocus, useKeys } from '../keys.js';
import { CommandLine, EmptyState, Skeleton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { PageHead } from '../parts/page-head.js';
import { asPlainLine, countNoun, timeAgo } from '../parts/words.js';
import { linkTo } from '../route.js';
import { planning, useLoaded } from '../store.js';

export function SessionsPage() {
  const { value } = useLoaded<SessionItem[]>('/api/sessions');
  const list = useRef<HTMLUListElement>(null);
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) });
  return (
    <div class="column">
      <PageHead title="Sessions">
        {value !== null && value.length > 0 && <p class="muted">{countNoun(value.length, 'session')}</p>}
      </PageHead>
      {value === null && <Skeleton rows={4} />}
      {value?.length === 0 && (
        <EmptyState icon="sessions" title="No sessions yet">
          <p>A session is a conversation of turns: a message, a plan, its run. Start one:</p>
          <CommandLine command="teddy new NAME" />
        </EmptyState>
      )}
      <ul class="cards" aria-label="Sessions" ref={list}>
        {value?.map((session) => (
          <li key={session.name}>
            <a class="row-link" href={linkTo('sessions', session.name)}>
              <span class="kind-icon">
                <Icon name="sessions" />
              </span>
              <span class="row-main">
                <span class="row-title">
                  <Foreign text={session.name} />
                </span>
                <span class="row-subject">
                  {planning.value[session.name] === undefined ? (
                    `${countNoun(session.turns, 'turn')}${session.agent === null ? '' : ` with ${asPlainLine(session.agent)}`}`
                  ) : (
                    <Foreign text={planning.value[session.name]!} />
                  )}
                </span>
              </span>
              <span class="row-side">
                {session.changedAt !== null && (
                  <time class="muted" dateTime={session.changedAt}>
                    {timeAgo(session.changedAt)}
                  </time>
                )}
              </span>
              <Icon name="right" />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
