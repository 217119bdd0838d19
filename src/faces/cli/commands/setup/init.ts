import { initProject } from '../../../../config/init.js';
import { trustProject } from '../../../../config/trust.js';
import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult } from '../../output.js';
import { openProject } from '../../project.js';

export const initCommand = new TeddyCommand('init')
  .description('write a commented .teddy/config.yaml and policy.yaml')
  .run(init)
  .helpText(`Examples:
  teddy init                        in the nearest project
  teddy init --root .               in this very folder`);

export async function init(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  workspace.requireStore();
  const files = initProject(root);
  if (files.status === 'refused') throw new UserError(files.reason);
  const changes = files.files.map(({ path, text }) => ({
    path,
    before: null,
    after: new TextEncoder().encode(text),
  }));
  const result = await workspace.commit(changes, { door: 'tool' });
  if (result.status !== 'committed') {
    const why = 'reason' in result ? result.reason : result.status;
    throw new UserError(`.teddy could not be written (${why}).`);
  }
  trustProject(files);
  const paths = files.files.map(({ path }) => path);
  printResult(root, options, { files: paths }, () => [
    `Wrote ${paths.join(' and ')}: every setting, commented out. Change what you like; you will be asked once to trust it.`,
  ]);
  return 0;
}
