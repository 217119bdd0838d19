import { writeError } from '../../../../node/terminal/terminal.js';
import { newSession } from '../../../../sessions/sessions.js';
import { Sessions } from '../../../../sessions/turns/sessions.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visibleLine } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';

interface Options extends GlobalOptions {
  agent?: string;
}

export const newCommand = new TeddyCommand('new')
  .description('begin a session: turns with an agent, each kept as plain files')
  .argument('<name>', 'letters, digits, ".", "_" and "-"')
  .option('--agent <name>', 'the planner that begins (default: assistant); teddy agent list')
  .run(beginSession)
  .helpText(`Examples:
  teddy new login
  teddy new login --agent architect
  echo src/login/ >> .teddy/sessions/login/session.context
  teddy plan -m "Lock accounts after five wrong passwords."

What the agent is to see stands in session.context: one path, folder, glob or
URL a line, ! before what it is not to see.`);

export async function beginSession(name: string, options: Options): Promise<number> {
  const project = await openProject(options);
  await trustAgents(project, options);
  const { root, workspace } = project;
  const sessions = new Sessions(workspace);
  const { meta, folder } = await newSession(workspace, sessions, name, options.agent);
  const context = `.teddy/sessions/${meta.session}/session.context`;
  const { session, turn, agent } = meta;
  printResult(root, options, { session, turn, agent, folder, context }, () => [visibleLine(folder)]);
  if (options.json) return 0;
  writeError(
    [
      `The session ${visibleLine(session)} begins, with the agent ${visibleLine(agent)}.`,
      `What it is to see in every turn stands in ${visibleLine(context)}, one path a line.`,
      'Next: teddy plan -m "what you want" asks your model; teddy context copies it all for a chat.',
      '',
    ].join('\n'),
  );
  return 0;
}
