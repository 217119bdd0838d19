import { commandGroup } from '../../command.js';
import { addTaskCommand } from './add.js';
import { briefTaskCommand } from './brief.js';
import { editTaskCommand } from './edit.js';
import { listTasksCommand } from './list.js';
import { moveTaskCommand } from './move.js';
import { nextTasksCommand } from './next.js';
import { removeTaskCommand } from './remove.js';
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
  addTaskCommand,
  editTaskCommand,
  moveTaskCommand,
  removeTaskCommand,
])
  .description('list, show, decide and change the tasks in task files')
  .helpText(`Examples:
  teddy task list --plan 03-01
  teddy task next
  teddy task show 03-01:2`);
