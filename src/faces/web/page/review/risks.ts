import { RISKS, type RiskKind, risksOfPath } from '../../../../review/risks.js';
import type { ActionView } from '../../api.js';
import type { IconName } from '../parts/icons.js';

/** One kind of risk, with the actions that have it. */
export interface PlanRisk {
  icon: IconName;
  heading: string;
  isGrave: boolean;
  actions: ActionView[];
}

const ICONS: Partial<Record<RiskKind, IconName>> = { command: 'terminal', tests: 'file', scripts: 'file' };

/** What deserves a second look, the gravest first. `taskFiles`: those that the run's task names; null: it has no task. */
export function risksOf(actions: readonly ActionView[], taskFiles: readonly string[] | null): PlanRisk[] {
  const willFail = actions.filter(({ status }) => status === 'will-fail');
  const kinds = actions.map((action) => ({ action, kinds: kindsOf(action, taskFiles) }));
  const risks: PlanRisk[] = [
    { icon: 'cross', heading: 'Will fail unless edited', isGrave: true, actions: willFail },
    ...Object.entries(RISKS).map(([kind, look]) => ({
      icon: ICONS[kind as RiskKind] ?? 'warning',
      ...look,
      actions: kinds.filter((each) => each.kinds.has(kind)).map(({ action }) => action),
    })),
  ];
  return risks.filter((risk) => risk.actions.length > 0);
}

function kindsOf({ type, label, risks }: ActionView, taskFiles: readonly string[] | null): Set<string> {
  const isWrite = type === 'CREATE' || type === 'EDIT';
  return new Set([
    ...risks.map(({ kind }) => kind),
    ...(isWrite ? risksOfPath(label, taskFiles).map(({ kind }) => kind) : []),
    ...(type === 'EXECUTE' ? ['command'] : []),
  ]);
}
