import { initProject } from '../../../../config/init.js';
import { trustProject } from '../../../../config/project.js';
import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult } from '../../output.js';
import { openProject, writeNewFiles } from '../../project.js';

export const initCommand = new TeddyCommand('init')
  .description('write .teddy/config.yaml and policy.yaml with every setting, commented out')
  .run(init)
  .helpText(`Examples:
  teddy init                        in the nearest project
  teddy init --root .               in this folder
  teddy setup                       choose your model, for all projects`);

export async function init(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  workspace.requireStore();
  const files = initProject(root);
  if (files.status === 'refused') throw new UserError(files.reason);
  const problem = await writeNewFiles(workspace, files.files);
  if (problem !== undefined) throw new UserError(`Could not write to .teddy (${problem}).`);
  trustProject(files);
  const paths = files.files.map(({ path }) => path);
  printResult(root, options, { files: paths }, () => [
    `Wrote ${paths.join(' and ')}, with every setting commented out.`,
    'After you change them, teddy asks once whether you trust them. To choose a model for all your projects: teddy setup',
  ]);
  return 0;
}
