import { useRef } from 'preact/hooks';
import type { RunItem } from '../../api.js';
import { moveFocus, useKeys } from '../keys.js';
import { CommandLine, EmptyState, Skeleton } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { VirtualList } from '../parts/virtual-list.js';
import { countNoun } from '../parts/words.js';
import { useLoaded } from '../store.js';
import { RunRow } from './inbox.js';

const ROW_HEIGHT = 44;

export function RunsPage() {
  const { value } = useLoaded<RunItem[]>('/api/runs');
  const list = useRef<HTMLDivElement>(null);
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) });
  return (
    <div class="column" ref={list}>
      <PageHead title="Runs">
        {value !== null && value.length > 0 && (
          <p class="muted">{countNoun(value.length, 'run')}, newest first</p>
        )}
      </PageHead>
      {value === null && <Skeleton rows={6} />}
      {value?.length === 0 && (
        <EmptyState icon="runs" title="No runs yet">
          <p>A run is one plan, reviewed and executed. Start one:</p>
          <CommandLine command="teddy execute plan.md" />
        </EmptyState>
      )}
      {value !== null && value.length > 0 && (
        <VirtualList
          list
          label="Runs"
          class="lines"
          count={value.length}
          source={value}
          estimate={() => ROW_HEIGHT}
          keyOf={(row) => value[row]!.id}
          render={(row) => <RunRow run={value[row]!} />}
        />
      )}
    </div>
  );
}
