import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { areKeysPaused, useKeys } from './keys.js';
import { askPermission, permission } from './notifications.js';
import { Foreign } from './parts/foreign.js';
import { Icon, type IconName } from './parts/icons.js';
import { asPlainLine } from './parts/words.js';
import { goTo, linkTo, route } from './route.js';
import { connection, inbox, notice } from './store.js';
import { Banners } from './views/banners.js';
import { Help } from './views/help.js';
import { InboxPage } from './views/inbox.js';
import { later } from './views/later.js';
import { NeedsLink } from './views/needs-link.js';
import { RunsPage } from './views/runs.js';

const VIEWS: readonly { word: string; label: string; icon: IconName }[] = [
  { word: 'inbox', label: 'Inbox', icon: 'inbox' },
  { word: 'runs', label: 'Runs', icon: 'runs' },
  { word: 'sessions', label: 'Sessions', icon: 'sessions' },
  { word: 'tasks', label: 'Tasks', icon: 'tasks' },
  { word: 'metrics', label: 'Metrics', icon: 'metrics' },
];

// Two parts: with one for each view, their shared code would come in a dozen files.
const reviewParts = () => import('./review/review-views.js');
const projectParts = () => import('./views/project-views.js');
const RunPage = later(async () => (await reviewParts()).RunPage);
const ChangesPage = later(async () => (await reviewParts()).ChangesPage);
const QuestionPage = later(async () => (await projectParts()).QuestionPage);
const SessionsPage = later(async () => (await projectParts()).SessionsPage);
const SessionPage = later(async () => (await projectParts()).SessionPage);
const TasksPage = later(async () => (await projectParts()).TasksPage);
const MetricsPage = later(async () => (await projectParts()).MetricsPage);
const MetricResultsPage = later(async () => (await projectParts()).MetricResultsPage);

export function App() {
  const helping = useSignal(false);
  useKeys({
    '?': () => {
      helping.value = true;
    },
    1: () => goTo('inbox'),
    2: () => goTo('runs'),
    3: () => goTo('sessions'),
    4: () => goTo('tasks'),
    5: () => goTo('metrics'),
  });
  if (connection.value === 'refused') return <NeedsLink />;
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <Header
        onHelp={() => {
          helping.value = true;
        }}
      />
      <Banners />
      <main id="main" class="scroller" tabIndex={-1}>
        <CurrentView />
      </main>
      <Notice />
      {areKeysPaused.value && <PausedKeys />}
      {helping.value && (
        <Help
          onClose={() => {
            helping.value = false;
          }}
        />
      )}
    </>
  );
}

function CurrentView(): ComponentChildren {
  const [view = 'inbox', name, part] = route.value;
  if (view === 'runs') return name === undefined ? <RunsPage /> : <RunPage id={name} selected={part} />;
  if (view === 'sessions')
    return name === undefined ? <SessionsPage /> : <SessionPage key={name} name={name} />;
  if (view === 'tasks') return <TasksPage selected={name} />;
  if (view === 'metrics')
    return name === undefined ? <MetricsPage /> : <MetricResultsPage figure={name} of={part} />;
  if (view === 'changes' && name !== undefined) return <ChangesPage key={name} id={name} />;
  if (view === 'questions' && name !== undefined) return <QuestionPage key={name} id={name} />;
  return <InboxPage />;
}

function Header({ onHelp }: { onHelp(): void }) {
  const current = route.value[0] ?? 'inbox';
  const root = inbox.value?.root ?? '';
  const count = inbox.value?.questions.length ?? 0;
  return (
    <header class="top">
      <a class="brand" href={linkTo('inbox')}>
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span class="project" title={asPlainLine(root)}>
          <Foreign text={root.split('/').at(-1) || 'teddy'} />
        </span>
      </a>
      <nav aria-label="Views">
        {VIEWS.map(({ word, label, icon }) => (
          <a
            key={word}
            href={linkTo(word)}
            {...(current === word ? { 'aria-current': 'page' as const } : {})}
          >
            <Icon name={icon} />
            <span>{label}</span>
            {word === 'inbox' && count > 0 && (
              <span class="badge">
                {count}
                <span class="unseen"> open</span>
              </span>
            )}
          </a>
        ))}
      </nav>
      <div class="top-tools">
        <ConnectionDot />
        {permission.value === 'default' && (
          <button type="button" class="button quiet" onClick={() => void askPermission()}>
            <Icon name="bell" />
            <span>Notify me</span>
          </button>
        )}
        <button
          type="button"
          class="button quiet"
          aria-label="Keyboard help"
          aria-keyshortcuts="?"
          onClick={onHelp}
        >
          <Icon name="keyboard" />
        </button>
      </div>
    </header>
  );
}

function ConnectionDot() {
  const words = { connecting: 'Connecting', open: 'Connected', lost: 'Reconnecting', refused: 'Refused' };
  return (
    <span class={`connection ${connection.value}`} role="status" title={words[connection.value]}>
      <span class="unseen">{words[connection.value]}</span>
    </span>
  );
}

/** What was typed is meant for a text box that is not there yet, or no longer. */
function PausedKeys() {
  return (
    <div class="notice" role="status">
      <span>
        Shortcuts are paused: there is no text box for what you type. <kbd>Esc</kbd> resumes them.
      </span>
    </div>
  );
}

function Notice() {
  if (notice.value === null) return null;
  return (
    <div class="notice" role="alert">
      <span>
        <Foreign text={notice.value} />
      </span>
      <button
        type="button"
        class="button quiet"
        aria-label="Dismiss"
        onClick={() => {
          notice.value = null;
        }}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
