// What the commands about tasks and results do. With all that it needs it is one part of the programs, which load it when
// one of them is called.
export { check } from './tasks/check.js';
export { type Glance, glanceAtTasks } from './tasks/glance.js';
export { listTasks } from './tasks/list.js';
export { rotateLogs, verifyLogs } from './tasks/logs.js';
export { lookAhead } from './tasks/look.js';
export { metrics } from './tasks/metrics.js';
export { nextTasks } from './tasks/next.js';
export { resolveTask } from './tasks/resolve.js';
export { showTask } from './tasks/show.js';
export { startTask } from './tasks/start.js';
export { state } from './tasks/state.js';
export { submit } from './tasks/submit.js';
