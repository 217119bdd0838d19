import type { ChangesItem } from '../../api.js';
import { Chip } from '../parts/controls.js';
import { ForeignLine } from '../parts/foreign.js';
import { timeAgo } from '../parts/words.js';
import { linkTo } from '../route.js';
import { useLoaded } from '../store.js';

const STATES: Record<ChangesItem['status'], { tone: 'accent' | 'warn' | 'neutral'; words: string }> = {
  running: { tone: 'accent', words: 'Agent is working' },
  interrupted: { tone: 'warn', words: 'Interrupted' },
  pending: { tone: 'accent', words: 'Not reviewed' },
  'in-review': { tone: 'accent', words: 'In review' },
};

/** Undecided changes of agents in copies of the project; a review of it is among the questions. */
export function AgentWork() {
  const { value } = useLoaded<ChangesItem[]>('/api/changes');
  const waiting = value?.filter(({ status }) => status !== 'in-review') ?? [];
  if (waiting.length === 0) return null;
  return (
    <section aria-labelledby="agent-work" class="recent">
      <h2 id="agent-work">Work of agents</h2>
      <ul class="lines">
        {waiting.map((item) => (
          <li key={item.id}>
            <a class="line-link" href={linkTo('changes', item.id)}>
              <StatusChip status={item.status} />
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

export function StatusChip({ status }: { status: ChangesItem['status'] }) {
  const { tone, words } = STATES[status];
  return <Chip tone={tone}>{words}</Chip>;
}
