import { useState } from 'preact/hooks';
import type { RunView } from '../../api.js';
import { send } from '../client.js';
import { useKeys } from '../keys.js';
import { Button, CopyButton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { countNoun } from '../parts/words.js';
import { attempt } from '../store.js';
import { UndoDialog } from './undo-dialog.js';

/** What a run does now, or what it did: stop, summary, undo, report. */
export function RunOutcome({ run }: { run: RunView }) {
  const [undoing, setUndoing] = useState(false);
  const canUndo = run.overall !== null && !run.undone;
  useKeys(canUndo ? { u: () => setUndoing(true) } : {});
  const stop = () => void attempt(() => send('POST', `/api/runs/${encodeURIComponent(run.id)}/stop`, {}));
  if (run.status === 'running')
    return (
      <div class="outcome running">
        <p role="status">
          <span class="spinner" aria-hidden="true" />
          <Running run={run} />
        </p>
        <Button kind="danger" icon="stop" onClick={stop}>
          Stop
        </Button>
      </div>
    );
  if (run.overall === null) return null;
  return (
    <div class={`outcome ${run.overall.toLowerCase()}`}>
      <div>
        <p>{summarize(run)}</p>
        {run.interrupted !== null && (
          <p class="muted">
            <Icon name="warning" /> <Foreign text={run.interrupted} />
          </p>
        )}
        {run.undone && <p class="muted">This run was undone.</p>}
      </div>
      <div class="outcome-buttons">
        {run.report !== null && <CopyButton text={run.report}>Copy the report</CopyButton>}
        {canUndo && (
          <Button icon="undo" shortcut="u" onClick={() => setUndoing(true)}>
            Undo
          </Button>
        )}
      </div>
      {run.report !== null && (
        <details class="report">
          <summary>The report</summary>
          <pre class="block">
            <Foreign text={run.report} />
          </pre>
        </details>
      )}
      {undoing && <UndoDialog run={run.id} onClose={() => setUndoing(false)} />}
    </div>
  );
}

function Running({ run }: { run: RunView }) {
  const action = run.actions.find(({ status }) => status === 'running');
  if (action === undefined) return <>Running</>;
  return (
    <>
      Running action {action.number}:{' '}
      <code>
        <Foreign text={action.label} />
      </code>
    </>
  );
}

function summarize({ actions }: RunView): string {
  const count = (status: string) => actions.filter((action) => action.status === status).length;
  const parts = [
    [count('success'), 'done'],
    [count('failure'), 'failed'],
    [count('skipped'), 'skipped'],
    [count('not-run'), 'not run'],
  ] as const;
  const words = parts.filter(([number]) => number > 0).map(([number, name]) => `${number} ${name}`);
  return `${countNoun(actions.length, 'action')}: ${words.join(', ')}.`;
}
