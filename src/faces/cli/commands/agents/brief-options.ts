import { type BriefOptions, requireVerbosity } from '../../../../agents/brief-agent.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import type { TeddyCommand } from '../../command.js';
import { decodeInput, readInput } from '../../input.js';
import type { GlobalOptions } from '../../output.js';
import type { Project } from '../../project.js';
import { LEVEL } from './read-report.js';

/** The options of all commands that brief an agent. */
export interface BriefWords extends GlobalOptions {
  taskId?: string;
  goal?: string;
  verbosity: string;
  contextMap?: string;
  scope?: string[];
  field?: string[];
}

export function addBriefOptions(command: TeddyCommand): TeddyCommand {
  return command
    .option('--goal <text>', 'required: what the agent must achieve')
    .option('--verbosity <level>', `how much to report: ${LEVEL}`, 'detailed')
    .option('--context-map <file>', 'a context map, or a report with one; its lines are included')
    .option('--scope <glob...>', 'files the agent may change; the check reports any others')
    .option('--field <name=text...>', "other briefing fields of the agent's manual");
}

export async function readBriefOptions(
  agent: string,
  taskId: string,
  options: BriefWords,
  command: 'brief' | 'run',
  { workspace }: Project,
): Promise<Omit<BriefOptions, 'now' | 'onText'>> {
  const { goal, verbosity, scope = [], field = [], contextMap } = options;
  return {
    workspace,
    agent,
    taskId,
    goal: requireOption(goal, '--goal', 'what the agent must achieve', command),
    verbosity: requireVerbosity(verbosity),
    scope,
    fields: readFields(field),
    contextMap: contextMap === undefined ? null : decodeInput(await readInput(contextMap, 'report')),
    environment: environmentVariables(),
  };
}

export function requireOption(
  value: string | undefined,
  option: string,
  about: string,
  command: 'brief' | 'run',
): string {
  if (value !== undefined) return value;
  throw new UserError(`${option} is missing (${about}); see teddy agent ${command} --help.`, {
    isUsage: true,
  });
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
