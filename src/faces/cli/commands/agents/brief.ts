import { briefAgent, requireVerbosity } from '../../../../agents/brief-agent.js';
import { now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { decodeInput, readInput } from '../../input.js';
import { type GlobalOptions, printResult, visible } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';
import { LEVEL } from './read-report.js';

interface Options extends GlobalOptions {
  taskId?: string;
  goal?: string;
  verbosity: string;
  contextMap?: string;
  scope?: string[];
  field?: string[];
}

export const briefCommand = new TeddyCommand('brief')
  .description("print an agent's briefing: its task, the report contract, an example report")
  .argument('<name>', 'the agent; teddy agent list shows them')
  .option('--task-id <id>', 'required: an id of your choice that the report repeats')
  .option('--goal <text>', 'required: what the agent must achieve')
  .option('--verbosity <level>', `how much to report: ${LEVEL}`, 'detailed')
  .option('--context-map <file>', 'a context map, or a report with one; its lines are included')
  .option('--scope <glob...>', 'files the agent may change; the check reports any others')
  .option('--field <name=text...>', "other briefing fields of the agent's manual")
  .run(brief)
  .helpText(`Examples:
  teddy agent brief investigator --task-id auth-1 --goal "Where is login done?"
  teddy agent brief implementer --task-id auth-2 --goal "Add rate limits" \\
    --scope 'src/auth/**' 'test/**' --context-map map.json
  teddy agent brief reviewer --task-id auth-3 --goal "Review the change" \\
    --field criteria="Every route is limited." --verbosity summary

The briefing goes to standard output. The request and the state of the files are
saved in .teddy/reports; teddy agent check compares the report with them.`);

async function brief(agent: string, options: Options): Promise<number> {
  const project = await openProject(options);
  const request = {
    workspace: project.workspace,
    agent,
    taskId: required(options.taskId, '--task-id', 'an id of your choice that the report repeats'),
    goal: required(options.goal, '--goal', 'what the agent must achieve'),
    verbosity: requireVerbosity(options.verbosity),
    scope: options.scope ?? [],
    fields: readFields(options.field ?? []),
    contextMap:
      options.contextMap === undefined ? null : decodeInput(await readInput(options.contextMap, 'report')),
    environment: environmentVariables(),
    now: now(),
    // Printed before the state of the files is recorded: standard output may be one of them.
    onText: (text: string) => printResult(project.root, options, { briefing: text }, () => visible(text)),
  };
  await trustAgents(project, options);
  const { path, notes } = await briefAgent(request);
  for (const note of notes) writeError(`${visible(note)}\n`);
  writeError(`Saved in ${path}.\n`);
  return 0;
}

function required(value: string | undefined, option: string, about: string): string {
  if (value !== undefined) return value;
  throw new UserError(`${option} is missing (${about}); see teddy agent brief --help.`, { isUsage: true });
}

function readFields(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, text] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
      if (name === undefined || text === undefined)
        throw new UserError(`--field ${JSON.stringify(word)} must have the form name=text.`);
      return [name, text];
    }),
  );
}
