import type { ComponentChildren } from 'preact';
import type { RequestFailure } from '../client.js';
import { linkTo } from '../route.js';
import { EmptyState, Skeleton } from './controls.js';
import { Foreign } from './foreign.js';
import { Icon, type IconName } from './icons.js';

const LABELS = { inbox: 'Inbox', sessions: 'Sessions', metrics: 'Metrics' } as const;

type ParentView = keyof typeof LABELS;

interface PageHeadProps {
  title: ComponentChildren;
  /** The view that this one belongs to. */
  parent?: ParentView;
  children?: ComponentChildren;
}

export function PageHead({ title, parent, children }: PageHeadProps) {
  return (
    <header class="page-head">
      {parent !== undefined && (
        <p class="page-parent">
          <BackLink to={parent} />
        </p>
      )}
      <h1>{title}</h1>
      {children}
    </header>
  );
}

export function BackLink({ to }: { to: ParentView }) {
  return (
    <a href={linkTo(to)} class="back">
      <Icon name="left" />
      {LABELS[to]}
    </a>
  );
}

interface NotLoadedProps {
  /** Null: it is being loaded. */
  failure: RequestFailure | null;
  icon: IconName;
  /** `This run` */
  what: string;
}

/** In place of what the server has not sent, or cannot send. */
export function NotLoaded({ failure, icon, what }: NotLoadedProps) {
  if (failure === null)
    return (
      <div class="column">
        <Skeleton rows={6} />
      </div>
    );
  return (
    <EmptyState icon={icon} title={`${what} cannot be shown`}>
      <p>
        <Foreign text={failure.message} />
      </p>
    </EmptyState>
  );
}
