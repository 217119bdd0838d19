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
  .description('start a session: a conversation with an agent, kept as plain files')
  .argument('<name>', 'letters, digits, ".", "_" and "-"')
  .option('--agent <name>', 'the planner that starts (default: assistant); see teddy agent list')
  .run(beginSession)
  .helpText(`Examples:
  teddy new login
  teddy new login --agent architect
  echo src/login/ >> .teddy/sessions/login/session.context
  teddy plan -m "Lock accounts after five wrong passwords."

The files that the agent sees are listed in session.context: one path, folder,
glob or URL per line; ! excludes.`);

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
      `Session ${visibleLine(session)} is ready, with the agent ${visibleLine(agent)}.`,
      `List the files that it should always see in ${visibleLine(context)}, one path per line.`,
      'Next: teddy chat to work with your model, or teddy context to use any chat window.',
      '',
    ].join('\n'),
  );
  return 0;
}
