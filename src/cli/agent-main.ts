// The same command line for those who begin with `agent`.
import { agentCommands } from './agent-commands.js';
import { start } from './start.js';

start({
  commands: [agentCommands(() => import('./agent-faces.js'))],
  welcome: async () => 2,
});
