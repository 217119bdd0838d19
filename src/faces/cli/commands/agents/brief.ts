import { briefAgent } from '../../../../agents/brief-agent.js';
import { now } from '../../../../node/clock.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { printResult, visible } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';
import { addBriefOptions, type BriefWords, readBriefOptions, requireOption } from './brief-options.js';

export const briefCommand = addBriefOptions(
  new TeddyCommand('brief')
    .description("print an agent's briefing: its task, the report contract, an example report")
    .argument('<name>', 'the agent; teddy agent list shows them')
    .option('--task-id <id>', 'required: an id of your choice that the report repeats'),
)
  .run(brief)
  .helpText(`Examples:
  teddy agent brief investigator --task-id auth-1 --goal "Where is login done?"
  teddy agent brief implementer --task-id auth-2 --goal "Add rate limits" \\
    --scope 'src/auth/**' 'test/**' --context-map map.json
  teddy agent brief reviewer --task-id auth-3 --goal "Review the change" \\
    --field criteria="Every route is limited." --verbosity summary

The briefing goes to standard output. The request and the state of the files are
saved in .teddy/reports; teddy agent check compares the report with them.`);

async function brief(agent: string, options: BriefWords): Promise<number> {
  const project = await openProject(options);
  const about = 'an id of your choice that the report repeats';
  const taskId = requireOption(options.taskId, '--task-id', about, 'brief');
  const request = await readBriefOptions(agent, taskId, options, 'brief', project);
  await trustAgents(project, options);
  const { path, notes } = await briefAgent({
    ...request,
    now: now(),
    // Printed before the state of the files is recorded: standard output may be one of them.
    onText: (text) => printResult(project.root, options, { briefing: text }, () => visible(text)),
  });
  for (const note of notes) writeError(`${visible(note)}\n`);
  writeError(`Saved in ${path}.\n`);
  return 0;
}
