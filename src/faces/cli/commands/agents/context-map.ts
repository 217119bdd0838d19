import { readContextText, renderContext, resolveContextMap } from '../../../../agents/context-map.js';
import { maskerFor } from '../../../../config/redactor.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { decodeInput, readInput } from '../../input.js';
import { type GlobalOptions, printResult, visible } from '../../output.js';
import { openProject } from '../../project.js';

export const contextMapCommand = new TeddyCommand('context-map')
  .description('print a context map with the lines it points to')
  .argument('<file>', 'a context map as JSON, or a report with one; - for standard input')
  .run(contextMap)
  .helpText(`Examples:
  teddy agent context-map map.json
  teddy agent context-map map.json --root ../shop
  teddy agent context-map report.json --json

Exit codes: 0 every reference is valid, 1 one is not, 2 unreadable input.`);

async function contextMap(file: string, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const { name, text } = decodeInput(await readInput(file, 'report'));
  const { entries, note } = readContextText(name, text);
  const references = resolveContextMap(workspace, entries);
  if (note !== null) writeError(`${visible(note)}\n`);
  const mask = maskerFor(null, environmentVariables());
  const hide = (text: string | null) => (text === null ? null : mask(text));
  const shown = references.map((reference) => ({
    ...reference,
    text: mask(reference.text),
    uri: hide(reference.uri),
    file: hide(reference.file),
    reason: hide(reference.reason),
  }));
  const json = { context_map: shown.map(({ text, uri }) => [text, uri]), references: shown };
  printResult(root, options, json, () => visible(renderContext(workspace, references, mask)));
  return references.some(({ status }) => !['ok', 'none', 'unverifiable'].includes(status)) ? 1 : 0;
}
