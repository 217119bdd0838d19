import type { ChangesItem } from '../../api.js';
import { Chip } from '../parts/controls.js';
import { ForeignLine } from '../parts/foreign.js';
import { timeAgo } from '../parts/words.js';
import { linkTo } from '../route.js';
import { useLoaded } from '../store.js';

type Shown = Pick<ChangesItem, 'status' | 'reviewed'>;

const STATES: Record<ChangesItem['status'], { tone: 'accent' | 'warn' | 'neutral'; words: string }> = {
  running: { tone: 'accent', words: 'Agent is working' },
  interrupted: { tone: 'warn', words: 'Interrupted' },
  pending: { tone: 'accent', words: 'Not reviewed' },
  'in-review': { tone: 'accent', words: 'In review' },
};

const REVIEWED = { tone: 'neutral', words: 'Reviewed' } as const;

/** What agents work on, and what is left after a review; changes that wait for theirs are among the questions. */
export function AgentWork() {
  const { value } = useLoaded<ChangesItem[]>('/api/changes');
  const shown =
    value?.filter(({ status, reviewed }) => status === 'running' || (reviewed && status === 'pending')) ?? [];
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="agent-work" class="recent">
      <h2 id="agent-work">Work of agents</h2>
      <ul class="lines">
        {shown.map((item) => (
          <li key={item.id}>
            <a class="line-link" href={linkTo('changes', item.id)}>
              <StatusChip work={item} />
              <span class="line-title">
                <ForeignLine text={item.title} />
              </span>
              <span class="mono muted run-id">{item.id}</span>
              <time class="muted" dateTime={item.createdAt}>
                {timeAgo(item.createdAt)}
              </time>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function StatusChip({ work: { status, reviewed } }: { work: Shown }) {
  const { tone, words } = status === 'pending' && reviewed ? REVIEWED : STATES[status];
  return <Chip tone={tone}>{words}</Chip>;
}
