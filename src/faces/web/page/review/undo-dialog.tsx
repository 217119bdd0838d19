import type { UndoPreview } from '../../api.js';
import { send } from '../client.js';
import { Button, Dialog, Skeleton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { attempt, refresh, useLoaded } from '../store.js';

/** What undoing a run restores and what it cannot, before it does. */
export function UndoDialog({ run, onClose }: { run: string; onClose(): void }) {
  const path = `/api/runs/${encodeURIComponent(run)}`;
  const { value: preview, failure } = useLoaded<UndoPreview>(`${path}/undo`);
  const undo = async (hash: string) => {
    const isDone = await attempt(() => send('POST', `${path}/undo`, { hash }));
    void refresh(isDone ? path : `${path}/undo`);
    if (isDone) onClose();
  };
  return (
    <Dialog title="Undo this run" onClose={onClose}>
      {preview === null && failure === null && <Skeleton rows={2} />}
      {failure !== null && (
        <p>
          <Foreign text={failure.message} />
        </p>
      )}
      {preview !== null && (
        <>
          <Sentences title="Files" icon="undo" sentences={preview.restores} />
          <Sentences title="Not undone" icon="warning" sentences={preview.leaves} />
          {preview.restores.length === 0 && preview.leaves.length === 0 && <p>This run changed no files.</p>}
          <div class="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              kind="primary"
              icon="undo"
              disabled={!preview.canUndo}
              onClick={() => void undo(preview.hash)}
            >
              Undo the run
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Sentences({
  title,
  icon,
  sentences,
}: {
  title: string;
  icon: 'undo' | 'warning';
  sentences: string[];
}) {
  if (sentences.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="sentences">
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Icon name={icon} />
            <span>
              <Foreign text={sentence} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
