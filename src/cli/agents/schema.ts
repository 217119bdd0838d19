import { requireManual } from '../../agents/manuals.js';
import { reportSchema } from '../../formats/agent-report/report-schema.js';
import { toDraft07 } from '../../formats/agent-report/draft-07.js';
import { writeOutput } from '../../platform/terminal.js';
import { requireLevel, requireStrict, requireVerbosity } from '../../turn/index.js';
import type { GlobalOptions } from '../options.js';
import { openPlace } from '../place.js';
import { visibleJson } from '../visible.js';

interface Options extends GlobalOptions {
  strict?: boolean;
  verbosity?: string;
}

export async function schema(name: string, options: Options): Promise<number> {
  const { workspace } = await openPlace(options);
  const manual = requireManual(workspace, name);
  const level =
    options.verbosity === undefined ? undefined : requireLevel(manual, requireVerbosity(options.verbosity));
  const printed = options.strict ? requireStrict(manual, level) : toDraft07(reportSchema(manual, level));
  writeOutput(`${visibleJson(printed)}\n`);
  return 0;
}
