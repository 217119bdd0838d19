import { useState } from 'preact/hooks';
import type { ActionView, RunView } from '../../api.js';
import { useKeys } from '../keys.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { Prose } from '../parts/prose.js';
import { countNoun } from '../parts/words.js';
import { linkTo } from '../route.js';
import { type PlanRisk, risksOf } from './risks.js';

/** What the plan is for, and what in it deserves a second look: before any action. */
export function PlanOverview({ run, isOpen }: { run: RunView; isOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const risks = risksOf(run.actions);
  const open = chosen ?? isOpen;
  useKeys({
    r: () => {
      setChosen(!open);
      document.querySelector('.run-main')?.scrollTo(0, 0);
    },
  });
  return (
    <section class="overview">
      <button
        type="button"
        class="overview-toggle"
        aria-expanded={open}
        aria-keyshortcuts="r"
        onClick={() => setChosen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} />
        Rationale
        {risks.length > 0 && (
          <span class="risk-count">
            <Icon name="warning" />
            {countNoun(risks.length, 'risk')}
          </span>
        )}
        {run.issues.length > 0 && (
          <span class="muted">{countNoun(run.issues.length, 'note')} on the plan</span>
        )}
      </button>
      {open && (
        <div class="overview-body">
          <Prose text={run.plan!.rationale} />
          {risks.length > 0 && (
            <ul class="risks" aria-label="Risks">
              {risks.map((risk) => (
                <li key={risk.words}>
                  <RiskLine risk={risk} run={run.id} />
                </li>
              ))}
            </ul>
          )}
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

const MOST_LINKS = 8;

function RiskLine({ risk, run }: { risk: PlanRisk; run: string }) {
  const more = risk.actions.length - MOST_LINKS;
  return (
    <>
      <Icon name={risk.icon} />
      <span>
        <Foreign text={risk.words} />
        {': '}
        {risk.actions.slice(0, MOST_LINKS).map((action: ActionView, at) => (
          <span key={action.number}>
            {at > 0 && ', '}
            <a href={linkTo('runs', run, action.number)}>
              <code>
                <Foreign text={action.label} />
              </code>
            </a>
          </span>
        ))}
        {more > 0 && ` and ${more} more`}
      </span>
    </>
  );
}
