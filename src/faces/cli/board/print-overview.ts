import { isTerminal, writeOutput } from '../../../node/terminal/terminal.js';
import type { OrchestrationOverview } from '../../../orchestrate/events.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { resultJson } from '../result-json.js';
import { pageWidth } from '../table.js';
import { orchestrationLines } from './overview-lines.js';

/** `--dry-run`: all of what a run would do, on standard output. */
export function printOverview(
  overview: OrchestrationOverview,
  options: Pick<GlobalOptions, 'json' | 'color'> & { root: string },
): void {
  if (options.json) {
    writeOutput(resultJson(options.root, overview));
    return;
  }
  const width = isTerminal('stdout') ? pageWidth() : Number.POSITIVE_INFINITY;
  writeOutput(
    `${orchestrationLines(overview, paintFor('stdout', options), width, { isDry: true }).join('\n')}\n`,
  );
}
