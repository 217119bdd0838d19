import type { ActionView } from '../../api.js';
import type { IconName } from '../parts/icons.js';

/** One kind of risk, with the actions that have it. */
export interface PlanRisk {
  icon: IconName;
  words: string;
  actions: ActionView[];
}

const TESTS = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|spec)\.[\w.]+$/i;
const SCRIPTS =
  /(?:^|\/)(?:package\.json|Makefile|Dockerfile|Jenkinsfile|justfile|\.github\/|\.ci\/|\.gitlab-ci\.yml|scripts?\/|bin\/)|\.(?:sh|bash|zsh|ps1)$/i;

/** What deserves a second look, the gravest first. */
export function risksOf(actions: readonly ActionView[]): PlanRisk[] {
  const writes = actions.filter(({ type }) => type === 'CREATE' || type === 'EDIT');
  const own = new Map<string, ActionView[]>();
  for (const action of actions)
    for (const risk of action.risks) own.set(risk, [...(own.get(risk) ?? []), action]);
  const willFail = actions.filter(({ status }) => status === 'will-fail');
  const risks: PlanRisk[] = [
    { icon: 'cross', words: 'Will fail unless edited', actions: willFail },
    ...[...own].map(
      ([words, found]): PlanRisk => ({ icon: 'warning', words: capital(words), actions: found }),
    ),
    { icon: 'terminal', words: 'Runs commands', actions: actions.filter(({ type }) => type === 'EXECUTE') },
    { icon: 'file', words: 'Changes tests', actions: writes.filter(({ label }) => TESTS.test(label)) },
    { icon: 'file', words: 'Changes scripts', actions: writes.filter(({ label }) => SCRIPTS.test(label)) },
  ];
  return risks.filter((risk) => risk.actions.length > 0);
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
