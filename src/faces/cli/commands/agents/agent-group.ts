import { commandGroup } from '../../command.js';
import { briefCommand } from './brief.js';
import { checkReportCommand } from './check.js';
import { contextMapCommand } from './context-map.js';
import { decideCommand } from './decide.js';
import { listAgentsCommand } from './list.js';
import { mergeCommand } from './merge.js';
import { runAgentCommand } from './run.js';
import { schemaCommand } from './schema.js';
import { statsCommand } from './stats.js';

export const agentCommand = commandGroup('agent', [
  listAgentsCommand,
  briefCommand,
  runAgentCommand,
  schemaCommand,
  checkReportCommand,
  mergeCommand,
  contextMapCommand,
  decideCommand,
  statsCommand,
])
  .description('brief subagents, check their reports, and see how reliable they are')
  .usage('<command> [options]')
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .helpText(`Examples:
  teddy agent list
  teddy agent run investigator --with claude --goal "Where is login done?"
  teddy agent brief investigator --task-id auth-1 --goal "Where is login done?"
  teddy agent check report.json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude`);
