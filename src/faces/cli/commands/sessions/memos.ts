import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { readMemos } from '../../../../runs/turn-state.js';
import { openTree } from '../../../../workspace/tree.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, resultJson, visible } from '../../output.js';
import { openProject } from '../../project.js';
import { hang } from '../../table.js';

export const memosCommand = new TeddyCommand('memos')
  .description('list what agents remember about this project from plan to plan')
  .run(memos)
  .helpText(`Examples:
  teddy memos
  teddy memos --json
  teddy memos --root ../shop

Plans propose memos, and each change needs your approval. They are kept in
.teddy/memos.yaml, a list of texts, which you may edit.`);

export async function memos(options: GlobalOptions): Promise<number> {
  const { root } = await openProject(options);
  const list = await readMemos(openTree(root));
  if (options.json) writeOutput(resultJson(root, { memos: list }));
  else if (list.length === 0) writeError('There are no memos yet. A plan adds them under "## Memos".\n');
  else writeOutput(list.map((memo) => `- ${hang(visible(memo.trim()), 2)}\n`).join(''));
  return 0;
}
