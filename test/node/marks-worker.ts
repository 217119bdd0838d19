// A teddy of a test: it runs a command, notes its mark, and is killed or exits once the command says that it is ready.
import { writeFileSync } from 'node:fs';
import { runProcess } from '../../src/node/process/run.js';

export interface Task {
  folder: string;
  command: string;
  /** By SIGKILL, else by an exit. */
  die: boolean;
}

export type Answer = Record<string, never>;

const { folder, command, die } = JSON.parse(process.argv[2]!) as Task;
void runProcess({
  command: { shell: command },
  cwd: folder,
  env: { PATH: process.env.PATH },
  capture: { bytes: 1000 },
  onStart: (mark) => writeFileSync(`${folder}/mark`, JSON.stringify(mark)),
  onOutput() {
    if (die) process.kill(process.pid, 'SIGKILL');
    process.stdout.write('{}', () => process.exit(0));
  },
});
