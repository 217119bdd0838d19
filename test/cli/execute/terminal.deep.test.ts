import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { HOSTILE_STRINGS } from '../review/hostile-strings.js';
import { asked, execute, planOf, start } from './at-terminal.js';

describe.skipIf(noPython)(`teddy execute at a terminal${noPython}`, () => {
  const usable = HOSTILE_STRINGS.filter(
    ({ text }) => !text.includes('\0') && Buffer.from(text).toString() === text,
  );

  test(`${usable.length} hostile commands: what is shown is what runs, byte for byte`, async () => {
    const actions = usable.map(({ text }, at) => execute(`cat > out-${at} <<'THE END'\n${text}\nTHE END\n`));
    const { cwd, terminal } = start(planOf(...actions), { columns: 420, rows: 60 });
    await terminal.shows('Enter start review');
    terminal.send('\r');
    for (const [at, { what, shown }] of usable.entries()) {
      await asked(terminal, at + 1);
      const screen = terminal.text().split(` ${at + 1} of ${usable.length}  `)[1]!;
      for (const line of shown) expect(screen, what).toContain(line);
      terminal.send('y');
    }
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    for (const [at, { what, text }] of usable.entries())
      expect(readFileSync(join(cwd, `out-${at}`), 'utf8'), what).toBe(`${text}\n`);
  });
});
