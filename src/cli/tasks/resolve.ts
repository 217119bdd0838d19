import { resolveTask as resolve } from '../../capture/index.js';
import { writeOutput } from '../../platform/index.js';
import { indent } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { findPlace } from '../place.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { listIds } from './next-lines.js';
import { captureOf, openTasks } from './open.js';

type Resolved = Awaited<ReturnType<typeof resolve>>;

export async function resolveTask(named: string, answer: string, options: GlobalOptions): Promise<number> {
  const project = captureOf(await openTasks(findPlace(options), options));
  const resolved = await resolve(project, named, answer);
  const paint = paintFor('stdout', options);
  writeOutput(
    options.json
      ? `${visibleJson(resolved)}\n`
      : `${paint('bold', visibleLine(resolved.id))}  ${visibleLine(resolved.name)}: ${describe(resolved)}\n`,
  );
  return 0;
}

function describe({ decision, instruction, blocks }: Resolved): string {
  const without =
    blocks.length === 0
      ? ''
      : ` ${listIds(blocks)} ${blocks.length === 1 ? 'waits' : 'wait'} on it, and cannot begin.`;
  switch (decision) {
    case 'retry':
      return 'it can begin again.';
    case 'fix':
      return `it can begin again, and its executor will be told:\n${indent(visible(instruction ?? ''))}`;
    case 'skip':
      return `given up.${without}`;
    case 'abort':
      return `it stays failed.${without}`;
  }
}
