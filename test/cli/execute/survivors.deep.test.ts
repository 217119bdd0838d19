import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { NOBODY, noOtherUser, PLAN, teddy } from '../teddy.js';

const setpriv = spawnSync('sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).stdout.trim();

test.skipIf(noOtherUser !== '' || setpriv === '')(
  `a time-out names the process that could not be ended${noOtherUser}`,
  () => {
    // What `sudo` does: from then on the process belongs to another user.
    const command = './up --reuid 0 --clear-groups sleep 60 & echo $! >pid; sleep 60';
    const action = `### \`EXECUTE\`\n- **Description:** Wait.\n- **timeout:** 1\n\`\`\`\`shell\n${command}\n\`\`\`\`\n`;
    const folder = makeFolder({ 'plan.md': PLAN.replace(/### `CHAT_WITH_USER`[\s\S]*/, action) });
    mkdirSync(join(folder, '.teddy'));
    copyFileSync(setpriv, join(folder, 'up'));
    chmodSync(join(folder, 'up'), 0o4755);
    for (const path of ['.', '.teddy', 'plan.md']) chownSync(join(folder, path), NOBODY, NOBODY);
    const { stdout, exit } = teddy(['execute', 'plan.md', '--yes', '--no-copy'], {
      cwd: folder,
      env: { HOME: folder },
      uid: NOBODY,
    });
    const [, pid] = /still running: (\d+) \(sleep\)\./.exec(stdout) ?? [];
    onTestFinished(() => {
      if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
    });
    expect(exit).toBe(1);
    expect(stdout).toContain('timed out after 1s');
    expect(stdout).not.toContain('its processes were ended');
    expect(pid, stdout).toBeDefined();
    expect(process.kill(Number(pid), 0)).toBe(true);
  },
);
