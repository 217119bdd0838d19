import { loadProject } from '../../../../config/project.js';
import { checkTrust, readGitPrograms, trustProject } from '../../../../config/trust.js';
import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult } from '../../output.js';
import { describeProblems, openProject, readAgentSubject, requireTrust } from '../../project.js';

interface Options extends GlobalOptions {
  yes?: boolean;
}

export const trustCommand = new TeddyCommand('trust')
  .description("see this project's config, policy and agents, and say that you trust them")
  .option('--yes', 'trust them without being asked')
  .run(trust)
  .helpText(`Examples:
  teddy trust                       shows the files and asks
  teddy trust --yes                 for scripts that have looked at them

Config and policy can run commands and open the network, and the files in
.teddy/agents tell agents what to do. So nothing uses them before you have seen
them; and after every change you are asked again.`);

export async function trust(options: Options): Promise<number> {
  const opened = await openProject(options);
  const { root } = opened;
  const loaded = await loadProject(root);
  if (loaded.status === 'refused') throw new UserError(describeProblems(loaded.problems));
  const programs = await readGitPrograms(root);
  const settings = { root: loaded.root, files: programs ? [...loaded.files, programs] : loaded.files };
  const subjects = [settings, await readAgentSubject(opened)];
  const files = subjects.flatMap((subject) => subject.files.map(({ path }) => path));
  const untrusted = subjects.filter((subject) => !checkTrust(subject).trusted);
  const trusted = untrusted.length === 0;
  for (const subject of untrusted) {
    if (options.yes) trustProject(subject);
    else await requireTrust(subject, options, 'Pass --yes to trust without being asked.');
  }
  printResult(root, options, { files, trusted: true }, () => [describe(files, trusted)]);
  return 0;
}

function describe(files: readonly string[], before: boolean): string {
  if (files.length === 0)
    return 'There is no .teddy/config.yaml, no policy.yaml and no agents here: nothing to trust.';
  return `You ${before ? 'trust' : 'now trust'} ${files.join(' and ')}, as ${files.length === 1 ? 'it is' : 'they are'}.`;
}
