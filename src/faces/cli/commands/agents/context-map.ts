import { lookAtContext, readContextText, renderContext } from '../../../../agents/context-map.js';
import { maskerFor } from '../../../../config/redactor.js';
import { now } from '../../../../node/clock.js';
import { environmentVariables, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { EVERYWHERE, TeddyCommand } from '../../command.js';
import { readReportInput, textOf } from '../../input.js';
import { openProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { resultJson } from '../../result-json.js';
import { visible } from '../../visible.js';
import { referenceJson } from './report-lines.js';

export const contextMapCommand = new TeddyCommand('context-map')
  .description('print a context map with the lines that it points to')
  .argument('<file>', 'a context map as JSON, or a report that holds one; - for standard input')
  .run(contextMap)
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

async function contextMap(file: string, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const input = await readReportInput(file);
  const { entries, note: form } = readContextText(input.name, textOf(input));
  const { references, note } = await lookAtContext(workspace, entries, now());
  for (const each of [form, note]) if (each !== null) writeError(`${visible(each)}\n`);
  const mask = maskerFor(null, environmentVariables());
  const hide = (text: string | null) => (text === null ? null : mask(text));
  const shown = references.map((reference) => {
    const { text, uri, file, reason } = reference;
    return {
      ...referenceJson(reference),
      text: mask(text),
      uri: hide(uri),
      file: hide(file),
      reason: hide(reason),
    };
  });
  writeOutput(
    options.json
      ? resultJson(root, { context_map: shown.map(({ text, uri }) => [text, uri]), references: shown })
      : visible(renderContext(workspace, references, mask)),
  );
  return references.some(({ status }) => !['ok', 'none', 'unverifiable'].includes(status)) ? 1 : 0;
}
