import { commandGroup } from '../../command.js';
import { briefTaskCommand } from './brief.js';
import { listTasksCommand } from './list.js';
import { nextTasksCommand } from './next.js';
import { resolveTaskCommand } from './resolve.js';
import { showTaskCommand } from './show.js';
import { startTaskCommand } from './start.js';

export const taskCommand = commandGroup('task', [
  listTasksCommand,
  nextTasksCommand,
  briefTaskCommand,
  startTaskCommand,
  showTaskCommand,
  resolveTaskCommand,
])
  .description('list, show and decide the tasks in task files')
  .helpText(`Examples:
  teddy task list --plan 03-01
  teddy task next
  teddy task show 03-01:2`);
