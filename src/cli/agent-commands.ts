import type { Command } from 'commander';
import { addGroup, EVERYWHERE } from './command-group.js';

type Faces = typeof import('./agent-faces.js');

interface Way {
  load(): Promise<Faces>;
  end(exitCode: number): void;
}

const LEVEL = 'summary, detailed or comprehensive';
const CLIENTS = 'what printed the answer: claude, codex, gemini, opencode or text (default: text)';
const LENIENT = 'read a report in a fence or other words, or not quite JSON (default at a terminal)';
const NOT_LENIENT = 'read only one JSON object with nothing around it (default without a terminal)';
const STRICT = 'the report keeps the schema of teddy agent schema --strict';

/** The commands about subagents: what they are told, and whether their reports hold. */
export function agentCommands(load: Way['load']) {
  return (program: Command, setExitCode: Way['end']): void => {
    const way = { load, end: setExitCode };
    const words = ['list', 'brief', 'schema', 'check', 'reduce', 'merge', 'context-map', 'decide', 'stats'];
    const agent = addGroup(program, 'agent', words)
      .description('subagents: brief them, judge what they report, see whom to trust')
      .usage('<command> [options]')
      .configureHelp({ subcommandTerm: (command) => command.name() })
      .addHelpText(
        'after',
        `
Examples:
  teddy agent list
  teddy agent brief investigator --task-id auth-1 --goal "Where is login done?"
  teddy agent check report.json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude
${EVERYWHERE}`,
      );
    addAsking(agent, way);
    addJudging(agent, way);
    addGathering(agent, way);
    addLearning(agent, way);
  };
}

