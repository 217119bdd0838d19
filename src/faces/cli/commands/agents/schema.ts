import { requireManual } from '../../../../agents/agent-files.js';
import { requireLevel, requireVerbosity } from '../../../../agents/brief-agent.js';
import { reportSchema, toDraft07 } from '../../../../core/agent-report/report-schema.js';
import { strictSchema } from '../../../../core/agent-report/strict-schema.js';
import type { Manual, Verbosity } from '../../../../core/agent-report/types.js';
import type { JsonObject } from '../../../../core/json/values.js';
import { UserError } from '../../../../node/errors.js';
import { writeOutput } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, visibleJson } from '../../output.js';
import { openProject, trustAgents } from '../../project.js';
import { LEVEL } from './read-report.js';

interface Options extends GlobalOptions {
  strict?: boolean;
  verbosity?: string;
}

export const schemaCommand = new TeddyCommand('schema')
  .description("print the JSON Schema of an agent's report, for clients that accept one")
  .argument('<name>', 'the agent; teddy agent list shows them')
  .option('--strict', 'for models that need every key required and no maps')
  .option('--verbosity <level>', `only for this level: ${LEVEL} (with --strict, default: detailed)`)
  .run(schema)
  .helpText(`Examples:
  teddy agent schema investigator
  claude -p "$(cat briefing.md)" --output-format json \\
    --json-schema "$(teddy agent schema investigator)"
  teddy agent schema reviewer --strict > reviewer.schema.json
  teddy agent brief reviewer --task-id auth-3 --goal … > briefing.md
  codex exec --json --output-schema reviewer.schema.json - < briefing.md |
    teddy agent check - --from codex`);

async function schema(name: string, options: Options): Promise<number> {
  const project = await openProject(options);
  await trustAgents(project, options);
  const manual = requireManual(project.workspace, name);
  const level =
    options.verbosity === undefined ? undefined : requireLevel(manual, requireVerbosity(options.verbosity));
  const printed = options.strict ? requireStrict(manual, level) : toDraft07(reportSchema(manual, level));
  writeOutput(`${visibleJson(printed)}\n`);
  return 0;
}

function requireStrict(manual: Manual, level: Verbosity | undefined): JsonObject {
  const strict = strictSchema(manual, level);
  if (strict.status === 'ok') return strict.schema;
  throw new UserError(strict.reason);
}
