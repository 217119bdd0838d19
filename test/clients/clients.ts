import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { planText, Site } from '../cli/orchestrate/site.js';
import { TEDDY } from '../cli/teddy.js';
import { type InstalledClient, REAL_CLIENTS, type RealClient } from './real-clients.js';
import { type Act, type Conversation, type ScriptedModel, startScriptedModel } from './scripted-model.js';

/** As `scripts/test-clients.mjs` installed them, the newest version of each first. */
const INSTALLED: InstalledClient[] = JSON.parse(process.env.TEDDY_CLIENTS ?? '[]');

/** For the title of what is skipped. */
const titleOf = ({ client, version, folder }: InstalledClient) =>
  `${client} ${version}${folder === null ? ' (skipped: it is not available)' : ''}`;

export interface TestedClient extends InstalledClient {
  title: string;
}

export const CLIENTS: TestedClient[] = INSTALLED.map((each) => ({ ...each, title: titleOf(each) }));

export interface ClientSite {
  real: RealClient;
  model: ScriptedModel;
  site: Site;
}

interface ClientSiteOptions {
  config?: string;
  confined?: boolean;
  /** Each may start at once. */
  tasks?: number;
  /** In the home folder. */
  files?: Record<string, string>;
}

/** A project with a task, and a home in which the client is set up for the scripted model. */
export async function openClientSite(
  { client, folder }: InstalledClient,
  decide: (conversation: Conversation) => Act | Promise<Act>,
  options: ClientSiteOptions = {},
): Promise<ClientSite> {
  const real = REAL_CLIENTS[client];
  const model = await startScriptedModel(decide);
  const env = real.environment(model.url);
  const { config = '', confined = true, tasks = 1, files = {} } = options;
  const plan = planText('01-01', tasks, ['parallel: true']);
  const site = new Site({ '01-01': plan }, { git: true, config, confined, env });
  for (const [path, text] of Object.entries({ ...real.files(model.url), ...files }))
    site.writeBeside(path, text);
  symlinkSync(TEDDY, join(site.base, 'bin/teddy'));
  if (real.trust)
    for (const [path, text] of Object.entries(real.trust(site.root)))
      appendFileSync(join(site.base, path), text);
  site.env.PATH = `${folder}:${site.env.PATH}`;
  return { real, model, site };
}