/** Before an agent works. */
function addAsking(agent: Command, { load, end }: Way): void {
  agent
    .command('list')
    .description("list the agents: the project's own, and those that come with teddy")
    .action(async (_, command: Command) => end(await (await load()).listAgents(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy agent list
  teddy agent list --json

A project's own agents are in .teddy/agents/<name>.md. One of the same name
stands before the one that comes with teddy.

Exit codes: 0 done, 1 an agent's file cannot be used.
${EVERYWHERE}`,
    );

  agent
    .command('brief')
    .description('write what an agent is told: its task, the contract, an example of its report')
    .argument('<name>', 'the agent; teddy agent list shows them')
    .option('--task-id <id>', 'needed: what the report is to be known by')
    .option('--goal <text>', 'needed: what is to be reached')
    .option('--verbosity <level>', `how much to report: ${LEVEL}`, 'detailed')
    .option('--context-map <file>', 'a context map, or a report that holds one; its lines are put in')
    .option('--scope <glob...>', 'which files the agent may change; others are told of when it reports')
    .option('--field <name=text...>', "other fields of the manual's briefing")
    .option('--strict', 'for a client that gets the schema of teddy agent schema --strict')
    .action(async (name: string, _, command: Command) =>
      end(await (await load()).brief(name, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent brief investigator --task-id auth-1 --goal "Where is login done?"
  teddy agent brief implementer --task-id auth-2 --goal "Add rate limits" \\
    --scope 'src/auth/**' 'test/**' --context-map map.json
  teddy agent brief reviewer --task-id auth-3 --goal "Review the change" \\
    --field criteria="Every route is limited." --verbosity summary

The briefing goes to standard output. What was asked, and how the files were
then, is kept in .teddy/reports; teddy agent check compares the report with it.
${EVERYWHERE}`,
    );

  agent
    .command('schema')
    .description("print the JSON Schema of an agent's report, for clients that take one")
    .argument('<name>', 'the agent; teddy agent list shows them')
    .option('--strict', 'without maps and optional keys, for models that refuse these')
    .option('--verbosity <level>', `for this level alone: ${LEVEL}`)
    .action(async (name: string, _, command: Command) =>
      end(await (await load()).schema(name, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent schema investigator
  claude -p "$(cat briefing.md)" --output-format json \\
    --json-schema "$(teddy agent schema investigator)"
  teddy agent schema reviewer --strict > reviewer.schema.json
  teddy agent brief reviewer --strict --task-id auth-3 --goal … > briefing.md
  codex exec --json --output-schema reviewer.schema.json - < briefing.md |
    teddy agent check - --from codex --strict
${EVERYWHERE}`,
    );
}

/** What one agent reported. */
function addJudging(agent: Command, { load, end }: Way): void {
  agent
    .command('check')
    .description('judge a report: the contract, its references, its claims; and where it goes')
    .argument('<file>', 'the report, or what a client printed; - for standard input')
    .option('--agent <name>', 'the agent that was asked (default: the one in the report)')
    .option('--task-id <id>', 'the task that was given')
    .option('--verbosity <level>', `the level that was asked for: ${LEVEL}`)
    .option('--from <client>', CLIENTS)
    .option('--lenient', LENIENT)
    .option('--no-lenient', NOT_LENIENT)
    .option('--strict', STRICT)
    .option('--base <commit>', 'compare claimed files with the changes since this commit')
    .action(async (file: string, _, command: Command) =>
      end(await (await load()).check(file, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent check report.json
  teddy agent check report.json --agent reviewer --task-id auth-3 --json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude --task-id auth-1
  teddy agent check answer.txt --lenient

--lenient also reads trailing commas, comments, None, True and False, and a
report that lacks its last brace. Each of these is a warning; comments and a
missing brace go to human-review. Standard output decides whether it is the
default: at a terminal it is, unless --json is given.

Where it goes: accept; human-review, when the agent is not sure of itself, or a
reference or a claim does not hold; blocked; failed, also when the report does
not keep the contract.

Exit codes: 0 it keeps the contract and is not failed, 1 it does not, or it is,
2 not readable.
${EVERYWHERE}`,
    );

  agent
    .command('reduce')
    .description('print a report with less in it')
    .argument('<file>', 'a report that keeps the contract; - for standard input')
    .option('--verbosity <level>', 'needed: detailed or summary')
    .option('--agent <name>', 'the agent whose manual counts (default: the one in the report)')
    .option('--from <client>', CLIENTS)
    .option('--lenient', LENIENT)
    .option('--no-lenient', NOT_LENIENT)
    .option('--strict', STRICT)
    .action(async (file: string, _, command: Command) =>
      end(await (await load()).reduce(file, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent reduce report.json --verbosity summary
  teddy agent reduce - --verbosity detailed < report.json

The manual's marks say what a level holds. What was left out is told on standard
error; what a summary was cut by, in the report's gaps too.

Exit codes: 0 done, 1 the report does not keep the contract, or cannot be
reduced so far, 2 not readable.
${EVERYWHERE}`,
    );
}

/** What many agents reported, and what they point to. */
function addGathering(agent: Command, { load, end }: Way): void {
  agent
    .command('merge')
    .description('make one report of many, for a person to read in a minute')
    .argument('<files...>', 'reports; - for standard input')
    .option('--from <client>', CLIENTS)
    .option('--lenient', LENIENT)
    .option('--no-lenient', NOT_LENIENT)
    .option('--strict', STRICT)
    .action(async (files: string[], _, command: Command) =>
      end(await (await load()).merge(files, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent merge reports/*.json
  teddy agent merge reports/*.json --json > merged.json

With --json it is a report of its own, which keeps the contract.

Exit codes: 0 every report keeps the contract and none is failed, 1 otherwise,
2 not readable.
${EVERYWHERE}`,
    );

  agent
    .command('context-map')
    .description('print a context map with the lines that it points to')
    .argument('<file>', 'a context map as JSON, or a report that holds one; - for standard input')
    .action(async (file: string, _, command: Command) =>
      end(await (await load()).contextMap(file, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent context-map map.json
  teddy agent context-map report.json --json

How the lines were when a map was first seen is kept in .teddy/context-maps, so
that a later look says which of them moved or changed.

Exit codes: 0 every reference holds, 1 one does not, 2 not readable.
${EVERYWHERE}`,
    );
}

/** What became of it. */
function addLearning(agent: Command, { load, end }: Way): void {
  agent
    .command('decide')
    .description("say whether an agent's work was right, for teddy agent stats")
    .argument('<task-id>', 'the task that was briefed or reported')
    .argument('<decision>', 'accept or reject')
    .option('--reason <text>', 'why')
    .action(async (taskId: string, decision: string, _, command: Command) =>
      end(await (await load()).decide(taskId, decision, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy agent decide auth-1 accept
  teddy agent decide auth-2 reject --reason "The limit is per process."
${EVERYWHERE}`,
    );

  agent
    .command('stats')
    .description('how sure agents said they were, and how often they were right')
    .action(async (_, command: Command) => end(await (await load()).stats(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy agent stats
  teddy agent stats --json

What people decided (teddy agent decide) counts; else, where the task's id is
that of a task of a PLAN.md, what teddy result submit --verify found.
${EVERYWHERE}`,
    );
}
