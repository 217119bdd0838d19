import { onTestFinished } from 'vitest';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { Site, type SiteOptions, until } from '../sessions/site.js';
import { Editor, type EditorUser } from './editor.js';

export interface EditorStory {
  site: Site;
  model: ModelServer;
  open(user: EditorUser): Promise<Editor>;
}

/** A trusted project and a scripted model; `open` starts an editor with its `teddy acp`. */
export async function beginStory(
  steps: ModelStep[],
  options: SiteOptions & { files?: Record<string, string> } = {},
): Promise<EditorStory> {
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  const { files = { 'README.md': 'A larder.\n' } } = options;
  const site = new Site(files, { url: model.url, ...options });
  const trusted = await site.run(['trust', '--yes']);
  if (trusted.exit !== 0) throw new Error(trusted.stderr);
  return { site, model, open: (user) => Editor.open(site, user) };
}

/** Resolves once the model has sent that many characters of its answer to a turn, and sends no more. */
export function fallsSilent(site: Site, session: string, turn: string, after: number): Promise<void> {
  const draft = `.teddy/sessions/${session}/${turn}/answer.part`;
  const isSilent = () => site.has(draft) && [...site.read(draft)].length >= after;
  return until(isSilent, `the model is silent in turn ${turn}`);
}
