import { DEFAULT_PLANNER, findPlanner, listPlanners, renderPrompt } from '../../../../agents/planners.js';
import { maskerFor } from '../../../../config/redactor.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { Sessions } from '../../../../sessions/turns/sessions.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { deliverText } from '../../deliver.js';
import type { GlobalOptions } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';

interface Options extends GlobalOptions {
  copy: boolean;
}

export const getPromptCommand = new TeddyCommand('get-prompt')
  .description('copy the instructions that teach an AI to write plans')
  .argument('[name]', "the planner (default: the session's, else assistant)")
  .option('--no-copy', 'print it instead')
  .run(getPrompt)
  .helpText(`Examples:
  teddy get-prompt developer        then paste it into a new chat
  teddy get-prompt --no-copy        print it instead
  teddy get-prompt architect > architect.txt`);

/** The system prompt of the named planner, of the last used session's planner, or of the default one. */
export async function getPrompt(name: string | undefined, options: Options): Promise<number> {
  const project = await openProject(options);
  await trustAgents(project, options);
  const { root, workspace } = project;
  const found = findPlanner(workspace, name ?? currentAgent(workspace) ?? DEFAULT_PLANNER);
  if (found.status !== 'found') throw new UserError(found.reason);
  const mask = maskerFor(null, environmentVariables());
  const prompt = mask(renderPrompt(found.planner, listPlanners(workspace)));
  const { name: agent, path } = found.planner;
  const instead =
    'Paste it into a new chat, say what you want, copy the whole answer, then run:\n  teddy execute\n';
  const delivery = { what: `the prompt of ${agent}`, root, json: { agent, path, prompt }, instead };
  await deliverText(prompt, delivery, options);
  return 0;
}

function currentAgent(workspace: Workspace): string | undefined {
  const sessions = new Sessions(workspace);
  const session = sessions.current();
  return session === undefined ? undefined : sessions.metas(session).at(-1)?.agent;
}
