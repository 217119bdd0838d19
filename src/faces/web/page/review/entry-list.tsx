import { useEffect, useRef } from 'preact/hooks';
import type { ActionView, RunView } from '../../api.js';
import { LineCounts } from '../parts/controls.js';
import { PathText } from '../parts/foreign.js';
import { Icon, type IconName } from '../parts/icons.js';
import { type ListHandle, VirtualList } from '../parts/virtual-list.js';
import { asPlainLine } from '../parts/words.js';
import { linkTo } from '../route.js';
import { isDecided, type ReviewEntry } from './entries.js';
import { isViewed } from './viewed.js';

interface EntryListProps {
  run: RunView;
  entries: readonly ReviewEntry[];
  current: ReviewEntry | undefined;
  onSelect(entry: ReviewEntry): void;
}

const ROW_HEIGHT = 46;

const STATES: Record<ActionView['status'], { icon: IconName; words: string }> = {
  planned: { icon: 'ring', words: 'planned' },
  'will-fail': { icon: 'warning', words: 'will fail' },
  asked: { icon: 'question', words: 'waiting for you' },
  approved: { icon: 'check', words: 'approved' },
  decided: { icon: 'check', words: 'decided without a question' },
  running: { icon: 'clock', words: 'running' },
  success: { icon: 'check', words: 'done' },
  failure: { icon: 'cross', words: 'failed' },
  skipped: { icon: 'skip', words: 'skipped' },
  'not-run': { icon: 'dash', words: 'not run' },
};

export function EntryList({ run, entries, current, onSelect }: EntryListProps) {
  const handle = useRef<ListHandle>(null);
  const at = current === undefined ? -1 : entries.indexOf(current);
  useEffect(() => {
    if (at !== -1) handle.current?.reveal(at, 'nearest');
  }, [at]);
  const decided = entries.filter((entry) => entry.kind === 'action' && isDecided(entry)).length;
  return (
    <>
      <div class="side-head">
        <h2>Actions</h2>
        <span class="muted">
          {decided} of {run.actions.length} decided
        </span>
        <progress max={Math.max(1, run.actions.length)} value={decided} aria-label="Decided actions" />
      </div>
      <div class="scroller entry-scroller">
        <VirtualList
          list
          label="Actions"
          class="entries"
          handle={handle}
          count={entries.length}
          source={run.id}
          estimate={() => ROW_HEIGHT}
          keyOf={(row) => entries[row]!.key}
          render={(row) => (
            <EntryRow
              run={run.id}
              entry={entries[row]!}
              isCurrent={row === at}
              onSelect={() => onSelect(entries[row]!)}
            />
          )}
        />
      </div>
    </>
  );
}

interface EntryRowProps {
  run: string;
  entry: ReviewEntry;
  isCurrent: boolean;
  onSelect(): void;
}

function EntryRow({ run, entry, isCurrent, onSelect }: EntryRowProps) {
  const status = statusOf(entry);
  const { icon, words } = STATES[status];
  return (
    <a
      class={`entry ${status}`}
      href={linkTo('runs', run, entry.key)}
      {...(isCurrent ? { 'aria-current': 'true' as const } : {})}
      onClick={(event) => {
        event.preventDefault();
        onSelect();
      }}
    >
      <span class="entry-state" title={words}>
        <Icon name={icon} />
        <span class="unseen">{words}</span>
      </span>
      <span class="entry-main">
        <span class="entry-type">
          {entry.kind === 'action' ? `${entry.view.number} ${entry.view.type}` : 'STATE'}
          {entry.kind === 'action' && isViewed(run, entry.view.number) && (
            <span class="viewed-mark">
              <Icon name="eye" />
              viewed
            </span>
          )}
        </span>
        <PathText path={entry.kind === 'action' ? entry.view.label : entry.view.section} />
      </span>
      {entry.kind === 'action' && entry.view.lines !== null && <LineCounts {...entry.view.lines} />}
      {entry.kind === 'action' && entry.view.lines === null && entry.view.risks.length > 0 && (
        <span
          class="entry-risk"
          title={entry.view.risks.map(({ message }) => asPlainLine(message)).join('\n')}
        >
          <Icon name="warning" />
          <span class="unseen">has risks</span>
        </span>
      )}
    </a>
  );
}

function statusOf(entry: ReviewEntry): ActionView['status'] {
  if (entry.kind === 'action') return entry.view.status;
  if (entry.view.open !== null) return 'asked';
  if (entry.view.record === null) return 'planned';
  return entry.view.record.decision.status === 'approved' ? 'success' : 'skipped';
}
