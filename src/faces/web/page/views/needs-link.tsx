import { CommandLine, EmptyState } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { refusal } from '../store.js';

/** This tab has no token, or the server no longer takes it. */
export function NeedsLink() {
  return (
    <main class="scroller alone">
      <EmptyState icon="shield" title="This page needs a new link">
        <p>
          {refusal.value === null ? 'Each link works once, in one tab.' : <Foreign text={refusal.value} />}
        </p>
        <p>In the terminal where teddy web runs, press Enter for another link. Or start it again:</p>
        <CommandLine command="teddy web" />
      </EmptyState>
    </main>
  );
}
