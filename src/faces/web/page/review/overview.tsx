import { useState } from 'preact/hooks';
import type { ActionView, RunView } from '../../api.js';
import { useKeys } from '../keys.js';
import { Foreign, ForeignLine } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { Prose } from '../parts/prose.js';
import { countNoun } from '../parts/words.js';
import { linkTo } from '../route.js';
import { type PlanRisk, risksOf } from './risks.js';

/** What the plan is for, and what in it deserves a second look: before any action. The rationale folds. */
export function PlanOverview({ run, isOpen }: { run: RunView; isOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const risks = risksOf(run.actions, run.taskFiles ?? null);
  const open = chosen ?? isOpen;
  useKeys({
    r: () => {
      setChosen(!open);
      document.querySelector('.run-main')?.scrollTo(0, 0);
    },
  });
  return (
    <section class="overview">
      {risks.length > 0 && <Risks risks={risks} run={run.id} isCompact={!open} />}
      <button
        type="button"
        class="overview-toggle"
        aria-expanded={open}
        aria-keyshortcuts="r"
        onClick={() => setChosen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} />
        Rationale
        {run.issues.length > 0 && (
          <span class="muted">{countNoun(run.issues.length, 'note')} on the plan</span>
        )}
        <span aria-hidden="true" class="key-hint">
          r
        </span>
      </button>
      {open && (
        <div class="overview-body">
          <Prose text={run.plan!.rationale} />
          {run.issues.length > 0 && (
            <ul class="plan-issues" aria-label="Notes on the plan">
              {run.issues.map((issue, at) => (
                <li key={at}>
                  <Foreign text={issue.message} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}

/** One line for each risk, with its actions; compact: all in one line, each with the number of its actions. */
function Risks({ risks, run, isCompact }: { risks: readonly PlanRisk[]; run: string; isCompact: boolean }) {
  return (
    <ul class={isCompact ? 'risks compact' : 'risks'} aria-label="Risks">
      {risks.map((risk) => (
        <li key={risk.heading} class={risk.isGrave ? 'grave' : ''}>
          <Icon name={risk.icon} />
          {isCompact ? (
            <a href={linkTo('runs', run, risk.actions[0]!.number)}>
              {risk.heading}
              {risk.actions.length > 1 && ` (${risk.actions.length})`}
            </a>
          ) : (
            <RiskLine risk={risk} run={run} />
          )}
        </li>
      ))}
    </ul>
  );
}

const MOST_LINKS = 8;

function RiskLine({ risk, run }: { risk: PlanRisk; run: string }) {
  const more = risk.actions.length - MOST_LINKS;
  return (
    <span>
      {risk.heading}
      {': '}
      {risk.actions.slice(0, MOST_LINKS).map((action: ActionView, at) => (
        <span key={action.number}>
          {at > 0 && ', '}
          <a href={linkTo('runs', run, action.number)}>
            <code>
              <ForeignLine text={action.label} />
            </code>
          </a>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}
