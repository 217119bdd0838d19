// The same command line for those who begin with `validate` or `preprocess`: small, so that it starts at once.
import { addPlanCommands } from './plan-commands.js';
import { start } from './start.js';

start({ commands: [addPlanCommands], welcome: async () => 2 });
