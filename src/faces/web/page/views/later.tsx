import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { EmptyState, Skeleton } from '../parts/controls.js';

/** A view whose code is loaded when it is first shown: the inbox must not wait for it. */
export function later<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  const loaded = signal<FunctionComponent<P> | 'failed' | null>(null);
  const start = () => {
    load().then(
      (view) => {
        loaded.value = view;
      },
      () => {
        loaded.value = 'failed';
      },
    );
  };
  return function Later(props) {
    useEffect(() => {
      if (loaded.peek() === null) start();
    }, []);
    const View = loaded.value;
    if (View === 'failed')
      return (
        <EmptyState icon="warning" title="This view could not be loaded">
          <p>Reload the page, then try again.</p>
        </EmptyState>
      );
    if (View === null)
      return (
        <div class="column">
          <Skeleton rows={6} />
        </div>
      );
    return <View {...props} />;
  };
}
