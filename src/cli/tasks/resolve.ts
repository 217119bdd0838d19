import { resolveTask as resolve } from '../../capture/index.js';
import { environmentVariables, writeOutput } from '../../platform/index.js';
import { maskerFor } from '../../turn/index.js';
import { issueJson } from '../issue-json.js';
import { indent } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { openToWrite } from './capture.js';
import { listIds } from './next-lines.js';
import { noteLines } from './note-lines.js';
import { taskFromRoot } from './open.js';

type Resolved = Awaited<ReturnType<typeof resolve>>;

export async function resolveTask(named: string, answer: string, options: GlobalOptions): Promise<number> {
  const project = await openToWrite(options);
  const mask = await maskerFor(null, environmentVariables());
  const resolved = await resolve(project, taskFromRoot(project.workspace.root, named), answer, { mask });
  const paint = paintFor('stdout', options);
  writeOutput(
    options.json
      ? `${visibleJson({ ...resolved, notes: resolved.notes.map(issueJson) })}\n`
      : [
          `${paint('bold', visibleLine(resolved.id))}  ${visibleLine(resolved.name)}: ${describe(resolved)}`,
          ...noteLines(resolved.notes, paint),
          '',
        ].join('\n'),
  );
  return 0;
}

function describe({ id, decision, instruction, blocks }: Resolved): string {
  const without =
    blocks.length === 0
      ? ''
      : ` ${listIds(blocks)} ${blocks.length === 1 ? 'waits' : 'wait'} on it, and cannot begin.`;
  switch (decision) {
    case 'retry':
      return 'it can begin again.';
    case 'fix':
      return `it can begin again. For its executor, teddy task show ${visibleLine(id)} keeps this:\n${indent(visible(instruction ?? ''))}`;
    case 'skip':
      return `given up.${without}`;
    case 'abort':
      return `it is failed, and does not begin again before you resolve it in another way.${without}`;
  }
}
