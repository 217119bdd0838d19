import { redactorFor } from '../../../../config/redactor.js';
import { takeWork } from '../../../../inbox/changes-questions.js';
import { diskUsage } from '../../../../node/files.js';
import { environmentVariables, isTerminal, writeOutput } from '../../../../node/terminal/terminal.js';
import { describeChangeset } from '../../../../runs/changeset/describe-changeset.js';
import { dropWork, type ListedWork, listWork, openWork } from '../../../../workspace/copy/work.js';
import { reportFormatOption, TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, resultJson, visibleLine } from '../../output.js';
import { openProject, openTrusted } from '../../project.js';
import { printQuestion } from '../../review/question-lines.js';
import { cell, tableLines } from '../../table.js';
import { plural } from '../../words.js';
import { findWork } from './find-work.js';
import {
  type DeliveryOptions,
  endReview,
  landingOption,
  type ReviewChoices,
  reviewWork,
} from './review-work.js';

const listCommand = new TeddyCommand('list')
  .description('list the changes of agents that are waiting for your review')
  .run(listChanges)
  .helpText(`Examples:
  teddy changes list
  teddy changes list --json
  teddy changes list --root ../shop`);

const showCommand = new TeddyCommand('show')
  .description('show what an agent changed, without deciding')
  .argument('[id]', 'the id of the changes, or its end (default: the newest)')
  .run(showChanges)
  .helpText(`Examples:
  teddy changes show
  teddy changes show 0042
  teddy changes show 0042 --json`);

const reviewCommand = new TeddyCommand('review')
  .description('review what an agent changed, file by file, and land what you keep')
  .argument('[id]', 'the id of the changes, or its end (default: the newest)')
  .option('-y, --yes', 'keep everything; conflicts and denied files are left out')
  .option('--verify <command>', 'the command that must succeed before anything lands')
  .addOption(landingOption())
  .option('--unconfined', 'run the verify command without confinement')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to this file')
  .option('--print', 'print the report also at a terminal')
  .option('--no-copy', 'do not copy the feedback for the agent to the clipboard')
  .run(reviewChanges)
  .helpText(`Examples:
  teddy changes review
  teddy changes review --verify "npm test"
  teddy changes review --landing auto --verify "npm test"

Nothing lands until you have decided on every file. What you keep is one commit
of files, which teddy undo reverts. If you quit, your decisions are kept.`);

const dropCommand = new TeddyCommand('drop')
  .description('delete the changes of an agent, and its copy of the project')
  .argument('<id>', 'the id of the changes, or its end')
  .run(dropChanges)
  .helpText(`Examples:
  teddy changes drop 20260102-030405-0042
  teddy changes drop 0042           the end of an id is enough
  teddy changes drop 0042 --json`);

const pruneCommand = new TeddyCommand('prune')
  .description('delete all changes that no agent or review is using')
  .option('-y, --yes', 'also delete changes that you have not reviewed')
  .run(pruneChanges)
  .helpText(`Examples:
  teddy changes prune
  teddy changes prune --yes
  teddy changes prune --json`);

export const changesCommand = new TeddyCommand('changes')
  .description('list and review what agents changed in their copies of this project')
  .run(listChanges)
  .helpText(`Examples:
  teddy changes
  teddy changes review
  teddy changes drop 0042`)
  .addCommand(listCommand)
  .addCommand(showCommand)
  .addCommand(reviewCommand)
  .addCommand(dropCommand)
  .addCommand(pruneCommand);

async function listChanges(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const works = listWork(workspace).map((work) => ({ ...work, size: diskUsage(work.folder) }));
  const value = works.map(({ record, status, size }) => ({
    id: record.id,
    command: record.command,
    status,
    createdAt: record.createdAt,
    bytes: size,
    reviewed: record.reviewed === true,
  }));
  printResult(root, options, value, (paint) => listLines(works, paint));
  return 0;
}

function listLines(works: readonly (ListedWork & { size: number })[], paint: Paint): string[] {
  if (works.length === 0)
    return ['No changes are waiting for your review. Start an agent with: teddy wrap -- COMMAND'];
  const rows = works.map(({ record, status, size }) => {
    const marks = record.reviewed ? `${status}, reviewed` : status;
    return [
      cell(record.id, 'bold'),
      cell(marks),
      cell(describeSize(size).padStart(8)),
      cell(record.command.join(' ')),
    ];
  });
  return [...tableLines(rows, { flexible: 3, paint }), 'Review: teddy changes review [ID]'];
}

function describeSize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  let size = bytes;
  let at = 0;
  for (; size >= 1000 && at < units.length - 1; at++) size /= 1000;
  return `${at === 0 ? size : size.toFixed(1)} ${units[at]}`;
}

async function showChanges(id: string | undefined, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const work = await takeWork(workspace, findWork(workspace, id).record.id);
  try {
    const redactor = redactorFor(null, environmentVariables());
    const { files, notes, base, listChanged } = await describeChangeset(work, { redactor, taskFiles: null });
    if (options.json) writeOutput(resultJson(root, { id: work.id, base, files: listChanged(), notes }));
    else {
      for (const [at, file] of files.entries())
        writeOutput(`${at === 0 ? '' : '\n'}${printQuestion(redactor.maskAll(file), options)}`);
      for (const note of notes) writeOutput(`${visibleLine(note)}\n`);
      if (files.length + notes.length === 0) writeOutput('The project has all of these changes already.\n');
    }
    return 0;
  } finally {
    work.close();
  }
}

/** By the id of the changes, or its end. */
export async function reviewChanges(
  id: string | undefined,
  options: ReviewChoices & DeliveryOptions,
): Promise<number> {
  const project = await openTrusted(options);
  const work = await takeWork(project.workspace, findWork(project.workspace, id).record.id);
  const review = await reviewWork(work, project, options);
  const print = options.print || options.json || !isTerminal('stdout');
  return endReview(work.id, review, project.config.report, { ...options, print });
}

async function dropChanges(id: string, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const work = await takeWork(workspace, findWork(workspace, id).record.id);
  const left = dropWork(work);
  printResult(root, options, { dropped: work.id, left: left ?? null }, () =>
    left === undefined ? `Deleted ${work.id} and its copy.\n` : `Deleted ${work.id}; ${visibleLine(left)}\n`,
  );
  return 0;
}

/** Without `--yes`, only work that was reviewed. */
async function pruneChanges(options: GlobalOptions & { yes?: boolean }): Promise<number> {
  const { root, workspace } = await openProject(options);
  const dropped: string[] = [];
  let waiting = 0;
  for (const { record, status } of listWork(workspace)) {
    if (status === 'running' || status === 'in-review') continue;
    if (!options.yes && !record.reviewed) {
      waiting++;
      continue;
    }
    const opened = await openWork(workspace, record.id);
    if (opened.status !== 'ok') continue;
    dropWork(opened.work);
    dropped.push(record.id);
  }
  const rest = waiting === 0 ? '' : ` ${waiting} not reviewed yet; --yes deletes them, too.`;
  printResult(root, options, { dropped }, () => `${plural(dropped.length, 'work')} deleted.${rest}\n`);
  return 0;
}
