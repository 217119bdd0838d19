// The same command line for those who begin with `result`, `task`, `metrics`, `state` or `logs`. Executors submit often
// and many at once, so this is small: what only one of many needs is a part of its own.
import { start } from './start.js';
import { taskCommands } from './task-commands.js';
import { submit } from './tasks/submit.js';

start({
  commands: [taskCommands(() => import('./task-faces.js'), submit)],
  welcome: async () => 2,
});
