import { useState } from 'preact/hooks';
import type { ActionView, RunView } from '../../api.js';
import { useKeys } from '../keys.js';
import { Foreign, ForeignLine } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { Prose } from '../parts/prose.js';
import { countNoun } from '../parts/words.js';
import { linkTo } from '../route.js';
import { type PlanRisk, risksOf } from './risks.js';

/** What deserves a second look, and what the plan is for: before any action. */
export function RunOverview({ run, isOpen }: { run: RunView; isOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const risks = risksOf(run.actions, run.taskFiles);
  const open = chosen ?? isOpen;
  const toggle = () => setChosen(!open);
  return (
    <section class="overview">
      {risks.length > 0 && <Risks risks={risks} run={run.id} isCompact={!open} />}
      {run.notes.length > 0 && <Sentences label="Notes on the changes" sentences={run.notes} />}
      {run.plan !== null && (
        <Rationale text={run.plan.rationale} issues={run.issues} open={open} onToggle={toggle} />
      )}
    </section>
  );
}

interface RationaleProps {
  text: string;
  issues: RunView['issues'];
  open: boolean;
  onToggle(): void;
}

/** Folds. */
function Rationale({ text, issues, open, onToggle }: RationaleProps) {
  useKeys({
    r: () => {
      onToggle();
      document.querySelector('.run-main')?.scrollTo(0, 0);
    },
  });
  return (
    <>
      <button
        type="button"
        class="overview-toggle"
        aria-expanded={open}
        aria-keyshortcuts="r"
        onClick={onToggle}
      >
        <Icon name={open ? 'down' : 'right'} />
        Rationale
        {issues.length > 0 && <span class="muted">{countNoun(issues.length, 'note')} on the plan</span>}
        <span aria-hidden="true" class="key-hint">
          r
        </span>
      </button>
      {open && (
        <div class="overview-body">
          <Prose text={text} />
          {issues.length > 0 && (
            <Sentences label="Notes on the plan" sentences={issues.map(({ message }) => message)} />
          )}
        </div>
      )}
    </>
  );
}

function Sentences({ label, sentences }: { label: string; sentences: readonly string[] }) {
  return (
    <ul class="plan-issues" aria-label={label}>
      {sentences.map((sentence, at) => (
        <li key={at}>
          <Foreign text={sentence} />
        </li>
      ))}
    </ul>
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
