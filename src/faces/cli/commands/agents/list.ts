import { listAgents as list } from '../../../../agents/agent-files.js';
import type { Agent } from '../../../../agents/types.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { issueLines } from '../../issue-lines.js';
import { type GlobalOptions, type Paint, paintFor, printResult, visibleLine } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';
import { type Cell, cell, tableLines } from '../../table.js';

export const listAgentsCommand = new TeddyCommand('list')
  .description("list the agents: the project's and the built-in ones")
  .run(listAgents)
  .helpText(`Examples:
  teddy agent list
  teddy agent list --json
  teddy agent list --root ../shop

A project's agents are in .teddy/agents/<name>.md. They replace built-in agents
of the same name, and count once you trust them (see teddy trust).

Exit codes: 0 success, 1 an agent's file is not usable.`);

async function listAgents(options: GlobalOptions): Promise<number> {
  const project = await openProject(options);
  // Listing uses no agent, so it needs no trust; the list shows which agents are not trusted.
  if (options.trust) await trustAgents(project, options);
  const agents = list(project.workspace);
  printResult(project.root, options, agents.map(agentJson), (paint) =>
    tableLines(agents.map(agentRow), { flexible: 3, paint }),
  );
  if (!options.json) writeProblems(agents, paintFor('stderr', options));
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

function writeProblems(agents: readonly Agent[], paint: Paint): void {
  for (const agent of agents) {
    if (agent.kind === 'planner' || agent.path === null) continue;
    for (const issue of agent.issues) {
      const place = `${visibleLine(agent.path)}${issue.line === undefined ? '' : `:${issue.line}`}`;
      writeError(`${issueLines(issue, place, paint, (text) => text).join('\n')}\n`);
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
