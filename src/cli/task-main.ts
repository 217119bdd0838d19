// The same command line for those who begin with `result`, `task`, `metrics`, `state` or `logs`: executors call these
// often and many at once, so all of it is here and starts at once.
import { start } from './start.js';
import { taskCommands } from './task-commands.js';
import * as faces from './task-faces.js';

start({ commands: [taskCommands(async () => faces)], welcome: async () => 2 });
