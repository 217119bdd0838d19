import { join } from 'node:path';
import type { Config } from '../config/types.js';
import { checkConfinement } from '../confine/check.js';
import { confine, listUnseen } from '../confine/confine.js';
import { isHarmless } from '../confine/home.js';
import type { Confinement, ConfinementTools, ProjectView } from '../confine/types.js';
import { UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import { lookAtFile, realPath } from '../node/files.js';
import { listIgnored } from '../node/git/folder-state.js';
import { openRepository } from '../node/git/work-tree.js';
import { onceReady } from '../node/process/run.js';
import type { RunSettings } from '../runs/run-context.js';
import { findWithheld } from '../workspace/copy/secrets.js';
import type { ExecutorIO } from './executors/types.js';
import type { Worktree } from './isolation/types.js';
import type { OrchestrateOptions, Orchestration, RunConfinement } from './orchestration.js';

type ConfineOptions = Pick<
  OrchestrateOptions,
  'workspace' | 'config' | 'environment' | 'signal' | 'unconfined' | 'acceptUnconfined'
>;

/** Null if the user does not want it. Throws `UserError` where it is not possible and they have not agreed to do without. */
export async function openConfinement(options: ConfineOptions): Promise<RunConfinement | null> {
  const { workspace, config, environment, signal } = options;
  const { on, network, write, hide, bring } = config.confine;
  if (options.unconfined || !on) return null;
  const root = realPath(workspace.root) ?? workspace.root;
  const checked = await checkConfinement({ root, environment, signal });
  if (checked.available) {
    const secrets = await listSecrets(root, bring);
    return { tools: checked.tools, network, write, hide: [...hide, ...secrets] };
  }
  const why = `Executors cannot be confined: ${checked.cause}. ${checked.remedy}.`;
  if (options.acceptUnconfined === undefined) throw new UserError(why);
  await options.acceptUnconfined(why);
  return null;
}

async function listSecrets(root: string, bring: readonly string[]): Promise<string[]> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return [];
  const configs = [...listConfigs(opened.commonFolder), join(opened.tree.gitFolder, 'config.worktree')];
  const listed = await listIgnored(opened.tree);
  const { prefix } = opened;
  const ignored = listed.status === 'ok' ? listed.paths.filter((path) => path.startsWith(prefix)) : [];
  const withheld = findWithheld(
    root,
    ignored.map((path) => path.slice(prefix.length)).filter((path) => path !== '' && !OWN.test(path)),
    bring,
  );
  return [...withheld, ...configs.filter((path) => lookAtFile(path) === 'file' && !isHarmless(path))];
}

/** Of a repository and its submodules: an address of a remote may have a password in it. */
function listConfigs(gitFolder: string): string[] {
  const [config, modules] = [join(gitFolder, 'config'), join(gitFolder, 'modules')];
  const isRepository = lookAtFile(config) === 'file';
  const below = isRepository ? modules : gitFolder;
  const names = lookAtFile(below) === 'folder' ? files.list(below) : [];
  return [...(isRepository ? [config] : []), ...names.flatMap((name) => listConfigs(join(below, name)))];
}

const OWN = /^\.(?:teddy|ultraplan)(?:\/|$)/;

export function confineExecutor(place: Worktree, o: Orchestration): ExecutorIO['confinement'] {
  return o.confinement && confineProgram(place.view('executor'), o.confinement, o.options.config);
}

/** Confines an executor to this view of the project. */
export function confineProgram(
  view: ProjectView,
  confinement: RunConfinement,
  config: Config,
): NonNullable<ExecutorIO['confinement']> {
  const { tools, ...allowed } = confinement;
  const seen = { ...view, ...allowed, home: 'private', terminal: false } as const;
  return confineTo(seen, tools, settingsFor(view, { confinement, options: { config } }));
}

/** What a program sees, and with it what its agent needs. */
export function confineTo(
  seen: Confinement,
  tools: ConfinementTools,
  settings: RunSettings,
): NonNullable<ExecutorIO['confinement']> {
  const seenBy = (agent: string | undefined) => ({ ...seen, ...(agent && { agent }) });
  return {
    start({ agent, ...command }) {
      const confined = confine({ ...command, start: onceReady }, seenBy(agent), tools);
      return { command: { file: confined.program, args: confined.args, gated: true }, env: confined.env };
    },
    listUnseen: ({ agent, ...command }, paths) => listUnseen(paths, command, seenBy(agent), tools),
    settings,
  };
}

/** How commands run that have this view of the project. */
export function settingsFor(
  view: ProjectView,
  { confinement, options }: { confinement: RunConfinement | null; options: { config: Config } },
): RunSettings {
  const { config } = options;
  if (confinement === null) return config;
  const { network, write, hide } = confinement;
  const execute = { ...config.execute, sandbox: true, network: network && config.execute.network };
  return { ...config, execute, confine: { write, hide, view } };
}
