// The command line: words in, words and an exit code out. It reads no file and changes nothing itself;
// the result goes to standard output, all else to standard error.
import { agentCommands } from './agent-commands.js';
import { orchestrateCommands } from './orchestrate-commands.js';
import { addPlanCommands } from './plan-commands.js';
import { addRunCommands } from './run-commands.js';
import { sessionCommands } from './session-commands.js';
import { start } from './start.js';
import { taskCommands } from './task-commands.js';

start({
  commands: [
    addRunCommands,
    sessionCommands(() => import('./session-faces.js')),
    addPlanCommands,
    taskCommands(() => import('./task-faces.js')),
    orchestrateCommands(() => import('./orchestrate-faces.js')),
    agentCommands(() => import('./agent-faces.js')),
  ],
  async welcome(version, options) {
    const { welcome } = await import('./welcome.js');
    return welcome(version, options);
  },
});
