export { setImmediate as letOthersRun, setTimeout as sleep } from 'node:timers/promises';
