import { checkTrust, loadProject, readGitPrograms, trustProject } from '../../../../config/project.js';
import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult } from '../../output.js';
import { describeProblems, openProject, readAgentSubject, requireTrust } from '../../project.js';

interface Options extends GlobalOptions {
  yes?: boolean;
}

export const trustCommand = new TeddyCommand('trust')
  .description("review this project's config, policy and agents, and trust them")
  .option('--yes', 'trust them without asking')
  .run(trust)
  .helpText(`Examples:
  teddy trust                       show what matters in the files, and ask
  teddy trust --yes                 trust them without asking
  teddy execute plan.md --trust     trust them for one command only

Config and policy can make teddy run commands and use the network, and the files
in .teddy/agents are prompts for your agents. So teddy uses them only after you
have seen them, and asks again after every change.`);

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
    return 'No .teddy/config.yaml, no policy.yaml and no agents here: nothing to trust.';
  return `You ${before ? 'trust' : 'now trust'} ${files.join(' and ')}, as ${files.length === 1 ? 'it is' : 'they are'}.`;
}
