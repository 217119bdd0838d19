import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../api.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { BackLink, NotLoaded } from '../parts/page-head.js';
import { timeAgo } from '../parts/words.js';
import { replaceRoute } from '../route.js';
import { useLoaded } from '../store.js';
import { RunStatusChip } from '../views/run-status.js';
import { ActionPanel } from './action/action-panel.js';
import { entriesOf, isDecided, type ReviewEntry } from './entries.js';
import { EntryList } from './entry-list.js';
import { RunOverview } from './overview.js';
import { RefusedRun } from './refused-plan.js';
import { RunOutcome } from './run-outcome.js';
import { StatePanel } from './state-panel.js';

/** One run: its review while it is open, its output while it runs, and its result. */
export function RunPage({ id, selected }: { id: string; selected: string | undefined }) {
  const { value: run, failure } = useLoaded<RunView>(`/api/runs/${encodeURIComponent(id)}`);
  if (run === null) return <NotLoaded failure={failure} icon="question" what="This run" />;
  return <OpenRun key={run.id} run={run} selected={selected} />;
}

function OpenRun({ run, selected }: { run: RunView; selected: string | undefined }) {
  const main = useRef<HTMLElement>(null);
  const [listOpen, setListOpen] = useState(false);
  const entries = entriesOf(run);
  const asked = entries.find(({ question }) => question !== null);
  const lastAsked = useRef(asked?.key);
  const find = (wanted: string | undefined) => entries.find(({ key }) => key === wanted);
  // An action that was answered stays in view while it runs.
  const current = find(selected) ?? asked ?? find(lastAsked.current) ?? entries[0];
  const [moved, setMoved] = useState(false);
  const isNew = run.overall === null && !entries.some(isDecided);
  useNextQuestion(run, asked, current, lastAsked, () => setMoved(true));

  const select = (entry: ReviewEntry | undefined) => {
    if (entry === undefined || entry === current) return;
    setMoved(true);
    setListOpen(false);
    replaceRoute('runs', run.id, entry.key);
    main.current!.scrollTop = 0;
  };
  const step = (by: 1 | -1) => select(entries[entries.indexOf(current!) + by]);
  useKeys({ j: () => step(1), k: () => step(-1) });

  return (
    <div class={`run-page ${listOpen ? 'list-open' : ''} ${entries.length === 0 ? 'without-list' : ''}`}>
      <aside class="run-side">
        <button
          type="button"
          class="list-toggle"
          aria-expanded={listOpen}
          onClick={() => setListOpen(!listOpen)}
        >
          <Icon name={listOpen ? 'up' : 'down'} />
          {current === undefined ? 'Actions' : `${current.name} of ${run.actions.length}`}
        </button>
        <EntryList run={run} entries={entries} current={current} onSelect={select} />
      </aside>
      <section class="run-main scroller" ref={main} aria-label="Run">
        <RunHead run={run} />
        {run.status === 'refused' && <RefusedRun run={run} />}
        <RunOutcome run={run} />
        {run.status !== 'refused' && <RunOverview key={String(isNew)} run={run} isOpen={isNew && !moved} />}
        {current?.kind === 'action' && <ActionPanel key={current.key} run={run} view={current.view} />}
        {current?.kind === 'state' && <StatePanel key={current.key} run={run} view={current.view} />}
        {asked !== undefined && asked !== current && (
          <WaitingElsewhere entry={asked} onShow={() => select(asked)} />
        )}
      </section>
    </div>
  );
}

/** The user looks at something that is not asked about. */
function WaitingElsewhere({ entry, onShow }: { entry: ReviewEntry; onShow(): void }) {
  return (
    <div class="elsewhere">
      <p>{entry.name} is waiting for you.</p>
      <Button icon="question" onClick={onShow}>
        Show it
      </Button>
    </div>
  );
}

function RunHead({ run }: { run: RunView }) {
  return (
    <header class="run-head">
      <div class="run-facts">
        <BackLink to="inbox" />
        <RunStatusChip run={run} />
        <span class="mono muted run-id">{run.id}</span>
        <time class="muted" dateTime={run.startedAt}>
          {timeAgo(run.startedAt)}
        </time>
      </div>
      <h1>{run.title === null ? 'A plan without a title' : <Foreign text={run.title} />}</h1>
    </header>
  );
}

/** After an answer, the next question of the same run is shown; a user who looks at something else stays there. */
function useNextQuestion(
  run: RunView,
  asked: ReviewEntry | undefined,
  current: ReviewEntry | undefined,
  last: { current: string | undefined },
  onMove: () => void,
): void {
  useEffect(() => {
    const wasHere = last.current !== undefined && last.current === current?.key;
    if (asked !== undefined && asked.key !== last.current && wasHere) {
      onMove();
      replaceRoute('runs', run.id, asked.key);
      document.querySelector('.run-main')?.scrollTo(0, 0);
    }
    if (asked !== undefined) last.current = asked.key;
  }, [asked?.key]);
}
