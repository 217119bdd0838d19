import { listAgents as list } from '../../../../agents/agent-files.js';
import type { Agent } from '../../../../agents/types.js';
import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { EVERYWHERE, TeddyCommand } from '../../command.js';
import { openProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { type Paint, paintFor } from '../../paint.js';
import { trustAgents } from '../../project.js';
import { resultJson } from '../../result-json.js';
import { type Cell, cell, tableLines } from '../../table.js';
import { visible, visibleLine } from '../../visible.js';

export const listAgentsCommand = new TeddyCommand('list')
  .description("list the agents: the project's own, and those that come with teddy")
  .run(listAgents)
  .addHelpText(
    'after',
    `
Examples:
  teddy agent list
  teddy agent list --json

A project's own agents are in .teddy/agents/<name>.md. One of the same name
stands before the one that comes with teddy. They count once you trust them;
see teddy trust.

Exit codes: 0 done, 1 an agent's file cannot be used.
${EVERYWHERE}`,
  );

async function listAgents(options: GlobalOptions): Promise<number> {
  const project = await openProject(options);
  // A list uses no agent: it says which of them are not trusted.
  if (options.trust) await trustAgents(project, options);
  const agents = list(project.workspace);
  const paint = paintFor('stdout', options);
  writeOutput(
    options.json
      ? resultJson(project.root, agents.map(agentJson))
      : `${tableLines(agents.map(agentRow), { flexible: 3, paint }).join('\n')}\n`,
  );
  if (!options.json) tellOfProblems(agents, paintFor('stderr', options));
  return agents.some(({ kind }) => kind === 'broken') ? 1 : 0;
}

function agentRow(agent: Agent): Cell[] {
  const from = cell(agent.path === null ? 'built in' : 'project', 'dim');
  switch (agent.kind) {
    case 'subagent':
      return [cell(agent.name, 'bold'), cell('subagent'), from, cell(agent.manual.purpose ?? '')];
    case 'planner':
      return [cell(agent.name, 'bold'), cell('planner'), from, cell(agent.purpose ?? '')];
    case 'broken':
      return [cell(agent.name, 'bold'), cell('broken', 'red'), from, cell(agent.reason)];
  }
}

function tellOfProblems(agents: readonly Agent[], paint: Paint): void {
  for (const agent of agents) {
    if (agent.kind === 'planner' || agent.path === null) continue;
    for (const { severity, line, message, hint, code } of agent.issues) {
      const place = `${visibleLine(agent.path)}${line === undefined ? '' : `:${line}`}`;
      const style = severity === 'error' ? 'red' : 'yellow';
      writeError(`${paint(style, severity)}  ${place}  ${paint('dim', code)}\n  ${visible(message)}\n`);
      if (hint !== undefined) writeError(`  ${paint('cyan', visible(hint))}\n`);
    }
  }
}

function agentJson(agent: Agent) {
  const { name, kind, path } = agent;
  if (kind === 'planner') return { name, kind, path, purpose: agent.purpose };
  if (kind === 'broken') return { name, kind, path, reason: agent.reason, issues: agent.issues };
  const { purpose, whenToUse, briefing, levels, summaryBudget } = agent.manual;
  return { name, kind, path, purpose, whenToUse, briefing, levels, summaryBudget, issues: agent.issues };
}
